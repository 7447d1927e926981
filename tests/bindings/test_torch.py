"""Operations of PyTorch: against its own derivatives of the same formulas, and against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[frameworks]'")

from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap  # noqa: E402

import enzyme  # noqa: E402
from enzyme import UsageError  # noqa: E402
from enzyme.bindings.torch import Operation  # noqa: E402
from tests.bindings import operations  # noqa: E402

GENERATOR = torch.Generator().manual_seed(5)


def _uniform(*shape: int) -> Any:
    return torch.rand(shape, dtype=torch.float64, generator=GENERATOR) * 0.8 + 0.2


X, V, Y, A = _uniform(4), _uniform(4), _uniform(2), torch.tensor(1.5, dtype=torch.float64)
K = torch.tensor([1, 0, 1, 1], dtype=torch.int32)


class Numbers:
    """What the formulas need of numpy."""

    sin = staticmethod(torch.sin)
    roll = staticmethod(torch.roll)


def _waves(x: Any, a: Any) -> Any:
    return operations.waves(Numbers, x, a)


def _mixed(x: Any, y: Any) -> Any:
    return operations.mixed(Numbers, x, K, y)


def test_against_differences(waves: Operation, mixed: Callable[..., Any]) -> None:
    x, y, a = (each.clone().requires_grad_() for each in (X, Y, A))
    check = torch.autograd.gradcheck
    twice = torch.autograd.gradgradcheck
    assert check(waves, (x, a), check_forward_ad=True)
    assert twice(waves, (x, a), check_fwd_over_rev=True, check_rev_over_rev=True)
    assert check(mixed, (x, y), check_forward_ad=True)
    assert twice(mixed, (x, y), check_fwd_over_rev=True)


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "value": lambda f: f(X, A),
    "gradient": lambda f: grad(f, (0, 1))(X, A),
    "hessian": lambda f: hessian(f, (0, 1))(X, A),
    "reverse over reverse": lambda f: jacrev(jacrev(f))(X, A),
    "forward over forward": lambda f: jacfwd(jacfwd(f))(X, A),
    "reverse over forward": lambda f: jacrev(jacfwd(f))(X, A),
    "third derivatives": lambda f: jacfwd(hessian(f))(X, A),
    "Hessian times vector": lambda f: jvp(grad(f), (X, A), (V, A))[1],
    "vmap": lambda f: vmap(f, (0, None))(torch.stack([X, V]), A),
    "vmap of columns": lambda f: vmap(grad(f), (1, None))(torch.stack([X, V], 1), A),
    "older Hessian": lambda f: torch.autograd.functional.hessian(f, (X, A)),
    "older Hessian times vector": lambda f: torch.autograd.functional.hvp(f, (X, A), (V, A)),
    "older vector times Hessian": lambda f: torch.autograd.functional.vhp(f, (X, A), (V, A)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_an_objective(waves: Operation, name: str) -> None:
    torch.testing.assert_close(TRANSFORMS[name](waves), TRANSFORMS[name](_waves))


@pytest.mark.parametrize("transform", [jacrev, jacfwd, lambda f, wrt: jacfwd(jacrev(f, wrt), wrt)])
def test_transforms_of_several_results(mixed: Callable[..., Any], transform: Any) -> None:
    torch.testing.assert_close(transform(mixed, (0, 1))(X, Y), transform(_mixed, (0, 1))(X, Y))


def test_backward(waves: Operation, mixed: Callable[..., Any]) -> None:
    def gradients(f: Any, g: Any) -> list[Any]:
        x, a, y = (each.clone().requires_grad_() for each in (X, A, Y))
        total, in_place, out = g(x, y)
        (3 * f(x, a) + total + (in_place * V).sum() + f(out.detach(), 2.0)).backward()
        return [x.grad, a.grad, y.grad]

    torch.testing.assert_close(gradients(waves, mixed), gradients(_waves, _mixed))


def test_an_objective_is_run_once_for_value_and_gradient() -> None:
    module = enzyme.compile("""
static int calls;
int count(void) { return calls; }
double counted(const double *x, int n) {
  calls++;
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return s;
}
""")
    counted = Operation(module, "counted", sizes={"n": "x"})
    x = X.clone().requires_grad_()
    counted(x).backward()
    torch.testing.assert_close(x.grad, 2 * X)
    assert module.count() == 1
    with torch.no_grad():
        counted(x)
    assert module.count() == 2


def test_tensors_of_any_layout(waves: Operation) -> None:
    wide = torch.zeros(4, 3, dtype=torch.float64)
    wide[:, 1] = X
    torch.testing.assert_close(waves(wide[:, 1], 1.5), _waves(X, 1.5))
    torch.testing.assert_close(waves(X.expand(2, 4)[1], 1.5), _waves(X, 1.5))
    conjugated = torch.complex(X, V).conj().imag  # a view with a negative bit
    torch.testing.assert_close(waves(conjugated, 1.5), _waves(-V, 1.5))
    x = X.clone()
    Operation(waves.program, "cubes", {"y": "x"}, sizes={"n": "x"})(x)
    torch.testing.assert_close(x, X)


def test_single_precision(program: enzyme.Module) -> None:
    single = Operation(program, "single", sizes={"n": "x"})
    x = X.float().requires_grad_()
    result = single(x, 2.0)
    assert result.dtype == torch.float32
    result.backward()
    torch.testing.assert_close(x.grad, 4 * X.float())


def test_a_module_learns() -> None:
    program = enzyme.compile(
        "double miss(const double *w, const double *x, const double *y, int n) { double s = 0;"
        " for (int i = 0; i < n; i++) { double e = w[0] * x[i] + w[1] - y[i]; s += e * e; } return s / n; }"
    )
    miss = Operation(program, "miss", sizes={"n": "x"}, constant=["x", "y"])
    w = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))
    optimiser = torch.optim.LBFGS([w], max_iter=50)

    def closure() -> Any:
        optimiser.zero_grad()
        loss = miss(w, X, 3 * X - 1)
        loss.backward()
        return loss

    optimiser.step(closure)
    torch.testing.assert_close(w.detach(), torch.tensor([3.0, -1.0], dtype=torch.float64), rtol=1e-4, atol=1e-4)


def test_what_is_refused(waves: Operation) -> None:
    for args, match in (
        ((X.float(), 1.5), "'x' holds float32, the function works on float64"),
        ((X.bfloat16(), 1.5), "'x' holds bfloat16, the function works on float64"),
        (([1.0], 1.5), "'x' is an array, and a list was given"),
        ((X, X), r"'a' is a number, and an array of shape \(4,\) was given"),
        ((X, torch.tensor(1.0)), "'a' holds float32"),
        ((X.to("meta"), 1.5), "is on the device 'meta', and the function is the processor's"),
        ((X.to_sparse(), 1.5), "is of the layout torch.sparse_coo"),
    ):
        with pytest.raises(UsageError, match=match):
            waves(*args)
    with pytest.raises(UsageError, match="no batches of PyTorch's older kind"):
        torch.autograd.functional.hessian(lambda x: waves(x, 1.5), X, vectorize=True)
