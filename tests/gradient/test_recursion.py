"""Large recursive functions have one pair of functions in a derivative, which is right for all calls."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme
from enzyme.gradient import recursion

PROGRAM = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;
__attribute__((noinline)) static BODY
static double f(const double *given, const double *beside, int n) {
  double x[16], y[16], s = given[0];
  for (int i = 0; i < n; i++) { x[i] = given[i]; y[i] = beside[i] * x[i]; }
  CALLS
  for (int i = 0; i < n; i++) s += sin(x[i] * (i + 1)) + x[i] * y[i];
  return s;
}
void reverse(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
double forward(double *x, double *dx, double *y, double *dy, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
"""
SORT = """void go(double *a, double *b, int n) {
  if (n < 2) { a[0] *= a[0] * b[0]; return; }
  double pivot = a[n / 2]; int i = 0, j = n - 1;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) { double t = a[i]; a[i++] = a[j]; a[j--] = t; }
  }
  if (j >= 0) go(a, b, j + 1);
  if (i < n) go(a + i, b + i, n - i);
  for (int k = 0; k < n; k++) a[k] *= 1 + 0.1 * b[k] * a[k];
}"""
READS = """double go(const double *a, double *b, int n) {
  if (n == 0) return a[0];
  double s = go(a, b, n - 1) * a[n] + b[n];
  b[n] = s * b[n - 1];
  return s + go(a, b, n / 2) * b[n];
}"""
TWO_WAYS = """double go(double *a, double *b, int n) {
  if (n <= 0) return a[0] * b[0];
  double s = n % 2 ? go(b, a, n - 1) : go(a, b, n - 2);
  a[n] = s * a[n] + b[n];
  return s * b[n] + a[n];
}"""
HALVES = """void go(double *a, double *b, int n) {
  if (n < 2) { b[0] = a[0]; return; }
  int h = n / 2;
  double even[8], odd[8], left[8], right[8];
  for (int k = 0; k < h; k++) even[k] = a[2 * k], odd[k] = a[2 * k + 1];
  go(even, left, h);
  even[0] = left[0] * left[0], left[0] = even[0];
  go(odd, right, h);
  odd[0] = right[0];
  b[n - 1] = a[n - 1];
  for (int k = 0; k < h; k++) b[k] = left[k] * right[k], b[k + h] = left[k] * odd[0];
}"""
CASES = {
    "sort": (SORT, "go(x, y, n); go(y, x, n / 2);"),
    "sort once": (SORT, "go(x, y, n);"),
    "reads": (READS, "s += go(x, y, n - 1);"),
    "reads, then written": (READS, "s += go(x, y, n - 1); x[1] *= s; y[0] = x[1]; s += go(x, y, 2);"),
    "two ways": (TWO_WAYS, "s += go(x, y, n - 1); s += go(y, x, n - 2);"),
    "with itself": (TWO_WAYS, "s += go(x, x, n - 1);"),
    "halves": (HALVES, "go(x, y, n);"),
}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, pipeline: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reverse against forward, and as many functions as there should be."""
    body, calls = CASES[name]
    text = PROGRAM.replace("BODY", body).replace("CALLS", calls)
    apart = enzyme.compile(text, pipeline=pipeline)
    monkeypatch.setattr(recursion, "LARGE", 0)
    made = enzyme.compile(text, pipeline=pipeline)
    assert pairs(made) == 1 < pairs(apart)
    random = np.random.default_rng(1)
    for n in (3, 8, 13):
        x, y, dx, dy = random.uniform(0.4, 0.9, (4, n))
        tangent = made["forward"](x.copy(), dx.copy(), y.copy(), dy.copy(), n)
        for module in (apart, made):
            back, beside = np.zeros(n), np.zeros(n)
            module["reverse"](x.copy(), back, y.copy(), beside, n)
            np.testing.assert_allclose(back @ dx + beside @ dy, tangent, rtol=1e-10)


def pairs(module: enzyme.Module) -> int:
    return len(re.findall(r"^define [^\n]*@go\.augmented\.", module.ir("differentiated"), re.M))
