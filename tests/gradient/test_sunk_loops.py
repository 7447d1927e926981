"""Which reversed loops are run inside of loops that stand in them, and that gradients are right with and without."""

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
static void f(const double *restrict h, const double *restrict x, double *restrict y, int n, int taps) {
  BODY
}
void reverse(double *h, double *dh, double *x, double *dx, double *y, double *dy, int n, int taps) {
  __enzyme_autodiff((void *)f, h, dh, x, dx, y, dy, enzyme_const, n, enzyme_const, taps);
}
void forward(double *h, double *dh, double *x, double *dx, double *y, double *dy, int n, int taps) {
  __enzyme_fwddiff((void *)f, h, dh, x, dx, y, dy, enzyme_const, n, enzyme_const, taps);
}
"""
EACH = "for (int i = 0; i + 12 <= n; i++)"
INNER = "for (int t = 0; t < taps; t++)"
SUNK = {
    "as many taps as the caller says": f"{EACH} {{ double s = 0; {INNER} s += h[t] * x[i + t]; y[i] = s; }}",
    "five": f"{EACH} {{ double s = 1; for (int t = 0; t < 5; t++) s -= h[t] * x[i + t]; y[i] = s * s; }}",
    "back": f"for (int i = n - 12; i >= 0; i--) {{ double s = 0; {INNER} s += h[t] * x[i + t]; y[i] = s; }}",
    "the other way": f"{EACH} {{ double s = 0; {INNER} s += h[t] * x[n - 1L - i - t]; y[i] = s; }}",
    "rows of a matrix": f"{EACH} {{ double s = 0; for (int c = 0; c < 2; c++) {INNER} "
    "s += h[c * taps + t] * x[n * c + i + t]; y[i] += s; }",
    "two loops, and a bias": f"{EACH} {{ double s = h[0]; {INNER} s += h[t] * x[i + t]; "
    f"{INNER} s += h[t] * h[t] * x[i + 2 + t] * x[i + 2 + t]; y[i] = s; }}",
    "handed on": f"double a = 0; {EACH} {{ double s = 0; {INNER} s += h[t] * x[i + t]; a = 0.5 * a + s; y[i] = a; }}",
}
NOT = {
    "every other": "for (int i = 0; 2 * i + 12 <= n; i++) "
    f"{{ double s = 0; {INNER} s += h[t] * x[2 * i + t]; y[i] = s; }}",
    "both ways": f"{EACH} {{ double s = 0; {INNER} s += h[t] * x[i + t] * x[n - 1 - i - t]; y[i] = s; }}",
    "as many rounds as there are": f"{EACH} {{ double s = 0; for (int t = 0; t < taps && t <= i; t++) "
    "s += h[t] * x[i - t]; y[i] = s; }",
    "some of them": f"{EACH} {{ double s = 0; if (i % 3) {INNER} s += h[t] * x[i + t]; y[i] = s; }}",
    "calls": f"{EACH} {{ double s = 0; {INNER} s += sin(h[t] * x[i + t]); y[i] = s; }}",
    "choices": f"{EACH} {{ double s = 0; {INNER} if (x[i + t] > 0) s += sqrt(h[t] * h[t] + x[i + t]); y[i] = s; }}",
    "many": f"{EACH} {{ double s = 0; for (int t = 0; t < 64; t++) s += h[t % 12] * x[t]; y[i] = s; }}",
    "few": f"for (int i = 0; i < 10; i++) {{ double s = 0; {INNER} s += h[t] * x[i + t]; y[i] = s; }}",
}
BODIES = {**SUNK, **NOT}


@cache
def program(body: str, sunk: bool) -> enzyme.Module:
    return enzyme.compile(PROGRAM.replace("BODY", body), config=enzyme.Config(sunk_loops=sunk))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", BODIES)
def test_which(name: str) -> None:
    assert ("sunk." in program(BODIES[name], True).ir("optimised")) == (name in SUNK)
    assert "sunk." not in program(BODIES[name], False).ir("optimised")


@pytest.mark.parametrize("sunk", [True, False])
@pytest.mark.parametrize("name", BODIES)
def test_reverse_against_forward(name: str, sunk: bool) -> None:
    made = program(BODIES[name], sunk)
    rng = np.random.default_rng(3)
    for n, taps in ((12, 5), (23, 5), (24, 5), (267, 4), (268, 4), (280, 10), (600, 1), (300, 0), (11, 3)):
        h, dh = rng.uniform(0.2, 1.2, (2, 64))
        x, dx = rng.uniform(0.2, 1.2, (2, 2 * n + 64))
        y, dy, seed = rng.standard_normal((3, n + 12))
        tangent = dy.copy()
        made["forward"](h, dh, x, dx, y.copy(), tangent, n, taps)
        of_h, of_x, of_y = np.zeros_like(h), np.zeros_like(x), seed.copy()
        made["reverse"](h, of_h, x, of_x, y.copy(), of_y, n, taps)
        left = of_h @ dh + of_x @ dx + of_y @ dy
        np.testing.assert_allclose(left, seed @ tangent, rtol=1e-10, err_msg=f"{n}, {taps}")


def test_without_reordering() -> None:
    body = SUNK["five"]
    made = enzyme.compile(PROGRAM.replace("BODY", body), config=enzyme.Config(reassociate=False))
    assert "sunk." not in made.ir("optimised")


RECURRENCE = """
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;
static void f(const double *restrict h, double *y, int n, int taps, int ahead) {
  for (int i = 0; i + taps + ahead <= n; i++) {
    double s = 0;
    for (int t = 0; t < taps; t++) s += h[t] * y[i + t];
    y[i + ahead] = s;
  }
}
void reverse(double *h, double *dh, double *y, double *dy, int n, int taps, int ahead) {
  __enzyme_autodiff((void *)f, h, dh, y, dy, enzyme_const, n, enzyme_const, taps, enzyme_const, ahead);
}
void of_signal(double *h, double *y, double *dy, int n, int taps, int ahead) {
  __enzyme_autodiff((void *)f, enzyme_const, h, y, dy, enzyme_const, n, enzyme_const, taps, enzyme_const, ahead);
}
"""


def recurrence(h: np.ndarray, y: np.ndarray, taps: int, ahead: int) -> np.ndarray:
    y = y.copy()
    for i in range(len(y) - taps - ahead + 1):
        y[i + ahead] = h[:taps] @ y[i : i + taps]
    return y


@pytest.mark.thinned(2)
@pytest.mark.parametrize("ahead", [0, 1, 4, 5, 30, 200])
def test_what_is_written_is_read_again(ahead: int) -> None:
    """Without the taps' own gradient no number is kept, and addresses decide when it runs (200: all are apart)."""
    made = enzyme.compile(RECURRENCE)
    assert "sunk." in made.ir("optimised")
    rng = np.random.default_rng(4)
    n, taps = 320, 5
    h, y, seed = rng.uniform(-0.3, 0.3, taps), rng.standard_normal(n), rng.standard_normal(n)
    of_h, of_y = np.zeros(taps), seed.copy()
    made["reverse"](h, of_h, y.copy(), of_y, n, taps, ahead)
    dh, dy = rng.standard_normal(taps), rng.standard_normal(n)
    step = 1e-6
    ends = [recurrence(h + s * dh, y + s * dy, taps, ahead) for s in (step, -step)]
    np.testing.assert_allclose(of_h @ dh + of_y @ dy, seed @ (ends[0] - ends[1]) / (2 * step), rtol=1e-6)
    again = seed.copy()
    made["of_signal"](h, y.copy(), again, n, taps, ahead)
    np.testing.assert_allclose(again, of_y, rtol=1e-12, atol=1e-14)
