"""Loops one behind the other run as one where they may, and every number is what it was."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt
import pytest

import enzyme
from enzyme import Config
from enzyme.gradient import chain_reader, fused_loops, unneeded_stores
from enzyme.gradient.loop_chains import Chain
from enzyme.ir.values import Load, Store
from enzyme.llvm.codegen import target_machine
from enzyme.llvm.context import parse
from enzyme.llvm.pipelines import LOOP_FORMS, run_passes
from tests.gradient.random_chains import ARRAYS, FEWEST, MARGIN, random_chain

Array = npt.NDArray[np.float64]

SEEDS, PARTS = range(120), 4
SIZES = (FEWEST, 9, 10, 11, 12, 13, 16, 33)
LAYOUTS = [
    [(0, 0), (1, 0), (2, 0)],
    [(0, 0), (0, 1), (2, 0)],
    [(0, 0), (1, 0), (1, -1)],
    [(0, 0), (0, 0), (1, 0)],
    [(2, 0), (1, 0), (0, 0)],
    [(0, 0), (0, 2), (0, -1)],
]
"""Where each array lies: in which room, and how many elements from there."""


@pytest.fixture(scope="module")
def programs() -> Iterator[tuple[dict[int, tuple[str, str]], Counter[str]]]:
    """Random programs before and after, of those that were changed, and how often what was found in them."""
    seen = Counter[str]()
    find_chain, find_unneeded = chain_reader.find_chain, unneeded_stores.find_unneeded

    def chain_found(*args: Any) -> Chain | None:
        chain = find_chain(*args)
        if chain is not None:
            seen["chains"] += 1
            seen["backwards"] += not chain.forward
            seen["handed on for one iteration"] += any(
                each.delayed and each.write is not None for each in chain.sources.values()
            )
            seen["late"] += any(isinstance(each, (Load, Store)) for each in chain.late)
            seen["compared"] += bool(chain.apart)
        return chain

    def unneeded_found(*args: Any) -> set[Store]:
        found = find_unneeded(*args)
        seen["unneeded"] += bool(found)
        return found

    changed = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused_loops, "find_chain", chain_found)
        patch.setattr(chain_reader, "find_unneeded", unneeded_found)
        for seed in SEEDS:
            before = run_passes(random_chain(seed), LOOP_FORMS)
            after = fused_loops.with_fused_loops(before)
            if after is not None:
                changed[seed] = before, after
    yield changed, seen


def test_what_random_chains_have(programs: tuple[dict[int, tuple[str, str]], Counter[str]]) -> None:
    changed, seen = programs
    assert len(changed) > len(SEEDS) // 5
    assert all("fused:" in after and "iteration.fused" in after for _, after in changed.values())
    wanted = ("backwards", "handed on for one iteration", "late", "compared", "unneeded")
    assert all(seen[each] > 2 for each in wanted), seen


@pytest.mark.parametrize("part", range(PARTS))
def test_random_chains(programs: tuple[dict[int, tuple[str, str]], Counter[str]], part: int) -> None:
    """Memory is the same behind both, bit by bit, also where arrays overlap."""
    for seed, texts in programs[0].items():
        if seed % PARTS != part:
            continue
        runs = [_Run(text) for text in texts]
        for n in SIZES:
            for layout in LAYOUTS:
                for steps in (1, 2, 3):
                    one, other = (run(layout, n, steps) for run in runs)
                    assert np.array_equal(one, other, equal_nan=True), f"{seed=} {n=} {layout=} {steps=}"


class _Run:
    """A random program that can be called."""

    kept: ClassVar[list[object]] = []
    """Engines and their modules: in a cycle, as a failure makes, they would be freed in any order."""

    def __init__(self, text: str) -> None:
        module = parse(text)
        module.handle.verify()
        engine = llvm.create_mcjit_compiler(module.handle, target_machine(module))
        engine.finalize_object()
        self.kept.append((engine, module))
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(ARRAYS), ctypes.c_int64, ctypes.c_int64)
        self.function = kind(engine.get_function_address("f"))

    def __call__(self, layout: list[tuple[int, int]], n: int, steps: int) -> Array:
        room = n + 3 * MARGIN
        memory: Array = np.random.default_rng(n).uniform(-1, 1, 3 * room + 4 * MARGIN)
        places = [2 * MARGIN + number * room + offset for number, offset in layout]
        self.function(*(memory.ctypes.data + 8 * each for each in places), n, steps)
        return memory


HEAD = """
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;
"""
STEPS = """
static void slope(const double *x, const double *y, double *k, int n) {
    k[0] = x[0];
    for (int i = 1; i < n; i++) k[i] = x[i] * y[i - 1];
}
double f(const double *restrict x, int n, int steps) {
    double *y = malloc(sizeof(double) * (n + 1)), *s = malloc(sizeof(double) * (n + 1));
    double *k = malloc(sizeof(double) * (n + 1)), *sum = malloc(sizeof(double) * (n + 1)), h = 2.0 / steps;
    for (int i = 0; i < n; i++) y[i] = 0;
    for (int step = 0; step < steps; step++) {
        slope(x, y, k, n);
        for (int i = 0; i < n; i++) sum[i] = k[i], s[i] = y[i] + 0.5 * h * k[i];
        BETWEEN
        slope(x, s, k, n);
        for (int i = 0; i < n; i++) sum[i] += 2 * k[i], s[i] = y[i] + 0.5 * h * k[i];
        BETWEEN
        slope(x, s, k, n);
        for (int i = 0; i < n; i++) sum[i] += 2 * k[i], s[i] = y[i] + h * k[i];
        BETWEEN
        slope(x, s, k, n);
        for (int i = 0; i < n; i++) y[i] += h / 6 * (sum[i] + k[i]);
    }
    double last = n > 0 ? y[n - 1] + y[n / 2] : 0;
    free(y), free(s), free(k), free(sum);
    return last;
}
"""
TAIL = """
void gradient(const double *x, double *dx, int n, int steps) {
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, n, steps);
}
double along(const double *x, const double *v, int n, int steps) {
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, n, steps);
}
"""


def _steps(between: str = "", **options: Any) -> enzyme.Module:
    return enzyme.compile(HEAD + STEPS.replace("BETWEEN", between) + TAIL, config=Config(**options))


def _is_fused(module: enzyme.Module) -> bool:
    return re.search(r"^fused\b", module.ir(), re.MULTILINE) is not None


def _gradient(module: enzyme.Module, n: int, steps: int = 3) -> Array:
    """Compared with the tangent."""
    x, v = np.random.default_rng(n).uniform(0.5, 1.5, (2, n + 1))
    dx: Array = np.zeros_like(x)
    module["gradient"](x, dx, n, steps)
    assert dx @ v == pytest.approx(module["along"](x, v, n, steps), rel=1e-11)
    return dx


def test_runge_kutta() -> None:
    """Fewer components than the fused loop is for, too, and none."""
    on, off = _steps(), _steps(fused_loops=False)
    assert _is_fused(on) and not _is_fused(off)
    for n in (*range(41), 100):
        np.testing.assert_allclose(_gradient(on, n), _gradient(off, n), rtol=1e-13, atol=1e-300)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("between", ["s[0] *= 0.9;", "sum[0] *= 0.9;", "s[n / 2] *= 0.9;", "sum[n / 2] = x[0];"])
def test_single_elements(between: str) -> None:
    """They are set in front of the fused loop, or behind it; one in the middle takes the loops as they were."""
    module = _steps(between)
    assert _is_fused(module) or "n / 2" in between
    for n in (1, 2, 3, 5, 8, 20, 21, 33, 50):
        _gradient(module, n)


LOOPS = """
static void f(double *x, double *u, double *s, int n) {
    BODY
}
void gradient(double *x, double *dx, double *u, double *du, double *s, double *ds, int n) {
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, u, du, enzyme_dup, s, ds, n);
}
"""
CHAIN = """
    for (int i = 0; i < n; i++) s[i] = u[i] * x[i];
    for (int i = 0; i < n; i++) x[i] += 0.1 * s[i];
    for (int i = 0; i < n; i++) s[i] = u[i] * x[i];
    for (int i = 0; i < n; i++) x[i] += 0.2 * s[i];
"""


def _loops(body: str, on: bool = True) -> enzyme.Module:
    return enzyme.compile(HEAD + LOOPS.replace("BODY", body), config=Config(fused_loops=on))


def _results(module: enzyme.Module, places: tuple[int, int, int], n: int) -> tuple[Array, Array]:
    """Memory and its shadow behind a gradient of arrays that begin at ``places``."""
    rng = np.random.default_rng(n)
    memory, shadow = rng.uniform(-1, 1, (2, max(places) + n + 4))
    arrays = (part[place:] for place in places for part in (memory, shadow))
    module["gradient"](*arrays, n)
    return memory, shadow


@pytest.mark.thinned(4)
@pytest.mark.parametrize("shift", [-40, -3, -1, 0, 1, 2, 7, 39, 40, 41])
def test_arrays_that_overlap(shift: int) -> None:
    """They take the loops as they were."""
    on, off = _loops(CHAIN), _loops(CHAIN, on=False)
    assert _is_fused(on) and not _is_fused(off)
    for places in ((50, 50 + shift, 150), (50, 150, 50 + shift), (150, 50, 50 + shift)):
        found = [_results(module, places, 40) for module in (on, off)]
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


LITTLE = """
    double *a = u + 40, *b = u + 80, *c = u + 120;
    for (int i = 0; i < n; i++) s[i] = u[i] * a[i] + b[i] * c[i];
    for (int i = 0; i < n; i++) x[i] *= u[i] + s[i];
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "body",
    [
        LITTLE,
        CHAIN.replace("x[i] += 0.1 * s[i]", "x[i + 1] += 0.1 * x[i] * s[i]"),
        CHAIN.replace("x[i] +=", "x[i] *=").replace("* s[i];", "* s[n - i];"),
    ],
    ids=["little_handed_on", "recurrence", "the_other_way"],
)
def test_loops_that_stay_apart(body: str) -> None:
    on, off = _loops(body), _loops(body, on=False)
    assert not _is_fused(on)
    found = [_results(module, (10, 60, 300), 40) for module in (on, off)]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


def test_how_much_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that have too many other accesses could run as one."""
    monkeypatch.setattr("enzyme.gradient.chain_reader._LEFT", 1)
    assert _is_fused(enzyme.compile(HEAD + LOOPS.replace("BODY", LITTLE), config=Config(cache=None)))


RUNNING = """
target triple = "x86_64-unknown-linux-gnu"
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %z, i64 %n) {
entry:
  br label %a
a:
  %iteration = phi i64 [ 0, %entry ], [ %i, %a ]
  %s = phi double [ 0.0, %entry ], [ %t, %a ]
  %px = getelementptr double, ptr %x, i64 %iteration
  %v = load double, ptr %px
  SUM
  %py = getelementptr double, ptr %y, i64 %iteration
  store double STORED, ptr %py
  %i = add nuw nsw i64 %iteration, 1
  %ca = icmp eq i64 %i, %n
  br i1 %ca, label %between, label %a
between:
  br label %b
b:
  %j = phi i64 [ 0, %between ], [ %k, %b ]
  %qy = getelementptr double, ptr %y, i64 %j
  %w = load double, ptr %qy
  %u = fmul double %w, 0.5
  store double %u, ptr %qy
  %k = add nuw nsw i64 %j, 1
  %cb = icmp eq i64 %k, %n
  br i1 %cb, label %end, label %b
end:
  %pz = getelementptr double, ptr %z, i64 0
  store double %t, ptr %pz
  ret void
}
"""


@pytest.mark.parametrize(
    ("sum", "stored", "fused"),
    [
        ("%t = fadd reassoc double %s, %v", "%v", True),
        ("%t = fadd double %s, %v", "%v", False),  # in its order
        ("%t = fadd reassoc double %s, %v", "%t", False),  # of the numbers so far
        ("%t = fadd reassoc double %s, %v", "%s", False),
        ("%a2 = fadd reassoc double %s, %s\n  %t = fadd reassoc double %a2, %v", "%v", False),
    ],
)
def test_sums_in_registers(sum: str, stored: str, fused: bool) -> None:
    """Loops that are run from their ends, or parts of which are run ahead, may sum up in any order only."""
    text = run_passes(RUNNING.replace("SUM", sum).replace("STORED", stored), LOOP_FORMS)
    assert (fused_loops.with_fused_loops(text) is not None) == fused
