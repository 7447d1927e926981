"""Functions with several results, against numerical differentiation in 40 digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import pytest

from enzyme.rules.expr import Result, evaluate, leaves
from enzyme.rules.hooks import MemoryHook, memory_hooks, reduction_hooks


def _frexp(x: Any) -> tuple[Any, int]:
    mantissa, exponent = mp.frexp(x)
    return mantissa, exponent


def _modf(x: Any) -> tuple[Any, Any]:
    whole = mp.floor(x) if x >= 0 else mp.ceil(x)
    return x - whole, whole


def _remquo(x: Any, y: Any) -> tuple[Any, int]:
    n = mp.nint(x / y)
    return x - n * y, int(n)


def _complex(operation: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
    def apply(*parts: Any) -> tuple[Any, Any]:
        z = operation(*(mp.mpc(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)))
        return z.real, z.imag

    return apply


# results in the order of the hook's rows
PRIMALS: dict[str, tuple[Callable[..., tuple[Any, ...]], list[tuple[float, ...]]]] = {
    "sincos": (lambda x: (mp.sin(x), mp.cos(x)), [(0.3,), (-2.5,)]),
    "sincospi": (lambda x: (mp.sinpi(x), mp.cospi(x)), [(0.3,), (-2.7,)]),
    "modf": (_modf, [(1.75,), (-2.3,)]),
    "frexp": (_frexp, [(1.75,), (-20.3,), (0.01,)]),
    "remquo": (_remquo, [(7.2, 2.0), (-1.9, 0.8)]),
    "lgamma_r": (lambda x: (mp.log(abs(mp.gamma(x))), 1), [(0.3,), (5.5,), (-1.3,)]),
    "llvm.sincos": (lambda x: (mp.sin(x), mp.cos(x)), [(0.3,)]),
    "llvm.sincospi": (lambda x: (mp.sinpi(x), mp.cospi(x)), [(0.3,)]),
    "llvm.modf": (_modf, [(1.75,)]),
    "llvm.frexp": (_frexp, [(1.75,), (-20.3,)]),
    "muldc3": (_complex(lambda z, w: z * w), [(1.0, -2.0, 0.5, 3.0)]),
    **{
        f"c{name}": (_complex(getattr(mp, name)), [(0.4, -0.7), (-0.3, 1.2), (1.7, 0.6)])
        for name in "exp log sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh".split()
    },
    "cpow": (_complex(lambda z, w: z**w), [(0.4, -0.7, 1.5, 0.3), (-0.3, 1.2, -0.5, 0.25)]),
    "conj": (_complex(mp.conj), [(0.4, -0.7)]),
    "cproj": (_complex(lambda z: z), [(0.4, -0.7)]),
    "divdc3": (_complex(lambda z, w: z / w), [(1.0, -2.0, 0.5, 3.0), (0.2, 5.0, -1.5, 0.25)]),
}


@pytest.mark.parametrize("hook", memory_hooks().values(), ids=lambda h: h.name)
def test_partials_of_every_result(hook: MemoryHook, primal: Any) -> None:
    function, points = PRIMALS[hook.name]
    parameters = hook.shape.partition(":")[2]
    for point in points:
        operands = [mp.mpf(p) for p in point]
        values = function(*operands)
        for order, result in enumerate(hook.results):
            assert len(result.partials) == len(parameters)
            if result.element == "int":
                assert not any(result.partials)
                continue
            for index, expr in enumerate(result.partials):
                if parameters[index] != "f":
                    assert expr is None
                    continue

                def along(t: Any, index: int = index, order: int = order, operands: list[Any] = operands) -> Any:
                    return function(*operands[:index], t, *operands[index + 1 :])[order]

                own = values if result.place == "field" else values[order]
                got = 0 if expr is None else evaluate(expr, operands, own, primal, mp.mpf)
                assert mp.almosteq(got, mp.diff(along, operands[index]), 1e-12, 1e-12), (point, order, index)


def test_frexp_at_zero() -> None:
    expr = memory_hooks()["frexp"].results[0].partials[0]
    assert expr is not None and evaluate(expr, [0.0], 0.0) == 1.0


@pytest.mark.parametrize("hook", memory_hooks().values(), ids=lambda h: h.name)
def test_results_are_where_the_shape_says(hook: MemoryHook) -> None:
    kind, _, parameters = hook.shape.partition(":")
    for result in hook.results:
        assert result.place in ("return", "pointer", "field")
        if result.place == "pointer":
            assert parameters[result.index] == "p"
            for expr in filter(None, result.partials):  # memory may have changed by the time of the reverse sweep
                assert not any(isinstance(leaf, Result) for leaf in leaves(expr))
        elif result.place == "field":
            assert kind == "s" and result.index in (0, 1)
        else:
            assert kind == "f"


def test_reductions() -> None:
    hooks = reduction_hooks()
    assert set(hooks) == {f"llvm.vector.reduce.{k}" for k in "fadd fmul fmin fmax fminimum fmaximum".split()}
    largest = hooks["llvm.vector.reduce.fmax"]
    assert largest.lane is not None and largest.first_only and largest.start is None
    assert [evaluate(largest.lane, [lane], 3.0) for lane in (1.0, 3.0, 2.0)] == [0.0, 1.0, 0.0]
    assert hooks["llvm.vector.reduce.fmul"].products
