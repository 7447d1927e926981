"""Which rows of a shadow LLVM is told are apart, and that what it makes of that is right."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme

PROGRAM = """
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const;
static double f(const double *x, double *y, int n, int m) {
  double s = 0.3;
  LOOPS
  return s;
}
void reverse(double *x, double *dx, double *y, double *dy, int n, int m) {
  __enzyme_autodiff((void *)f, x, dx, y, dy, enzyme_const, n, enzyme_const, m);
}
double forward(double *x, double *dx, double *y, double *dy, int n, int m) {
  return __enzyme_fwddiff((void *)f, x, dx, y, dy, enzyme_const, n, enzyme_const, m);
}
"""
ROW = "for (int i = 0; i < n; i++) "
APART = {
    "two rows": ROW + "y[i] += x[i] * x[n + i] * x[i];",
    "a row far behind": ROW + "y[i] += x[i] * x[3 * n + i];",
    "rows downwards": ROW + "y[i] += x[n - 1 - i] * x[2 * n - 1 - i];",
    "every second element": ROW + "y[i] += x[2 * i] * x[2 * (n + i)];",
    "rows in pairs": "for (int k = 0; k < 2; k++) " + ROW + "y[i] += x[2 * k * n + i] * x[(2 * k + 1) * n + i];",
    "layers": "for (int k = 0; k < m; k++) "
    + ROW
    + "s += x[3 * k * n + i] * x[3 * k * n + n + i] * x[n * (3 * k + 2) + i];",
    "layers over and over": "for (long t = 0; t < m; t++) for (long k = 0; k < 2; k++) "
    "for (long i = 0; i < n; i++) y[i] = 0.5 * y[i] + x[2 * k * n + i] * x[2 * k * n + n + i];",
}
NOT = {
    "one round more": "for (int i = 0; i <= n; i++) y[i] += x[i] * x[n + i] * x[i];",
    "an element less": ROW + "y[i] += x[i] * x[n - 1 + i] * x[i];",
    "another length": ROW + "y[i] += x[i] * x[m + i] * x[i];",
    "the next row": "for (int k = 0; k < 3; k++) " + ROW + "s = 0.9 * s + x[k * n + i] * x[(k + 1) * n + i];",
    "the next pair": "for (int k = 0; k < 2; k++) " + ROW + "s += x[2 * k * n + i] * x[2 * (k + 1) * n + i];",
    "a moving base": "for (int k = 0; k < 3; k++) " + ROW + "s += x[k + i] * x[k + n + i];",
    "lengths that grow": "for (int k = 1; k < n; k++) for (int i = 0; i < k; i++) s += x[i] * x[k + i];",
    "every second element of one row": ROW + "y[i] += x[2 * i] * x[2 * i + 1];",
}
LOOPS = {**APART, **NOT}


@cache
def program(loops: str, pipeline: str = "post", told: bool = True) -> enzyme.Module:
    text = PROGRAM.replace("LOOPS", loops)
    return enzyme.compile(text, pipeline=pipeline, config=enzyme.Config(row_scopes=told))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", LOOPS)
def test_which(name: str) -> None:
    assert ('!"enzyme.rows"' in program(LOOPS[name]).ir("optimised")) == (name in APART)
    assert '!"enzyme.rows"' not in program(LOOPS[name], told=False).ir("optimised")


@pytest.mark.thinned(6)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("name", LOOPS)
def test_reverse_against_forward(name: str, pipeline: str) -> None:
    made = program(LOOPS[name], pipeline)
    rng = np.random.default_rng(3)
    for n, m in ((1, 1), (2, 1), (3, 2), (7, 2), (16, 3), (33, 2), (40, 39)):
        size = 3 * n * (m + 3) + 8
        x, dx, y, dy, seed = rng.uniform(0.4, 1.4, (5, size))
        tangent = dy.copy()
        value = made["forward"](x, dx, y.copy(), tangent, n, m)
        of_x, of_y = np.zeros(size), seed.copy()
        made["reverse"](x, of_x, y.copy(), of_y, n, m)
        np.testing.assert_allclose(of_x @ dx + of_y @ dy, value + seed @ tangent, rtol=1e-11, err_msg=f"{n} {m}")
