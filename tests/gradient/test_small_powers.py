"""Powers by small whole constants are derived without asking whether what comes in is zero."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme

SOURCE = """
double pow(double, double);
double __enzyme_autodiff(void *, double);
double __enzyme_fwddiff(void *, double, double);
void __enzyme_autodiff_chosen(void *, int, const double *, double *, int, double);
extern int enzyme_dup, enzyme_const;
static double f(double x) { return EXPRESSION; }
double reverse(double x) { return __enzyme_autodiff((void *)f, x); }
double forward(double x) { return __enzyme_fwddiff((void *)f, x, 1.0); }
double slope(double x) { return __enzyme_autodiff((void *)f, x); }
double second(double x) { return __enzyme_fwddiff((void *)slope, x, 1.0); }
static double scaled(const double *x, double by) { return by * f(*x); }
void times(const double *x, double *out, double by) {
  __enzyme_autodiff_chosen((void *)scaled, enzyme_dup, x, out, enzyme_const, by);
}
"""


def program(expression: str) -> enzyme.Module:
    return enzyme.compile(SOURCE.replace("EXPRESSION", expression), config=enzyme.Config())


@pytest.mark.parametrize("exponent", [1.0, 2.0, 3.0, 4.0, 5.0, 0.5, -1.0, 2.5, 0.0])
def test_values(exponent: float) -> None:
    module = program(f"pow(x, {exponent})")
    for x in (0.3, 2.0, 1e-8):
        slope = exponent * x ** (exponent - 1)
        assert module["reverse"](x) == pytest.approx(slope, rel=1e-13)
        assert module["forward"](x) == pytest.approx(slope, rel=1e-13)
        assert module["second"](x) == pytest.approx(exponent * (exponent - 1) * x ** (exponent - 2), rel=1e-12)


def questions(expression: str) -> int:
    (body,) = re.findall(r"(?ms)^define [^\n]*@times\(.*?^}", program(expression).ir())
    return len(re.findall(r"fcmp oeq", body))


def test_what_is_asked() -> None:
    assert questions("pow(x, 3.0)") == 0
    assert questions("pow(x, 2.5)") == 1, "infinite slopes are possible"
    assert questions("pow(x, -3.0)") >= 1
    assert questions("pow(x, 0.5)") >= 1


@pytest.mark.parametrize("exponent", [-1.0, 0.5, -2.0])
def test_nothing_times_infinity_is_nothing(exponent: float) -> None:
    out = np.zeros(1)
    program(f"pow(x, {exponent})")["times"](np.zeros(1), out, 0.0)
    assert out[0] == 0.0


@pytest.mark.parametrize("exponent", [1.0, 2.0, 3.0, 4.0])
def test_at_zero(exponent: float) -> None:
    out = np.zeros(1)
    program(f"pow(x, {exponent})")["times"](np.zeros(1), out, 2.0)
    assert out[0] == (2.0 if exponent == 1.0 else 0.0)
