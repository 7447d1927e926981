"""Which reversed nests are exchanged, and that what they compute is right with and without that."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme

PROGRAM = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const;
static double f(const double *restrict a, double *restrict x, double *restrict y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = FIRST; j < n; j++)
      BODY
  for (int i = 0; i < n; i++) s += sin(y[i]);
  return s;
}
void reverse(double *a, double *da, double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)f, a, da, x, dx, y, dy, enzyme_const, n);
}
double forward(double *a, double *da, double *x, double *dx, double *y, double *dy, int n) {
  return __enzyme_fwddiff((void *)f, a, da, x, dx, y, dy, enzyme_const, n);
}
"""
EXCHANGED = {
    "a product": "y[i] += a[j * n + i] * x[j];",
    "the least": "y[i] += __builtin_fmin(a[j * n + i], 0.7) * x[j];",
}
NOT = {
    "along rows": "y[i] += a[i * n + j] * x[j];",
    "square roots, which set errno": "y[i] += sqrt(a[j * n + i]) * x[j];",
    "calls": "y[i] += sin(a[j * n + i]) * x[j];",
}
BODIES = {**EXCHANGED, **NOT}


@cache
def program(body: str, first: str, exchanged: bool) -> enzyme.Module:
    text = PROGRAM.replace("BODY", body).replace("FIRST", first)
    return enzyme.compile(text, config=enzyme.Config(interchange=exchanged))


@pytest.mark.parametrize("first", ["0", "i"])
@pytest.mark.parametrize("name", BODIES)
def test_which(name: str, first: str) -> None:
    assert ("nest." in program(BODIES[name], first, True).ir("optimised")) == (name in EXCHANGED)


@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("first", ["0", "i"])
@pytest.mark.parametrize("name", BODIES)
def test_reverse_against_forward(name: str, first: str, exchanged: bool) -> None:
    made = program(BODIES[name], first, exchanged)
    rng = np.random.default_rng(7)
    for n in (1, 7, 8, 23, 300):
        a, da = rng.uniform(0.2, 1.2, (2, n, n))
        x, dx, y, dy, seed = rng.standard_normal((5, n)) / n
        tangent = dy.copy()
        value = made["forward"](a, da, x, dx, y.copy(), tangent, n)
        of_a, of_x, of_y = np.zeros_like(a), np.zeros_like(x), seed.copy()
        made["reverse"](a, of_a, x, of_x, y.copy(), of_y, n)
        left = np.vdot(of_a, da) + of_x @ dx + of_y @ dy
        np.testing.assert_allclose(left, value + seed @ tangent, rtol=1e-11, err_msg=f"{n}")
