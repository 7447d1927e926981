"""Tapes of 32 MiB and more ask for large pages; what they hold is the same."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import enzyme
from enzyme.frontends.clang import compile_to_ir
from enzyme.gradient.lower import lower_module
from enzyme.gradient.runtime import LARGE, LARGE_GROWN

PROGRAM = """
#include <math.h>
static double step(double y, double x) { return sin(y) * x + 0.5 * y * y; }
double f(const double *x, double *y, int n, int m) {
  double s = 0;
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++) y[i] = step(y[i], x[i]) * (1 + s / 16);
  for (int i = 0; i < n; i++) s += y[i] * y[i];
  return s;
}
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;
void g(const double *x, double *dx, double *y, double *dy, int n, int m) {
  __enzyme_autodiff((void *)f, x, dx, y, dy, enzyme_const, n, enzyme_const, m);
}
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="pages are asked for as Linux has it")


@linux
def test_who_asks() -> None:
    def asks(**settings: bool) -> bool:
        made = enzyme.compile(PROGRAM, config=enzyme.Config(**settings))  # type: ignore[arg-type]
        return "@madvise" in made.ir("optimised")

    assert asks()
    assert not asks(large_pages=False, kept_blocks=False)


@pytest.mark.parametrize(
    ("triple", "asks"),
    [("x86_64-unknown-linux-gnu", True), ("x86_64-apple-macosx", False), ("x86_64-pc-windows-msvc", False)],
)
def test_no_other_system_is_asked(triple: str, asks: bool) -> None:
    text = compile_to_ir(PROGRAM, "c", 2)
    lines = [line if "target triple" not in line else f'target triple = "{triple}"' for line in text.split("\n")]
    assert ("@madvise" in lower_module("\n".join(lines), enzyme.Config())) == asks


@pytest.mark.thinned(2)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_large_tapes(level: int) -> None:
    n, m = 100_000, 60
    assert 8 * n * m > LARGE
    rng = np.random.default_rng(2)
    x, y, dx, dy = rng.uniform(0.1, 0.9, (4, n))
    made = enzyme.compile(PROGRAM, opt_level=level)
    of_x, of_y = np.zeros(n), np.zeros(n)
    made["g"](x, of_x, y.copy(), of_y, n, m)
    plus, minus = (made["f"](x + s * dx, y + s * dy, n, m) for s in (1e-6, -1e-6))
    np.testing.assert_allclose(of_x @ dx + of_y @ dy, (plus - minus) / 2e-6, rtol=1e-6)


def test_derivatives_of_derivatives() -> None:
    made = enzyme.compile(PROGRAM)
    n, m = 5, 4
    rng = np.random.default_rng(4)
    x, y, v = rng.uniform(0.1, 0.9, (3, n))

    def gradient(x: np.ndarray) -> np.ndarray:
        found = np.zeros(n)
        made["g"](x, found, y.copy(), np.zeros(n), n, m)
        return found

    text = (
        PROGRAM
        + """
void __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;
void h(double *x, double *v, double *dx, double *hv, double *y, double *ty, double *dy, double *tdy, int n, int m) {
  __enzyme_fwddiff((void *)g, enzyme_dup, x, v, enzyme_dup, dx, hv, enzyme_dup, y, ty, enzyme_dup, dy, tdy,
                   enzyme_const, n, enzyme_const, m);
}
static double energy(const double *x, double *y, double *dx, double *dy, const double *w, int n, int m) {
  double s = 0;
  for (int i = 0; i < n; i++) dx[i] = dy[i] = 0;
  g(x, dx, y, dy, n, m);
  for (int i = 0; i < n; i++) s += dx[i] * w[i];
  return s;
}
void r(double *x, double *v, double *y, double *vy, double *dx, double *tdx, double *dy, double *tdy, double *w,
       int n, int m) {
  __enzyme_autodiff((void *)energy, enzyme_dup, x, v, enzyme_dup, y, vy, enzyme_dup, dx, tdx, enzyme_dup, dy, tdy,
                    enzyme_const, w, enzyme_const, n, enzyme_const, m);
}
"""
    )
    second = enzyme.compile(text)
    expected = (gradient(x + 1e-6 * v) - gradient(x - 1e-6 * v)) / 2e-6
    over = np.zeros(n)
    second["h"](x, v, np.zeros(n), over, y.copy(), np.zeros(n), np.zeros(n), np.zeros(n), n, m)
    np.testing.assert_allclose(over, expected, rtol=1e-5)
    back = np.zeros(n)
    second["r"](x, back, y.copy(), *np.zeros((5, n)), v, n, m)
    np.testing.assert_allclose(back, expected, rtol=1e-5)


GROWING = """
#include <math.h>
double f(const double *x, long n, double least) {
  double y = x[0], z = x[1];
  long k = 0;
  do {
    double t = y * z;
    z -= 1e-6 * t * y;
    y *= 1 - 1e-6 * z;
  } while (++k < n && fabs(y * z) > least);
  return y * z;
}
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;
void g(const double *x, double *dx, long n, double least) {
  __enzyme_autodiff((void *)f, x, dx, enzyme_const, n, enzyme_const, least);
}
"""


@pytest.mark.thinned(2)
@linux
@pytest.mark.parametrize("stack_rooms", [True, False])
@pytest.mark.parametrize("count_tape", [True, False])
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_arrays_that_grow(level: int, count_tape: bool, stack_rooms: bool) -> None:
    def compiled(**more: bool) -> enzyme.Module:
        config = enzyme.Config(count_tape=count_tape, stack_rooms=stack_rooms, **more)
        return enzyme.compile(GROWING, opt_level=level, config=config)

    made = compiled()
    assert "@madvise" in made.ir("optimised")
    assert "@madvise" not in compiled(large_pages=False, kept_blocks=False).ir("optimised")
    for n in (1, 3, 100, 5000, 300_000, LARGE_GROWN // 4):
        x, found, v = np.array([1.5, 0.7]), np.zeros(2), np.array([0.3, -0.4])
        made["g"](x, found, n, 1e-9)
        plus, minus = (made["f"](x + s * v, n, 1e-9) for s in (1e-6, -1e-6))
        np.testing.assert_allclose(found @ v, (plus - minus) / 2e-6, rtol=1e-6)
