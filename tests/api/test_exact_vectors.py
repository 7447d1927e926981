"""Vector versions of mathematical functions give the library's bits in every lane, and only where they may."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.llvm import exact_vectors
from enzyme.llvm.codegen import host_cpu
from enzyme.llvm.exact_vectors import FUNCTIONS, WIDTHS, declaration, exact_functions, exact_name, with_versions
from enzyme.llvm.jit import JITModule, emit_for_jit
from enzyme.llvm.vector_math import with_vector_functions, without_leftovers

pytestmark = pytest.mark.skipif(
    not exact_functions() or "+fma" not in host_cpu()[1], reason="this machine's library computes in other ways"
)
_COUNT = 1 << 15
_MARK = ".rest("
"""Of a program that has some of these functions in it."""
_CALLED = re.compile(rf"call <.*@{re.escape(exact_vectors.EXACT)}")

_LOOP = """
define void @{run}(ptr %x, ptr %y, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %q = getelementptr double, ptr %y, i64 %i
  %v = load {type}, ptr %p, align 8
  %w = call {type} @{called}({type} %v)
  store {type} %w, ptr %q, align 8
  %j = add i64 %i, {step}
  %c = icmp ult i64 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}}
"""


@pytest.fixture(scope="module", params=["native", "haswell"])
def runs(request: pytest.FixtureRequest) -> Iterator[dict[str, Callable[[np.ndarray], np.ndarray]]]:
    """Each function over an array, by scalar calls (``exp``) and for each number of lanes (``exp.4``)."""
    parts = []
    for name in FUNCTIONS:
        parts.append(f"declare double @{name}(double)")
        parts.append(_LOOP.format(run=f"run.{name}", type="double", called=name, step=1))
        for lanes in WIDTHS:
            parts.append(declaration(name, lanes))
            vector = f"<{lanes} x double>"
            parts.append(
                _LOOP.format(run=f"run.{name}.{lanes}", type=vector, called=exact_name(name, lanes), step=lanes)
            )
    module = JITModule(emit_for_jit(with_versions("\n".join(parts)), request.param))
    names = [f"{name}{lanes}" for name in FUNCTIONS for lanes in ("", *(f".{each}" for each in WIDTHS))]
    addresses = module.load([f"run.{name}" for name in names])

    def runner(address: int) -> Callable[[np.ndarray], np.ndarray]:
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(address)

        def run(x: np.ndarray) -> np.ndarray:
            y = np.empty_like(x)
            function(x.ctypes.data, y.ctypes.data, len(x))
            return y

        return run

    yield {name: runner(addresses[f"run.{name}"]) for name in names}
    del module


def _arguments(kind: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    if kind == "any bits":
        return rng.integers(0, 2**64, _COUNT, dtype=np.uint64).view(np.float64)
    if kind == "any size":
        return np.exp2(rng.uniform(-1074, 11, _COUNT)) * rng.choice([-1, 1], _COUNT)
    if kind == "special":
        edges = [0.0, np.inf, np.nan, 1.0, 0.5, 2.0, 22.0, 38.8, 56.0, 512.0, 700.0, 709.78, 745.2, 5e-324, 1e308]
        edges += [2.0**-54, 2.0**-55, 2.0**-28, 1 - 2.0**-4, 1 + 265 * 2.0**-12, 2.0**-1022]
        edges += [np.log(2) / 2, 1.5 * np.log(2), 20 * np.log(2), 56 * np.log(2)]
        near = [np.nextafter(edge, to) for edge in edges for to in (-np.inf, np.inf)]
        return rng.choice(np.array([*edges, *near]), _COUNT) * rng.choice([-1, 1], _COUNT)
    if kind == "halves of ln 2":
        nearly = 1 + rng.integers(-4, 5, _COUNT) * 2.0**-52
        return np.round(rng.uniform(-120, 120, _COUNT)) * (np.log(2) / 2) * nearly
    if kind == "near 1":
        return 1 + rng.uniform(-0.08, 0.08, _COUNT) * rng.choice([1, 2.0**-20, 2.0**-45], _COUNT)
    return rng.uniform(-float(kind), float(kind), _COUNT)


@pytest.mark.parametrize(
    "kind", ["any bits", "any size", "special", "halves of ln 2", "near 1", "800", "60", "5", "1.2", "0.01"]
)
def test_every_lane_has_the_library_s_bits(kind: str, runs: dict[str, Callable[[np.ndarray], np.ndarray]]) -> None:
    x = _arguments(kind)
    for name in exact_functions():
        expected = runs[name](x).view(np.uint64)
        for lanes in WIDTHS:
            made = runs[f"{name}.{lanes}"](x)
            wrong = np.flatnonzero(made.view(np.uint64) != expected)
            assert not len(wrong), (name, lanes, x[wrong[0]].hex(), made[wrong[0]].hex(), len(wrong))


def test_glibc_is_found_to_compute_so() -> None:
    assert exact_functions() <= set(FUNCTIONS)
    assert "exp" in exact_functions()


def test_another_library_keeps_its_scalar_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FUNCTIONS["exp"], "digest", "0" * 16)
    exact_functions.cache_clear()
    try:
        assert "exp" not in exact_functions()
        _, ir = _gradient(PROGRAM, Config(cache=None))
        assert f"exact.exp.4{_MARK}" not in ir and f"exact.exp.8{_MARK}" not in ir
        assert _MARK in ir  # that of tanh
    finally:
        exact_functions.cache_clear()


PROGRAM = """
#include <math.h>
double total(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += exp(x[i]) * tanh(3 * x[i]) - expm1(0.5 * x[i]);
    return s;
}
void __enzyme_autodiff(void *, ...);
void slope(const double *x, double *dx, int n) { __enzyme_autodiff((void *)total, x, dx, n); }
"""


def _gradient(
    source: str, config: Config, x: np.ndarray | None = None, flags: tuple[str, ...] = ()
) -> tuple[np.ndarray, str]:
    x = np.linspace(-2, 2, 203) if x is None else x
    module = enzyme.compile(source, config=config, cflags=list(flags))
    dx = np.zeros_like(x)
    module["slope"](x, dx, len(x))
    return dx, module.ir()


@pytest.mark.thinned(3)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 203])
def test_programs_with_and_without(count: int, pipeline: str) -> None:
    x = np.random.default_rng(count).uniform(-3, 3, count)
    x[3:8] = (0.0, -0.0, np.inf, np.nan, 800.0)[: max(0, count - 3)]
    found = []
    for exact in (True, False):
        module = enzyme.compile(PROGRAM, config=Config(exact_vectors=exact), pipeline=pipeline)
        dx = np.zeros_like(x)
        module["slope"](x, dx, len(x))
        found.append(dx)
        assert (_MARK in module.ir()) == exact
        assert "llvm.compiler.used" not in module.ir()
    # Not the same bits: what comes of the functions' values may be contracted in different places.
    np.testing.assert_allclose(found[0], found[1], rtol=1e-14, atol=1e-15)
    with np.errstate(all="ignore"):
        expected = np.exp(x) * (np.tanh(3 * x) + 3 / np.cosh(3 * x) ** 2) - 0.5 * np.exp(0.5 * x)
    finite = np.isfinite(expected)
    np.testing.assert_allclose(found[0][finite], expected[finite], rtol=1e-12, atol=1e-14)


def test_sums_stay_in_their_order() -> None:
    """Numbers of very different sizes: any other order gives other bits."""
    source = """
    #include <math.h>
    double total(const double *x, int n) {
        double s = 0, t = 0;
        for (int i = 0; i < n; i++) s += exp(x[i]);
        for (int i = 0; i < n; i++) t += x[i] * x[i];
        return log(s) + t;
    }
    """
    flags = ["-fno-math-errno", "-ffp-contract=off"]
    x = np.random.default_rng(5).uniform(-30, 30, 1003)
    found = []
    for exact in (True, False):
        module = enzyme.compile(source, config=Config(exact_vectors=exact), cflags=flags)
        found.append(module["total"](x, len(x)))
        assert (_MARK in module.ir()) == exact
    assert found[0] == found[1]


def test_what_sets_errno_stays() -> None:
    """The primal's own calls, behind which a program may look at errno, stay; those without errno become vectors."""
    source = """
    #include <math.h>
    void slope(const double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = exp(x[i]); }
    """
    y, ir = _gradient(source, Config())
    assert _MARK not in ir
    z, ir = _gradient(source, Config(), flags=("-fno-math-errno",))
    assert _MARK in ir
    assert y.tobytes() == z.tobytes()


def test_a_function_of_that_name_is_the_program_s() -> None:
    source = PROGRAM.replace(
        "double total",
        "double exp(double x) { return 1 + x; }\n__attribute__((noinline)) double expm1(double x) { return x * x; }\n"
        "double total",
    )
    x = np.linspace(-2, 2, 203)
    dx, ir = _gradient(source, Config(), x, ("-fno-builtin",))
    assert "exact.exp." not in ir and "exact.expm1." not in ir
    expected = np.tanh(3 * x) + (1 + x) * 3 / np.cosh(3 * x) ** 2 - 0.5 * x
    np.testing.assert_allclose(dx, expected, rtol=1e-9, atol=1e-12)


TEXT = """
define double @f(double %x) {
  %1 = call double @exp(double %x) #0
  %2 = call double @tanh(double %1) nounwind willreturn memory(none)
  %3 = call double @llvm.exp.f64(double %2)
  %4 = call double @exp(double %3)
  ret double %4
}
declare double @exp(double)
declare double @tanh(double)
declare double @llvm.exp.f64(double)
attributes #0 = { nounwind memory(none) }
"""


@pytest.mark.parametrize(
    ("cpu", "triple", "told"),
    [
        ("haswell", "x86_64-unknown-linux-gnu", 3),
        ("x86-64", "x86_64-unknown-linux-gnu", 0),  # no fused multiply-adds
        ("haswell", "x86_64-unknown-linux-musl", 0),
        ("haswell", "x86_64-apple-macosx", 0),
        ("", "aarch64-unknown-linux-gnu", 0),
    ],
)
def test_which_calls_are_told(cpu: str, triple: str, told: int) -> None:
    text = f'target triple = "{triple}"\n{TEXT}'
    made = with_vector_functions(text, cpu)
    if not told:
        assert made == text
        return
    assert made.count("memory(none) #") + made.count("#0 #") + made.count("(double %2) #") == told
    assert "_ZGV_LLVM_N4v_llvm.exp.f64(enzyme.exact.exp.4)" in made and "N8v" not in made
    assert "call double @exp(double %3)\n" in made
    assert exact_vectors.EXACT not in without_leftovers(made).split("declare")[0]
    assert with_vector_functions(text, cpu, exact=False) == text


def test_words_are_looked_up_beside_those_that_the_program_gathers() -> None:
    """Both are calls of one intrinsic, so both are to have the signature that this LLVM gives it."""
    parts = []
    for lanes in WIDTHS:
        words, addresses, all = f"<{lanes} x i64>", f"<{lanes} x ptr>", f"<{lanes} x i1>"
        gather = f"@llvm.masked.gather.v{lanes}i64.v{lanes}p0"
        parts.append(f"declare {words} {gather}({addresses}, {all}, {words})")
        parts.append(
            f"define {words} @words.{lanes}({addresses} %p) {{\n"
            f"  %w = call {words} {gather}({addresses} align 8 %p, {all} splat (i1 true), {words} poison)\n"
            f"  ret {words} %w\n}}"
        )
        for name in FUNCTIONS:
            parts.append(declaration(name, lanes))
            vector = f"<{lanes} x double>"
            called = f"call {vector} @{exact_name(name, lanes)}({vector} %x)"
            parts.append(f"define {vector} @{name}.{lanes}({vector} %x) {{\n  %v = {called}\n  ret {vector} %v\n}}")
    assert _CALLED.search("\n".join(parts)) and not _CALLED.search(with_versions("\n".join(parts)))
