"""Derivatives of exponentials, logarithms, powers, roots, trigonometric and hyperbolic functions.

Where a formula has a choice it needs the result (R) rather than another library call, unless that loses digits.

Decisions at special points:
- sqrt, cbrt, rsqrt at 0, log at 0, asin and acos at +-1, acosh at 1, atanh at +-1: the partial is the honest infinity.
  (A zero adjoint still gives zero where the driver guards singular rules, see :class:`ScalarRule`.)
- pow(x, y): d/dx is y * pow(x, y-1), and 0 for y = 0 where pow(x, -1) is infinite (the product would be NaN; elsewhere
  it is zero, too, but has a derivative by y). d/dy is R * log(x), and 0 wherever R is 0: that settles x = 0 with y > 0
  and x = inf with y < 0. At (0, 0) it is -inf, the one-sided derivative of 0**y. For x < 0 it is NaN: pow is defined at
  isolated integers y only.
- hypot at the origin: both partials 0, the subgradient of least norm.
- atan2 at the origin: NaN, for no direction is preferred; at the origin atan2 is not continuous.
- tanh and tan use R: the absolute error of 1 - R*R is one rounding, its relative error grows for |x| > 5.
"""

from __future__ import annotations

import math

from enzyme.rules.expr import (
    ZERO,
    Cost,
    Expr,
    I,
    IntOffset,
    IntX,
    Named,
    R,
    X,
    cmp,
    fn,
    select,
)
from enzyme.rules.rule import RuleTable

TABLE = RuleTable()
LN2, LN10, PI = Named("ln2"), Named("ln10"), Named("pi")
x, y, z = X(0), X(1), X(2)


def _one(name: str, partial: Expr, source: str, singular: bool = False, cost: Cost = Cost.TRANSCENDENTAL) -> None:
    TABLE.row(name, "f", partial, cost=cost, source=source, singular=singular)


# exponentials
_one("exp", R, "exp' = exp")
_one("exp2", R * LN2, "exp2' = ln 2 * exp2")
_one("exp10", R * LN10, "exp10' = ln 10 * exp10")
_one("expm1", fn("exp", x), "expm1' = exp (R + 1 would lose all digits for x << 0)")
_one("exp2m1", fn("exp2", x) * LN2, "exp2m1' = ln 2 * exp2")
_one("exp10m1", fn("exp10", x) * LN10, "exp10m1' = ln 10 * exp10")

# logarithms
_one("log", 1.0 / x, "log' = 1/x", singular=True)
_one("log2", Named("1/ln2") / x, "log2' = 1/(x ln 2)", singular=True)
_one("log10", Named("1/ln10") / x, "log10' = 1/(x ln 10)", singular=True)
_one("log1p", 1.0 / (1.0 + x), "log1p' = 1/(1+x)", singular=True)
_one("log2p1", Named("1/ln2") / (1.0 + x), "log2p1' = 1/((1+x) ln 2)", singular=True)
_one("log10p1", Named("1/ln10") / (1.0 + x), "log10p1' = 1/((1+x) ln 10)", singular=True)

# powers and roots
_pow_y = select(cmp("oeq", R, ZERO), 0.0, R * fn("log", x))
_lower = fn("pow", x, y - 1.0)
_pow_x = select(cmp("oeq", y, ZERO), select(cmp("oeq", fn("fabs", _lower), math.inf), 0.0, y * _lower), y * _lower)
TABLE.row(
    "pow", "ff", _pow_x, _pow_y,
    cost=Cost.TRANSCENDENTAL,
    source="d/dx x^y = y x^(y-1), 0 for y = 0 and x near 0; d/dy x^y = x^y ln x, 0 where x^y = 0",
    singular=True, regular_powers=True,
)  # fmt: skip
TABLE.row(
    "powr", "ff", _pow_x, _pow_y,
    cost=Cost.TRANSCENDENTAL, source="as pow, x >= 0", singular=True, regular_powers=True,
)  # fmt: skip
TABLE.row(
    "powi", "fi", select(cmp("oeq", IntX(1), ZERO), 0.0, IntX(1) * fn("powi", x, IntOffset(I(1), -1))), None,
    cost=Cost.TRANSCENDENTAL, source="d/dx x^n = n x^(n-1), 0 for n = 0", singular=True, regular_powers=True,
)  # fmt: skip
TABLE.row(
    "pown", "fi", select(cmp("oeq", IntX(1), ZERO), 0.0, IntX(1) * fn("powi", x, IntOffset(I(1), -1))), None,
    cost=Cost.TRANSCENDENTAL, source="d/dx x^n = n x^(n-1), 0 for n = 0", singular=True, regular_powers=True,
)  # fmt: skip
TABLE.row(
    "rootn", "fi", R / (IntX(1) * x), None,
    cost=Cost.TRANSCENDENTAL, source="d/dx x^(1/n) = x^(1/n) / (n x)", singular=True,
)  # fmt: skip
TABLE.row(
    "compoundn", "fi", IntX(1) * R / (1.0 + x), None,
    cost=Cost.TRANSCENDENTAL, source="d/dx (1+x)^n = n (1+x)^n / (1+x)", singular=True,
)  # fmt: skip
_one("sqrt", 0.5 / R, "sqrt' = 1/(2 sqrt)", singular=True, cost=Cost.DIVISION)
_one("rsqrt", -0.5 * (R * (R * R)), "(x^-1/2)' = -1/2 x^-3/2", singular=True, cost=Cost.DIVISION)
_one("cbrt", 1.0 / (3.0 * (R * R)), "cbrt' = 1/(3 cbrt^2)", singular=True)
_one("rcp", -(R * R), "(1/x)' = -1/x^2", singular=True, cost=Cost.DIVISION)


def _over_norm(operand: Expr) -> Expr:
    return select(cmp("oeq", R, ZERO), 0.0, operand / R)


_NORM = "d/dx_i sqrt(sum x^2) = x_i / R, 0 at the origin"
TABLE.row("hypot", "ff", _over_norm(x), _over_norm(y), cost=Cost.TRANSCENDENTAL, source=_NORM)
TABLE.row("norm3d", "fff", *map(_over_norm, (x, y, z)), cost=Cost.TRANSCENDENTAL, source=_NORM)
TABLE.row("norm4d", "ffff", *map(_over_norm, (x, y, z, X(3))), cost=Cost.TRANSCENDENTAL, source=_NORM)
TABLE.row(
    "rhypot", "ff", -x * (R * (R * R)), -y * (R * (R * R)),
    cost=Cost.TRANSCENDENTAL, source="d/dx_i (sum x^2)^-1/2 = -x_i R^3", singular=True,
)  # fmt: skip

# trigonometric
_one("sin", fn("cos", x), "sin' = cos")
_one("cos", -fn("sin", x), "cos' = -sin")
_one("tan", 1.0 + R * R, "tan' = 1 + tan^2")
_one("asin", 1.0 / fn("sqrt", (1.0 - x) * (1.0 + x)), "asin' = 1/sqrt(1-x^2)", singular=True)
_one("acos", -1.0 / fn("sqrt", (1.0 - x) * (1.0 + x)), "acos' = -1/sqrt(1-x^2)", singular=True)
_one("atan", 1.0 / (1.0 + x * x), "atan' = 1/(1+x^2)")
_over_norm2 = 1.0 / (x * x + y * y)  # shared by both partials: one division
TABLE.row(
    "atan2", "ff", y * _over_norm2, -(x * _over_norm2),
    cost=Cost.TRANSCENDENTAL, source="atan2(y, x): d/dy = x/(x^2+y^2), d/dx = -y/(x^2+y^2)", singular=True,
)  # fmt: skip

# trigonometric in half turns (C23) and degrees (Fortran)
_one("sinpi", PI * fn("cospi", x), "sinpi' = pi cospi")
_one("cospi", -(PI * fn("sinpi", x)), "cospi' = -pi sinpi")
_one("tanpi", PI * (1.0 + R * R), "tanpi' = pi (1 + tanpi^2)")
_over_pi = Named("1/pi")
_one("asinpi", _over_pi / fn("sqrt", (1.0 - x) * (1.0 + x)), "asinpi' = 1/(pi sqrt(1-x^2))", singular=True)
_one("acospi", -_over_pi / fn("sqrt", (1.0 - x) * (1.0 + x)), "acospi' = -1/(pi sqrt(1-x^2))", singular=True)
_one("atanpi", _over_pi / (1.0 + x * x), "atanpi' = 1/(pi (1+x^2))")
TABLE.row(
    "atan2pi", "ff", _over_pi * (y * _over_norm2), -(_over_pi * (x * _over_norm2)),
    cost=Cost.TRANSCENDENTAL, source="atan2 / pi", singular=True,
)  # fmt: skip

# hyperbolic
_one("sinh", fn("cosh", x), "sinh' = cosh")
_one("cosh", fn("sinh", x), "cosh' = sinh")
_one("tanh", 1.0 - R * R, "tanh' = 1 - tanh^2")
_one("asinh", 1.0 / fn("sqrt", 1.0 + x * x), "asinh' = 1/sqrt(1+x^2)")
_one("acosh", 1.0 / fn("sqrt", (x - 1.0) * (x + 1.0)), "acosh' = 1/sqrt(x^2-1)", singular=True)
_one("atanh", 1.0 / ((1.0 - x) * (1.0 + x)), "atanh' = 1/(1-x^2)", singular=True)
