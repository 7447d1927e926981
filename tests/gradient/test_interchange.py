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


@pytest.mark.thinned(2)
@pytest.mark.parametrize("first", ["0", "i"])
@pytest.mark.parametrize("name", BODIES)
def test_which(name: str, first: str) -> None:
    assert ("nest." in program(BODIES[name], first, True).ir("optimised")) == (name in EXCHANGED)


@pytest.mark.thinned(3)
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


BACK = """
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup;
static void back(const double *restrict a, const double *restrict x, double *restrict y, int n) {
  for (int i = n - 1; i >= 0; i--) {
    double s = x[i];
    for (int j = i + 1; j < n; j++) s -= a[i + j * n] * y[j];
    y[i] = s / a[i + i * n];
  }
}
void reverse(double *a, double *da, double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)back, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
"""


@pytest.mark.parametrize("large_pages", [True, False])
def test_narrow_counters(large_pages: bool) -> None:
    """Whether LLVM says that numbers of 32 bits do not wrap depends on what else there is; the program can be asked."""
    made = enzyme.compile(BACK, config=enzyme.Config(large_pages=large_pages))
    assert "nest." in made.ir("optimised")
    rng = np.random.default_rng(3)
    for n in (0, 1, 2, 9, 40, 300):
        a = np.tril(rng.standard_normal((n, n))) / np.sqrt(n + 1) + 2 * np.eye(n)
        x, seed, y, of_x = rng.standard_normal(n), rng.standard_normal(n), np.zeros(n), np.zeros(n)
        of_a, of_y = np.zeros((n, n)), seed.copy()
        made["reverse"](a, of_a, x, of_x, y, of_y, n)
        expected = np.linalg.solve(a, seed)  # a's transpose was solved
        np.testing.assert_allclose(of_x, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(of_a, -np.tril(np.outer(y, expected)), rtol=1e-9, atol=1e-11)
