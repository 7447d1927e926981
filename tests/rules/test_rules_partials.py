"""Every row of the scalar tables against numerical differentiation in 40 digits, and corner cases in double."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import mpmath as mp
import pytest

from enzyme.rules.expr import IntOperand, Operand, cost, evaluate, functions, leaves, simplify
from enzyme.rules.hooks import memory_hooks
from enzyme.rules.names import LIBM
from enzyme.rules.rule import ScalarRule
from enzyme.rules.scalar import FUNCTIONS, INSTRUCTIONS

ROWS = [*FUNCTIONS.values(), *(r for r in INSTRUCTIONS.values() if r.name not in FUNCTIONS)]
Primal = Mapping[str, Callable[..., Any]]


def partial(rule: ScalarRule, index: int, operands: tuple[Any, ...], result: Any, primal: Primal | None = None) -> Any:
    expr = rule.partials[index]
    assert expr is not None
    return evaluate(expr, operands, result, primal, mp.mpf if primal is not None else float)


@pytest.mark.parametrize("rule", ROWS, ids=lambda r: r.name)
def test_partials_are_the_derivatives(rule: ScalarRule, primal: Primal, points: Any) -> None:
    function = primal[rule.name]
    for point in points(rule.name):
        operands = tuple(mp.mpf(p) if isinstance(p, float) else p for p in point)
        result = function(*operands)
        for index, expr in enumerate(rule.partials):
            if rule.shape[index] not in "fl":
                assert expr is None
                continue

            def along(t: Any, index: int = index, operands: tuple[Any, ...] = operands) -> Any:
                return function(*operands[:index], t, *operands[index + 1 :])

            expected = mp.diff(along, operands[index])
            got = 0 if expr is None else evaluate(expr, operands, result, primal, mp.mpf)
            assert abs(got - expected) <= 1e-12 * max(1, abs(expected)), (point, index, got, expected)


@pytest.mark.parametrize("rule", ROWS, ids=lambda r: r.name)
def test_rows_are_well_formed(rule: ScalarRule) -> None:
    assert len(rule.partials) == len(rule.shape) and rule.source
    for expr in filter(None, rule.partials):
        assert simplify(expr) == expr and hash(expr) is not None and cost(expr)
        for leaf in leaves(expr):
            if isinstance(leaf, Operand):
                assert rule.shape[leaf.index] in "fl"
            if isinstance(leaf, IntOperand):
                assert rule.shape[leaf.index] == "i"


def test_the_tables_are_closed() -> None:
    """What a partial calls has a row itself: derivatives of any order exist."""
    called = set().union(*(functions(e) for r in ROWS for e in r.partials if e is not None))
    called |= {n for h in memory_hooks().values() for r in h.results for e in r.partials if e for n in functions(e)}
    assert called <= set(FUNCTIONS)


def test_singular_rows_are_marked() -> None:
    """A partial that divides, or calls a function with a pole, is marked unless a condition keeps the pole out."""
    safe = {"atan", "atanpi", "asinh", "hypot", "norm3d", "norm4d", "j1", "cyl_bessel_i1"}
    for rule in ROWS:
        divides = any(
            e is not None and "/" in str(e).replace("1/ln", "").replace("2/sqrt", "").replace("1/pi", "")
            for e in rule.partials
        )
        if divides and rule.name not in safe:
            assert rule.singular, rule.name


def test_linear_rows() -> None:
    linear = {r.name for r in ROWS if r.linear}
    assert {"fadd", "fsub", "fneg", "fpext", "fptrunc", "floor"} <= linear
    assert not {"fmul", "sin", "fabs", "fma", "ldexp"} & linear


# --- corner cases, in double as the generated code computes them -----------------------------------------------------

CORNERS: list[tuple[str, int, tuple[float | int, ...], float, float]] = [
    # (function, operand, point, result, partial)
    ("pow", 0, (0.0, 0.0), 1.0, 0.0),
    ("pow", 0, (0.0, 1.0), 0.0, 1.0),
    ("pow", 0, (0.0, 2.0), 0.0, 0.0),
    ("pow", 0, (0.0, 0.5), 0.0, math.inf),
    ("pow", 0, (-2.0, 3.0), -8.0, 12.0),
    ("pow", 0, (-2.0, 0.0), 1.0, 0.0),
    ("pow", 1, (0.0, 2.0), 0.0, 0.0),
    ("pow", 1, (0.0, 0.0), 1.0, -math.inf),
    ("pow", 1, (math.inf, -1.0), 0.0, 0.0),
    ("pow", 1, (-2.0, 2.0), 4.0, math.nan),
    ("powi", 0, (0.0, 0), 1.0, 0.0),
    ("powi", 0, (0.0, 1), 0.0, 1.0),
    ("powi", 0, (-3.0, 2), 9.0, -6.0),
    ("sqrt", 0, (0.0,), 0.0, math.inf),
    ("cbrt", 0, (0.0,), 0.0, math.inf),
    ("log", 0, (0.0,), -math.inf, math.inf),
    ("fabs", 0, (0.0,), 0.0, 1.0),
    ("fabs", 0, (-0.0,), 0.0, -1.0),
    ("hypot", 0, (0.0, 0.0), 0.0, 0.0),
    ("hypot", 1, (0.0, 0.0), 0.0, 0.0),
    ("hypot", 1, (0.0, -3.0), 3.0, -1.0),
    ("atan2", 0, (0.0, 0.0), 0.0, math.nan),
    ("atan2", 0, (0.0, 2.0), 0.0, 0.5),
    ("fmax", 0, (2.0, 2.0), 2.0, 1.0),
    ("fmax", 1, (2.0, 2.0), 2.0, 0.0),
    ("fmin", 0, (2.0, 2.0), 2.0, 1.0),
    ("fmin", 1, (2.0, 2.0), 2.0, 0.0),
    ("fmax", 0, (math.nan, 2.0), 2.0, 0.0),
    ("fmax", 1, (math.nan, 2.0), 2.0, 1.0),
    ("fmin", 0, (1.0, math.nan), 1.0, 1.0),
    ("fmin", 1, (1.0, math.nan), 1.0, 0.0),
    ("fmax", 0, (0.0, -0.0), 0.0, 1.0),
    ("fdim", 0, (1.0, 1.0), 0.0, 0.0),
    ("fdim", 1, (3.0, 1.0), 2.0, -1.0),
    ("fmod", 1, (7.5, 2.0), 1.5, -3.0),
    ("fmod", 1, (-7.5, 2.0), -1.5, 3.0),
    ("fmod", 1, (1.0, 0.1), math.fmod(1.0, 0.1), -9.0),  # 1.0 / 0.1 rounds up to 10
    ("remainder", 1, (7.5, 2.0), -0.5, -4.0),
    ("ldexp", 0, (0.0, 5), 0.0, 32.0),
    ("copysign", 0, (-2.0, 3.0), 2.0, -1.0),
    ("j1", 0, (0.0,), 0.0, 0.5),
    ("expm1", 0, (-60.0,), -1.0, math.exp(-60.0)),
    ("tanh", 0, (40.0,), 1.0, 0.0),
    ("fdiv", 0, (1.0, 0.0), math.inf, math.inf),
]  # fmt: skip
_DOUBLE_FUNCTIONS: dict[str, Any] = {
    **vars(math),
    "pow": lambda x, y: math.inf if x == 0 and y < 0 else x**y,
    "powi": lambda x, n: math.inf if x == 0 and n < 0 else x**n,
    "log": lambda x: -math.inf if x == 0 else math.nan if x < 0 else math.log(x),
    "rint": lambda x: float(round(x)), "j0": lambda x: 1.0,
}  # fmt: skip


@pytest.mark.parametrize(("name", "index", "point", "result", "expected"), CORNERS)
def test_corner(name: str, index: int, point: tuple[Any, ...], result: float, expected: float) -> None:
    rule = FUNCTIONS.get(name) or INSTRUCTIONS[name]
    expr = rule.partials[index]
    assert expr is not None
    got = evaluate(expr, point, result, _DOUBLE_FUNCTIONS)
    assert got == expected or (math.isnan(got) and math.isnan(expected)), got


def test_minimum_and_maximum_share_one_unit() -> None:
    for name in ("fmin", "fmax", "fminimum", "fmaximum", "fminimum_num", "fmaximum_num"):
        for x, y in ((1.0, 2.0), (2.0, 1.0), (2.0, 2.0), (-0.0, 0.0)):
            for result in {x, y}:
                total = sum(evaluate(e, (x, y), result) for e in FUNCTIONS[name].partials if e is not None)
                assert total == 1.0


# --- completeness over the C library ---------------------------------------------------------------------------------

C23_DIFFERENTIABLE = (
    "acos acospi asin asinpi atan2 atan2pi atan atanpi cos cospi sin sinpi tan tanpi acosh asinh atanh cosh sinh tanh "
    "exp10 exp10m1 exp2 exp2m1 exp expm1 frexp ldexp log10 log10p1 log1p log2 log2p1 log logb modf scalbn scalbln cbrt "
    "compoundn fabs hypot pow pown powr rootn rsqrt sqrt erf erfc lgamma tgamma ceil floor nearbyint rint round "
    "roundeven trunc fmod remainder remquo copysign nextafter nexttoward nextup nextdown fdim fmaximum fminimum "
    "fmaximum_num fminimum_num fmax fmin fma sincos lgamma_r j0 j1 jn y0 y1 yn"
).split()


def test_every_function_of_the_c_library_has_a_row() -> None:
    assert set(C23_DIFFERENTIABLE) <= LIBM
    assert all(n in FUNCTIONS or n in memory_hooks() for n in C23_DIFFERENTIABLE)
