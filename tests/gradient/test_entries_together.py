"""Arrays that grow as their loop runs: they hold side by side what an iteration keeps, and share a block in a nest."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme

BODIES = {
    "numbers": "double t = y * z; z -= 0.1 * t * y; y *= 1 - 0.05 * z * t;",
    "floats and numbers": "float t = (float)y * 0.5f; z -= 0.1 * t * t * y; y *= 1 - 0.05 * (double)t * z;",
    "decisions": "double t = y * z; if (t * t > 0.3) z -= 0.1 * t * y; else y += 0.01 * t * t; if (k % 3 == 1) y *= t;",
    "indices": "long i = (k * 7 + (long)(30 * y * y)) % 5; int j = (int)(30 * z * z) % 5;"
    "y += 0.1 * w[i] * z; z -= 0.05 * w[j] * y * y;",
    "pointers": "const double *p = w + (long)(30 * y * y) % 5; y += 0.1 * *p * z; z -= 0.05 * p[0] * y * y;",
    "memory written": "w[k % 5] = 0.3 * w[k % 5] * y + z; y += 0.05 * w[(k + 1) % 5] * w[k % 5];"
    "z *= 1 - 0.1 * y * w[k % 5];",
    "a loop inside": "double s = 0; for (long i = 0; i < 1 + k % 4; i++) { s += w[i] * w[i] * y; w[i] = 0.3 * s * z; }"
    "y = 0.9 * y + 0.1 * s; z -= 0.05 * y * s;",
    "a loop of unknown length inside": "double q = y; long i = 0;"
    "while (i < 5 && q * q > 0.01) { q = 0.5 * q * (1 + z); w[i] = 0.5 * w[i] + q * z; i++; } y += 0.1 * q * w[i / 2];",
    "loops that grow by turns": "double s = 0;"
    "for (long i = 0; i < k % 6; i++) { w[i % 5] = 0.5 * w[i % 5] * y; s += w[i % 5] * w[(i + 1) % 5]; }"
    "for (long i = 0; i < 40 - k % 37; i++) { double q = s * y; s = 0.3 * q * q + 0.1 * z; }"
    "while (s * s > 0.02 && s * s < 9) s = 0.5 * s * (1 - 0.1 * s * y); y += 0.1 * s * w[k % 5];",
    "nests that grow": "for (long i = 0; i < k % 5; i++) { double q = z; for (long j = 0; j <= i + k % 3; j++)"
    "{ q = 0.4 * q * q + 0.2 * w[j % 5]; if (q > y) q *= y; w[i] = 0.5 * w[i] * q; } y = 0.8 * y + 0.1 * q; }",
    "a call": "double r[2]; both(y, z, r); z -= 0.1 * r[0] * y; y *= 1 - 0.05 * r[1] * r[0];",
}
PROGRAM = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed;
static __attribute__((noinline)) void both(double y, double z, double *r) {
  r[0] = y * z + 0.1 * y * y, r[1] = sin(y) * z;
}
static ATTRIBUTE double f(const double *x, long n, double least) {
  double w[5] = {x[2], x[2] * x[3], 0.5 * x[4], x[3], x[4]}, y = x[0], z = x[1];
  long k = 0;
  do {
    BODY
    y = 0.3 + 0.6 * y / (0.5 + y * y), z = 0.3 + 0.7 * z / (0.6 + z * z);
  } while (++k < n && fabs(y * z) > least);
  return y * z + w[0] * w[4] + w[2];
}
static ATTRIBUTE double twice(const double *x, long n, double least) { return f(x, n, least) * f(x, n / 2 + 1, least); }
double value(const double *x, long n, double least) { return twice(x, n, least); }
void gradient(const double *x, double *dx, long n, double least) {
  __enzyme_autodiff((void *)twice, x, dx, enzyme_const, n, enzyme_const, least);
}
"""
SECOND = """
void forward(const double *x, const double *v, double *dx, double *hv, long n, double least) {
  __enzyme_fwddiff((void *)gradient, x, v, dx, hv, enzyme_const, n, enzyme_const, least);
}
static double along(const double *x, const double *v, double *dx, long n, double least) {
  double s = 0;
  gradient(x, dx, n, least);
  for (int i = 0; i < 5; i++) s += dx[i] * v[i];
  return s;
}
void reverse(const double *x, double *hv, const double *v, double *dx, double *room, long n, double least) {
  __enzyme_autodiff((void *)along, enzyme_dup, x, hv, enzyme_const, v, enzyme_dup, dx, room, enzyme_const, n,
                    enzyme_const, least);
}
"""
X, V = np.array([0.9, 0.7, 0.4, 0.8, 0.6]), np.array([0.3, -0.2, 0.5, 0.1, -0.4])
LENGTHS = (1, 2, 3, 63, 64, 65, 300, 5000)
LEAST = 1e-300


@cache
def program(name: str, level: int = 2, called: bool = False, more: str = "", **settings: bool) -> enzyme.Module:
    """``called``: the function that has the loop is not inlined, so that its derivative is made in two halves."""
    text = (PROGRAM + more).replace("BODY", BODIES[name])
    text = text.replace("ATTRIBUTE", "__attribute__((noinline))" if called else "")
    return enzyme.compile(text, opt_level=level, config=enzyme.Config(**settings))  # type: ignore[arg-type]


def gradient(made: enzyme.Module, x: np.ndarray, n: int) -> np.ndarray:
    found = np.zeros(5)
    made["gradient"](x, found, n, LEAST)
    return found


@pytest.mark.thinned(6)
@pytest.mark.parametrize(("level", "called"), [(0, False), (1, False), (2, False), (2, True), (3, False)])
@pytest.mark.parametrize("name", BODIES)
def test_first_derivatives(name: str, level: int, called: bool) -> None:
    made = program(name, level, called)
    for n in (1, 2, 3):
        plus, minus = (made["value"](X + s * V, n, LEAST) for s in (1e-6, -1e-6))
        tolerance = 1e-3 if "floats" in name else 1e-6
        difference = (plus - minus) / 2e-6
        np.testing.assert_allclose(gradient(made, X, n) @ V, difference, rtol=tolerance, atol=tolerance)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_against_arrays_of_their_own(name: str, called: bool) -> None:
    made, apart = program(name, 2, called), program(name, 2, called, entries_together=False, one_block=False)
    others = [program(name, 2, called, **{each: False}) for each in ("stack_rooms", "one_block")]
    for n in LENGTHS:
        expected = gradient(apart, X, n)
        for each in (made, *others):
            np.testing.assert_allclose(gradient(each, X, n), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["numbers", "a loop inside", "loops that grow by turns", "nests that grow"])
def test_what_is_counted(name: str) -> None:
    """As many bytes as with arrays of their own, but for what lies between the arrays of a block."""
    more = """
    extern long enzyme_tape_now, enzyme_tape_peak;
    long now(void) { return enzyme_tape_now; }
    long most(void) { return enzyme_tape_peak; }
    """
    peaks = []
    for together in (True, False):
        made = program(name, 2, more=more, count_tape=True, entries_together=together, one_block=together)
        gradient(made, X, 5000)
        assert made["now"]() == 0
        peaks.append(made["most"]())
    assert peaks[0] < 1.02 * peaks[1]


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", BODIES)
def test_second_derivatives(name: str) -> None:
    made = program(name, more=SECOND)
    for n in (1, 3, 70):
        over, back = np.zeros((2, 5))
        made["forward"](X, V, np.zeros(5), over, n, LEAST)
        made["reverse"](X, back, V, np.zeros(5), np.zeros(5), n, LEAST)
        np.testing.assert_allclose(over, back, rtol=1e-6 if "floats" in name else 1e-9, atol=1e-14)
        if n <= 3 and "floats" not in name:
            expected = (gradient(made, X + 1e-6 * V, n) - gradient(made, X - 1e-6 * V, n)) / 2e-6
            np.testing.assert_allclose(over, expected, rtol=1e-5, atol=1e-7)


def test_how_many_arrays() -> None:
    def reallocations(name: str, **settings: bool) -> int:
        text = program(name, 2, stack_rooms=False, **settings).ir("differentiated")
        return text.split("define internal void @enzyme.rt.", 1)[1].count("@realloc(ptr %")

    apart = reallocations("indices", entries_together=False, one_block=False)
    assert apart > reallocations("indices", one_block=False) == 1
    assert reallocations("a loop inside", one_block=False) > reallocations("a loop inside") == 1
