"""What LLVM is told of the memory of tangents, and that what it makes of that is right whatever overlaps."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme

PROGRAM = """
void __enzyme_fwddiff(void *, ...);
void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup, enzyme_dupv, enzyme_width;
static void f(const double *x, double *y, long n) {
  for (long i = 1; i + 1 < n; i++) y[i] = 0.3 * x[i - 1] * x[i + 1] - 0.2 * x[i] * y[i];
}
#define LANES(N) \\
  void lanes##N(double *x, double *tx, long from, double *y, double *ty, long to, long n) { \\
    __enzyme_fwddiff((void *)f, enzyme_width, N, enzyme_dupv, 8 * from, x, tx, enzyme_dupv, 8 * to, y, ty, n); \\
  }
LANES(1) LANES(3) LANES(8)
"""
SIZES = (2, 3, 5, 8, 9, 17, 40, 100)


@cache
def lanes(level: int, told: bool = True) -> enzyme.Module:
    return enzyme.compile(PROGRAM, opt_level=level, config=enzyme.Config(shadow_scopes=told))


def step(x: np.ndarray, y: np.ndarray) -> None:
    """The function above, in memory that may overlap."""
    for i in range(1, len(x) - 1):
        y[i] = 0.3 * x[i - 1] * x[i + 1] - 0.2 * x[i] * y[i]


def tangents(x: np.ndarray, y: np.ndarray, tx: np.ndarray, ty: np.ndarray) -> None:
    """Its tangents."""
    for i in range(1, len(x) - 1):
        ty[i] = 0.3 * (tx[i - 1] * x[i + 1] + x[i - 1] * tx[i + 1]) - 0.2 * (tx[i] * y[i] + x[i] * ty[i])
        y[i] = 0.3 * x[i - 1] * x[i + 1] - 0.2 * x[i] * y[i]


@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("width", [1, 3, 8])
@pytest.mark.parametrize("apart", [None, 0, 1, -1, 2, -3, 8])
def test_overlapping(level: int, width: int, apart: int | None) -> None:
    """``y`` begins so far behind ``x`` in the same array, and so do their tangents; in another one with None."""
    rng = np.random.default_rng(5)
    for n in SIZES:
        size = n + 16
        memory, lines = rng.uniform(0.5, 1.5, 2 * size), rng.uniform(0.5, 1.5, (width, 2 * size))
        begin, end = 4, 4 + (size if apart is None else apart)
        expected, primal = lines.copy(), memory.copy()
        for lane in expected:
            primal = memory.copy()
            tangents(primal[begin:][:n], primal[end:][:n], lane[begin:][:n], lane[end:][:n])
        stride = 2 * size
        lanes(level)[f"lanes{width}"](
            memory[begin:], lines.reshape(-1)[begin:], stride, memory[end:], lines.reshape(-1)[end:], stride, n
        )
        np.testing.assert_allclose(lines, expected, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(memory, primal, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("level", [1, 3])
def test_lanes_that_read_the_same(level: int) -> None:
    """Tangents of what is only read may be those of several lanes."""
    rng = np.random.default_rng(6)
    for n in SIZES:
        x, y, tx = rng.uniform(0.5, 1.5, (3, n))
        ty = np.zeros((8, n))
        expected = np.zeros(n)
        tangents(x, y.copy(), tx, expected)
        lanes(level)["lanes8"](x, tx, 0, y, ty, n, n)
        np.testing.assert_allclose(ty, np.tile(expected, (8, 1)), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("level", [1, 3])
def test_along_the_input_itself(level: int) -> None:
    rng = np.random.default_rng(9)
    for n in SIZES:
        x, y = rng.uniform(0.5, 1.5, (2, n))
        ty, expected = np.zeros((2, n))
        tangents(x, y.copy(), x, expected)
        lanes(level)["lanes1"](x, x, 0, y, ty, 0, n)
        np.testing.assert_allclose(ty, expected, rtol=1e-11)


WORK = """
void __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;
static void f(const double *x, double *restrict a, double *restrict b, double *y, long n) {
  for (long i = 0; i < n; i++) a[i] = x[i] * x[i];
  for (long i = 0; i < n; i++) y[i] = a[i] * a[n - 1 - i];
  for (long i = 0; i < n; i++) b[i] = x[i] * y[i];
  for (long i = 0; i < n; i++) y[i] += b[i] * b[n - 1 - i];
}
void forward(double *x, double *tx, double *a, double *ta, double *b, double *tb, double *y, double *ty, long n) {
  __enzyme_fwddiff((void *)f, x, tx, a, ta, b, tb, y, ty, n);
}
"""


@pytest.mark.parametrize("level", [1, 2, 3])
def test_work_space_that_is_used_again(level: int) -> None:
    """Scratch arrays are apart, as ``restrict`` says; their tangents may share memory where they come one after the
    other."""
    made = enzyme.compile(WORK, opt_level=level)
    rng = np.random.default_rng(7)
    for n in SIZES:
        x, v = rng.uniform(0.5, 1.5, (2, n))
        ty, work = np.zeros(n), np.zeros(n)
        made["forward"](x, v, np.zeros(n), work, np.zeros(n), work, np.zeros(n), ty, n)

        def y(x: np.ndarray) -> np.ndarray:
            first = x**2 * (x**2)[::-1]
            second = x * first
            return first + second * second[::-1]

        np.testing.assert_allclose(ty, (y(x + 1e-30j * v)).imag / 1e-30, rtol=1e-12)


def test_what_is_told() -> None:
    told = lanes(2).ir("differentiated")
    assert '!"enzyme.tangents"' in told and '!"enzyme.lanes"' in told
    assert '!"enzyme.tangents"' not in lanes(2, told=False).ir("differentiated")
    at_run_time = enzyme.compile(PROGRAM, config=enzyme.Config(runtime_activity=True)).ir("differentiated")
    assert '!"enzyme.tangents"' not in at_run_time


ROWS = """
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
extern int enzyme_const;
static double f(const double *x, int k, int n, const double *points, int m) {
  double s = 0;
  for (int p = 0; p < m; p++) {
    const double *row = x + (p % k) * n;
    for (int i = 0; i < n; i++) {
      double apart = row[i] - points[p * n + i];
      s += apart * apart * apart;
    }
  }
  return s;
}
static void gradient(const double *x, double *dx, int k, int n, const double *points, int m) {
  __enzyme_autodiff((void *)f, x, dx, enzyme_const, k, enzyme_const, n, enzyme_const, points, enzyme_const, m);
}
void second(const double *x, const double *v, double *dx, double *hv, int k, int n, const double *points, int m) {
  __enzyme_fwddiff((void *)gradient, x, v, dx, hv, enzyme_const, k, enzyme_const, n, enzyme_const, points,
                   enzyme_const, m);
}
"""


@pytest.mark.parametrize("told", [True, False])
def test_shadows_of_shadows(told: bool) -> None:
    """Tangents of a gradient are apart from those of what it is of: LLVM compares no rows in a second derivative."""
    made = enzyme.compile(ROWS, config=enzyme.Config(shadow_scopes=told))
    compared = "vector.memcheck" in made.ir("optimised").split("@second(", 1)[1].split("\n}", 1)[0]
    assert compared != told
    rng = np.random.default_rng(8)
    for k, n, m in ((1, 1, 1), (3, 7, 8), (4, 16, 11), (2, 50, 6)):
        x, v = rng.uniform(0.5, 1.5, (2, k * n))
        points = rng.uniform(-0.5, 0.4, (m, n))
        dx, hv = np.zeros((2, k * n))
        made["second"](x, v, dx, hv, k, n, points, m)
        apart = x.reshape(k, n)[np.arange(m) % k] - points
        expected = np.zeros((2, k, n))
        np.add.at(expected[0], np.arange(m) % k, 3 * apart**2)
        np.add.at(expected[1], np.arange(m) % k, 6 * apart * v.reshape(k, n)[np.arange(m) % k])
        np.testing.assert_allclose([dx, hv], expected.reshape(2, -1), rtol=1e-12)
