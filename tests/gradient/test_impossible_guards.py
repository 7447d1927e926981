"""Guards of a first derivative that never hold are no decisions of the second, and the others stay."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.gradient.impossible_guards import drop_impossible_guards
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module

GUARD = """
define double @f(double %x, double %y) {{
entry:
  %minus = fneg double %x
  %square = fmul double %x, %minus
  %more = fmul double %square, %y
  %product = fmul double %square, 5.0
  %d = fsub double {number}, {number}
  %wild = fcmp uno double %d, 0.0
  %nothing = fcmp oeq double {factor}, 0.0
  %guard = and i1 {order}
  %r = select i1 %guard, double 0.0, double %product
  %s = zext i1 %guard to i32
  %t = uitofp i32 %s to double
  %sum = fadd double %r, %t
  ret double %sum
}}
"""


def choices(number: str, factor: str, order: str = "%wild, %nothing") -> int:
    module = parse_module(GUARD.format(number=number, factor=factor, order=order))
    drop_impossible_guards(module)
    text = print_module(module)
    assert ("and i1" in text) == ("select" in text)
    return text.count(" select ")


@pytest.mark.parametrize("order", ["%wild, %nothing", "%nothing, %wild"])
def test_which(order: str) -> None:
    for factor in ("%x", "%minus", "%square", "%more"):
        assert choices("%x", factor, order) == 0
    assert choices("%square", "%more", order) == 0
    assert choices("%y", "%more", order) == 0
    assert choices("%y", "%square", order) == 1, "nothing is known of one where it is no factor of the other"
    assert choices("%more", "%square", order) == 1, "a product may be infinite where its factors are not"


PROGRAM = """
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static double f(double x, double c) { return c * c / sqrt(x) + sqrt(x * x + c) * c; }
extern int enzyme_const;
static double slope(double x, double c) {
  extern double __enzyme_autodiff_by_x(void *, double, int, double);
  return __enzyme_autodiff_by_x((void *)f, x, enzyme_const, c);
}
void reverse(double *p, double *out) {
  extern double __enzyme_autodiff_again(void *, double, int, double);
  *out = __enzyme_autodiff_again((void *)slope, *p, enzyme_const, p[1]);
}
void forward(double *p, double *out) { *out = __enzyme_fwddiff((void *)slope, *p, 1.0, p[1], 0.0); }
"""


@pytest.mark.parametrize("entry", ["reverse", "forward"])
def test_second_derivatives(entry: str) -> None:
    on, off = (enzyme.compile(PROGRAM, config=enzyme.Config(simplify_again=each)) for each in (True, False))
    for x in (0.0, 5e-324, 1e-200, 0.3, 2.0, 1e200, np.inf, np.nan):
        for c in (0.0, 1e-300, 0.7, 1e300, np.inf):
            found = np.zeros((2, 1))
            for module, out in zip((on, off), found, strict=True):
                module[entry](np.array([x, c]), out)
            np.testing.assert_array_equal(np.isfinite(found[0]), np.isfinite(found[1]), err_msg=f"{x} {c}")
            np.testing.assert_allclose(*found, rtol=1e-12)
    out = np.zeros(1)
    on[entry](np.array([2.0, 0.7]), out)
    x, c = 2.0, 0.7
    np.testing.assert_allclose(out[0], 0.75 * c * c * x**-2.5 + c * c / (x * x + c) ** 1.5, rtol=1e-13)
