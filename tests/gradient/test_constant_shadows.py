"""The tangent of a constant table stays zero, whatever derivatives of derivatives add to shadows of it."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme

PROGRAM = """
#include <math.h>
extern int enzyme_const, enzyme_dup, enzyme_width;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct two { double a, b; };
struct two __enzyme_fwddiff_two(void *, ...);
static const double table[4] = {0.5, -0.25, 0.75, 1.0};
__attribute__((noinline)) double f(const double *x, int n) {
  const double *at = n % 2 ? table : x;
  double s = 1;
  for (int i = 0; i < 4; i++) s = sin(s * at[i] + x[i] * x[i]);
  return s;
}
double forward(const double *x, const double *dx, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
}
void reverse(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
}
void lanes(const double *x, const double *dx, const double *dy, int n, double *to) {
  struct two made = __enzyme_fwddiff_two((void *)f, enzyme_width, 2, enzyme_dup, x, dx, dy, enzyme_const, n);
  to[0] = made.a;
  to[1] = made.b;
}
void over_forward(const double *x, double *hx, const double *dx, double *hd, int n) {
  __enzyme_autodiff((void *)forward, enzyme_dup, x, hx, enzyme_dup, dx, hd, enzyme_const, n);
}
void over_reverse(const double *x, const double *v, double *dx, double *h, int n) {
  __enzyme_fwddiff((void *)reverse, enzyme_dup, x, v, enzyme_dup, dx, h, enzyme_const, n);
}
"""


@pytest.mark.parametrize("pipeline", ["post", "pre"])
def test_tangents_before_and_after(pipeline: str) -> None:
    made = enzyme.compile(PROGRAM, pipeline=pipeline)
    x, dx, dy = np.random.default_rng(1).uniform(0.2, 0.9, (3, 4))

    def tangents(n: int) -> list[float]:
        both = np.zeros(2)
        made["lanes"](x, dx, dy, n, both)
        return [made["forward"](x, dx, n), made["forward"](x, dy, n), *both]

    def hessian(n: int) -> list[float]:
        backwards, forwards = np.zeros(4), np.zeros(4)
        made["over_forward"](x, backwards, dx, np.zeros(4), n)
        made["over_reverse"](x, dx, np.zeros(4), forwards, n)
        return [*backwards, *forwards]

    first, second = tangents(3), hessian(3)
    for _ in range(3):
        made["reverse"](x, np.zeros(4), 3)
        np.testing.assert_allclose(tangents(3), first, rtol=1e-14)
        np.testing.assert_allclose(hessian(3), second, rtol=1e-14)
    np.testing.assert_allclose(first[:2], first[2:], rtol=1e-14)
    np.testing.assert_allclose(second[:4], second[4:], rtol=1e-10)
