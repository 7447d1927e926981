"""Derivatives of error, gamma and Bessel functions.

The derivatives of the gamma functions need the polygamma functions, which the C library lacks: ``digamma(x)`` and
``polygamma(n, x)`` are functions of :mod:`enzyme.rules.runtime`, and have rows of their own for higher derivatives.

Formulas: NIST Digital Library of Mathematical Functions, 5.2, 5.15 (gamma), 7.2 (erf), 10.6 and 10.29 (Bessel).
The recurrences at x = 0 take their limits: J1'(0) = I1'(0) = 1/2.
"""

from __future__ import annotations

from enzyme.rules.expr import (
    ZERO,
    Cost,
    Expr,
    I,
    IntConst,
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
x = X(0)
TWO_OVER_SQRT_PI = Named("2/sqrt(pi)")


def _one(name: str, partial: Expr, source: str, singular: bool = False) -> None:
    TABLE.row(name, "f", partial, cost=Cost.TRANSCENDENTAL, source=source, singular=singular)


def _two(name: str, shape: str, first: Expr | None, second: Expr | None, source: str, singular: bool = False) -> None:
    TABLE.row(name, shape, first, second, cost=Cost.TRANSCENDENTAL, source=source, singular=singular)


# error functions
_one("erf", TWO_OVER_SQRT_PI * fn("exp", -(x * x)), "erf' = 2/sqrt(pi) exp(-x^2)")
_one("erfc", -(TWO_OVER_SQRT_PI * fn("exp", -(x * x))), "erfc' = -2/sqrt(pi) exp(-x^2)")
_one("erfcx", 2.0 * x * R - TWO_OVER_SQRT_PI, "erfcx = exp(x^2) erfc(x): 2 x erfcx - 2/sqrt(pi)")
_one("erfinv", fn("exp", R * R) / TWO_OVER_SQRT_PI, "erfinv' = sqrt(pi)/2 exp(erfinv^2)", singular=True)
_one("erfcinv", -fn("exp", R * R) / TWO_OVER_SQRT_PI, "erfcinv' = -sqrt(pi)/2 exp(erfcinv^2)", singular=True)
_one(
    "normcdf",
    0.5 * TWO_OVER_SQRT_PI * fn("sqrt", 0.5) * fn("exp", -0.5 * (x * x)),
    "normcdf' = exp(-x^2/2)/sqrt(2 pi)",
)
_one(
    "normcdfinv",
    fn("exp", 0.5 * (R * R)) / (0.5 * TWO_OVER_SQRT_PI * fn("sqrt", 0.5)),
    "normcdfinv' = sqrt(2 pi) exp(normcdfinv^2/2)",
    singular=True,
)

# gamma functions
_one("tgamma", R * fn("digamma", x), "Gamma' = Gamma psi", singular=True)
_one("lgamma", fn("digamma", x), "(ln |Gamma|)' = psi", singular=True)
_one("digamma", fn("polygamma", IntConst(1), x), "psi' = psi_1", singular=True)
_two("polygamma", "if", None, fn("polygamma", IntOffset(I(0), 1), X(1)), "psi_n' = psi_(n+1)", singular=True)

# Bessel functions
_one("j0", -fn("j1", x), "J0' = -J1")
_one("j1", select(cmp("oeq", x, ZERO), 0.5, fn("j0", x) - R / x), "J1' = J0 - J1/x")
_two(
    "jn", "if",
    None, 0.5 * (fn("jn", IntOffset(I(0), -1), X(1)) - fn("jn", IntOffset(I(0), 1), X(1))),
    "Jn' = (J(n-1) - J(n+1))/2",
)  # fmt: skip
_one("y0", -fn("y1", x), "Y0' = -Y1", singular=True)
_one("y1", fn("y0", x) - R / x, "Y1' = Y0 - Y1/x", singular=True)
_two("yn", "if", None, fn("yn", IntOffset(I(0), -1), X(1)) - IntX(0) * R / X(1), "Yn' = Y(n-1) - n Yn/x", singular=True)
_one("cyl_bessel_i0", fn("cyl_bessel_i1", x), "I0' = I1")
_one(
    "cyl_bessel_i1",
    select(cmp("oeq", x, ZERO), 0.5, fn("cyl_bessel_i0", x) - R / x),
    "I1' = I0 - I1/x",
)
