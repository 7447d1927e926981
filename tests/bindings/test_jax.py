"""Operations of JAX: against its own derivatives of the same formulas, and against differences."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install '.[frameworks]'")

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import enzyme  # noqa: E402
from enzyme import UsageError  # noqa: E402
from enzyme.bindings.jax import Operation  # noqa: E402
from tests.bindings import operations  # noqa: E402

RNG = np.random.default_rng(5)
X, V, Y, A = RNG.uniform(0.2, 1, 4), RNG.uniform(0.2, 1, 4), RNG.uniform(0.2, 1, 2), np.array(1.5)
K = np.array([1, 0, 1, 1], dtype=np.int32)


@pytest.fixture(scope="module", autouse=True)
def doubles() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def _waves(x: Any, a: Any) -> Any:
    return operations.waves(jnp, x, a)


def _mixed(x: Any, y: Any) -> Any:
    return operations.mixed(jnp, x, K, y)


def _same(found: Any, expected: Any) -> None:
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12), found, expected)


def test_against_differences(waves: Operation, mixed: Callable[..., Any]) -> None:
    check_grads(waves, (X, A), order=2, modes=("fwd", "rev"))
    check_grads(mixed, (X, Y), order=2, modes=("fwd", "rev"))


def _repeated(f: Any) -> Any:
    def run(x: Any) -> Any:
        return jax.lax.scan(lambda carry, _: (carry * f(carry, A), None), x, None, length=3)[0].sum()

    return jax.grad(run)(X)


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "value": lambda f: f(X, A),
    "jit": lambda f: jax.jit(f)(X, A),
    "value and gradient": lambda f: jax.jit(jax.value_and_grad(f, (0, 1)))(X, A),
    "hessian": lambda f: jax.hessian(f, (0, 1))(X, A),
    "reverse over reverse": lambda f: jax.jit(jax.jacrev(jax.jacrev(f)))(X, A),
    "forward over forward": lambda f: jax.jacfwd(jax.jacfwd(f))(X, A),
    "reverse over forward": lambda f: jax.jacrev(jax.jacfwd(f))(X, A),
    "third derivatives": lambda f: jax.jit(jax.jacfwd(jax.hessian(f)))(X, A),
    "Hessian times vector": lambda f: jax.jvp(jax.grad(f), (X, A), (V, A)),
    "gradient of that": lambda f: jax.grad(lambda v: jax.jvp(jax.grad(f), (X, A), (v, A))[1] @ V)(V),
    "vmap": lambda f: jax.vmap(f, (0, None))(jnp.stack([X, V]), A),
    "vmap of columns": lambda f: jax.jit(jax.vmap(jax.grad(f), (1, None)))(jnp.stack([X, V], 1), A),
    "scan": _repeated,
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f))(X, A),
    "linearize": lambda f: jax.linearize(f, X, A)[1](V, A),
    "vjp": lambda f: jax.vjp(f, X, A)[1](2.0),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_an_objective(waves: Operation, name: str) -> None:
    _same(TRANSFORMS[name](waves), TRANSFORMS[name](_waves))


@pytest.mark.parametrize(
    "transform", [jax.jacrev, jax.jacfwd, lambda f, wrt: jax.jit(jax.jacfwd(jax.jacrev(f, wrt), wrt))]
)
def test_transforms_of_several_results(mixed: Callable[..., Any], transform: Any) -> None:
    _same(transform(mixed, (0, 1))(X, Y), transform(_mixed, (0, 1))(X, Y))


def test_arguments_stay_as_they_are(program: enzyme.Module) -> None:
    x = jnp.asarray(X)
    operation = Operation(program, "mixed", sizes={"n": "x"})
    for _ in range(2):
        assert jax.jit(operation)(x, jnp.zeros(4), K, Y) == pytest.approx(float(_mixed(X, Y)[0]))
    np.testing.assert_array_equal(x, X)
    assert Operation(program, "cubes", {"y": "x"}, sizes={"n": "x"})(jnp.zeros((0,))).shape == (0,)


def test_static_integers(program: enzyme.Module) -> None:
    waves = jax.jit(Operation(program, "waves"), static_argnums=1)
    assert waves(X, 4, 1.5) == pytest.approx(float(_waves(X, 1.5)))
    assert waves(X, 2, 1.5) == pytest.approx(float(_waves(X[:2], 1.5)))


def test_single_precision(program: enzyme.Module) -> None:
    single = Operation(program, "single", sizes={"n": "x"})
    gradient = jax.grad(single)(X.astype(np.float32), 2.0)
    assert gradient.dtype == jnp.float32
    np.testing.assert_allclose(gradient, 4 * X.astype(np.float32), rtol=1e-6)
    gradient, _ = jax.vjp(single, X.astype(np.float32), 2.0)[1](np.float32(0.5))
    np.testing.assert_allclose(gradient, 2 * X.astype(np.float32), rtol=1e-6)


def test_programs_do_not_share_state() -> None:
    source = "static double f = 1; void set(double g) { f = g; } double scaled(double x) { return f * x * x; }"
    one, other = enzyme.compile(source), enzyme.compile(source)
    one.set(2.0)
    found = [jax.jit(jax.value_and_grad(Operation(each, "scaled")))(3.0) for each in (one, other)]
    assert [(float(value), float(slope)) for value, slope in found] == [(18.0, 12.0), (9.0, 6.0)]


def test_threads(waves: Operation) -> None:
    gradient = jax.jit(jax.grad(waves))
    expected = jax.grad(_waves)(X, A)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            for _ in range(50):
                _same(gradient(X, A), expected)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed


STORED = """
import sys
import enzyme, jax, numpy as np
from enzyme.bindings.jax import Operation
from jax import export
jax.config.update("jax_enable_x64", True)
square = Operation(enzyme.compile("double square(const double *x) { return x[0] * x[0]; }"), "square")
if sys.argv[2] == "write":
    checks = [export.DisabledSafetyCheck.custom_call("enzyme_xla_call")]
    made = export.export(jax.jit(jax.grad(square)), disabled_checks=checks)(np.array([3.0]))
    open(sys.argv[1], "wb").write(made.serialize())
else:
    stored = export.deserialize(open(sys.argv[1], "rb").read())
    import enzyme.bindings.jax as bound
    bound._register_target()
    if sys.argv[2] == "read":
        jax.grad(square)(np.array([1.0]))
    print(stored.call(np.array([3.0])))
"""


def test_what_is_stored_finds_its_functions(tmp_path: Path) -> None:
    pytest.importorskip("flatbuffers", reason="jax.export stores by flatbuffers")
    (tmp_path / "stored.py").write_text(STORED)

    def run(what: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(tmp_path / "stored.py"), str(tmp_path / "stored"), what]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    assert run("write").returncode == 0
    assert run("read").stdout == "[6.]\n"
    unknown = run("read without")
    assert unknown.returncode == 1
    assert "the compiled function is not in this process" in unknown.stderr


def test_what_is_refused(waves: Operation) -> None:
    for args, match in (
        ((X.astype(np.float32), 1.5), "'x' holds float32, the function works on float64"),
        (([1.0], 1.5), "'x' is an array, and a list was given"),
        ((X, X), r"'a' is a number, and an array of shape \(4,\) was given"),
        ((X + 1j, 1.5), "holds complex128"),
    ):
        with pytest.raises(UsageError, match=match):
            waves(*args)
        with pytest.raises(UsageError, match=match):
            jax.jit(lambda args=args: waves(*args))()
    with pytest.raises(UsageError, match=r"'n' is an integer, and a .*Tracer was given"):
        jax.jit(Operation(waves.program, "waves"))(X, 4, 1.5)
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(UsageError, match="which JAX makes single precision of"):
            waves(X, 1.5)
        with pytest.raises(UsageError, match="'a' is float64, which JAX makes"):
            Operation(enzyme.compile("double half(double a) { return a / 2; }"), "half")(3.0)
    finally:
        jax.config.update("jax_enable_x64", True)
