"""Which reversed loops make their sums in strips, and that what they compute is right either way."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme
from enzyme.gradient.strip_loops import LEAST, NEAREST
from enzyme.gradient.strips import STRIP, in_strips

PROGRAM = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(PARAMETERS, const int *p, int n) {
  double s = 0.3, a = x[0];
  LOOP
  return s;
}
void reverse(double *x, double *dx, double *y, double *dy, int *p, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, p, enzyme_const, n);
}
double forward(double *x, double *dx, double *y, double *dy, int *p, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, p, enzyme_const, n);
}
"""
APART = "const double *restrict x, double *restrict y"
UNKNOWN = "double *x, double *y"
RING = "for (int i = 0; i < n; i++) { int l = i == 0 ? n - 1 : i - 1, r = i == n - 1 ? 0 : i + 1; "
INSIDE = "for (int i = 1; i < n - 1; i++) "
STRIPS = {
    "a ring": RING + "y[i] = x[l] * x[r] - x[i]; }",
    "a ring and a sum": RING + "y[i] = x[l] * x[r] - a * x[i]; s += y[i] * y[i]; }",
    "rows": "int m = n / 3; for (int i = 1; i < m - 1; i++) y[i] = x[i - 1] * x[i + 1] * x[m + i] - x[2 * m + i];",
    "downwards": "for (int i = n - 2; i > 0; i--) y[i] = x[i - 1] * x[i + 1] + x[n - 1 - i];",
    "a comparison in the middle": INSIDE + "y[i] = x[i == p[0] + 40 ? 0 : i - 1] * x[i] + x[n - 1 - i];",
    "a number from memory at the end": "for (int i = 0; i < n; i++) { int q = p[i] & 7, l = i == 0 ? q : i - 1; "
    "y[i] = x[l] * x[i] * (1 + q); }",
    "far and near": "for (int i = 16; i < n - 17; i++) y[i] = x[i - 16] * x[i + 17] + x[i - 1] * x[i + 16] * x[i];",
    "two neighbours at the ends": "if (n < 4) return a; for (int i = 0; i < n; i++) { "
    "int l = i == 0 ? n - 2 : i == 1 ? n - 1 : i - 2, r = i == n - 2 ? 0 : i == n - 1 ? 1 : i + 2; "
    "y[i] = x[l] * 0.4 + x[r] * x[i] - a * x[i == 0 ? n - 1 : i - 1]; }",
    "elsewhere": "if (n < 4) return a; for (int i = 0; i < n - 9; i++) { int l = i == 0 ? n - 1 : i - 1; "
    "y[i] = x[l] + x[i] * x[i] + x[i + 1]; }",
    "a ring downwards": "for (int i = n - 1; i >= 0; i--) { int l = i == 0 ? n - 1 : i - 1; "
    "y[i] = x[l] * a + sqrt(1 + x[l] * x[l]) - x[i == n - 1 ? 0 : i + 1]; s += y[i] * x[i]; }",
    "one side only": "if (n < 4) return a; for (int i = 0; i < n - 3; i++) { int r = i == 0 ? n - 1 : i + 2; "
    "y[i] = x[r] * 0.3 + x[i] * a; }",
}
WHOLE = {
    name: name not in ("a comparison in the middle", "a number from memory at the end", "one side only")
    for name in STRIPS
}
"""Where strips have all iterations: comparisons hold at the ends, and where they do, what is added has an end, too."""
NOT = {
    "one element": "for (int i = 0; i < n; i++) y[i] = x[i] * x[i];",
    "every second": "for (int i = 0; i < n / 2 - 1; i++) y[i] = x[2 * i] * x[2 * i + 2];",
    "places from memory": "for (int i = 0; i < n; i++) y[i] = x[p[i]] * x[i];",
    "a chain": INSIDE + "y[i] = 0.1 * y[i - 1] * x[i] + x[i - 1] * x[i + 1];",
    "a known few": "for (int i = 1; i < 12; i++) y[i] = x[i - 1] * x[i + 1];",
    "decisions": INSIDE + "if (x[i] > 0) y[i] = x[i - 1] * x[i + 1];",
}
LOOPS = {**STRIPS, **NOT}


@cache
def program(loop: str, parameters: str = UNKNOWN, pipeline: str = "post", **settings: bool) -> enzyme.Module:
    text = PROGRAM.replace("LOOP", loop).replace("PARAMETERS", parameters)
    return enzyme.compile(text, pipeline=pipeline, config=enzyme.Config(**settings))  # type: ignore[arg-type]


def has_strips(module: enzyme.Module) -> bool:
    return "strips." in module.ir("optimised")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", LOOPS)
def test_which(name: str) -> None:
    assert has_strips(program(LOOPS[name])) == (name in STRIPS)


@pytest.mark.parametrize("name", STRIPS)
def test_which_have_all_iterations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def spy(text: str) -> str | None:
        made.append(in_strips(text) or "")
        return made[-1] or None

    monkeypatch.setattr("enzyme.gradient.strips.in_strips", spy)
    program.__wrapped__(STRIPS[name]).ir("optimised")
    assert ("strips.single" in made[-1], "strips.behind" in made[-1]) == (WHOLE[name], True)


@pytest.mark.parametrize("off", ["strips", "reassociate"])
def test_off(off: str) -> None:
    assert not has_strips(program(STRIPS["a ring"], **{off: False}))


def test_registers_where_it_is_known_what_is_apart() -> None:
    inside = "double u[999]; for (int i = 0; i < n; i++) u[i] = x[i] * x[i]; " + INSIDE + "s += u[i - 1] * u[i + 1];"
    assert not has_strips(program(inside))
    assert has_strips(program(inside, windows=False))


LENGTHS = (1, 2, 3, *range(LEAST, LEAST + 8), 20, 31, 64, *range(STRIP - 1, STRIP + 4), 2 * STRIP, 2 * STRIP + NEAREST)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("parameters", [APART, UNKNOWN], ids=["apart", "unknown"])
@pytest.mark.parametrize("name", LOOPS)
def test_values(name: str, parameters: str, pipeline: str) -> None:
    """Against forward mode: seeds times (Jacobian times tangents), taken from both sides."""
    made = program(LOOPS[name], parameters, pipeline)
    for n in LENGTHS:
        random = np.random.default_rng(n)
        x, y, dx, dy, seed = random.standard_normal((5, max(n, 20) + 2 * NEAREST))
        p = random.permutation(n).astype(np.int32)
        tangent = dy.copy()
        of_result = made["forward"](x.copy(), dx, y.copy(), tangent, p, n)
        back, seeded = np.zeros_like(x), seed.copy()
        made["reverse"](x.copy(), back, y.copy(), seeded, p, n)
        np.testing.assert_allclose(back @ dx + seeded @ dy, of_result + seed @ tangent, rtol=1e-9, atol=1e-11)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", STRIPS)
def test_arrays_that_overlap(name: str) -> None:
    """Written over what is read, from the same place on and from others: against the same without strips."""
    made, plain = (program(STRIPS[name], UNKNOWN, strips=on) for on in (True, False))
    n = STRIP + 50
    for begin in (0, 1, 7, 40, n - 3):
        random = np.random.default_rng(begin)
        x, shadow = random.standard_normal((2, 3 * n))
        p = np.zeros(n, np.int32)
        found = []
        for module in (made, plain):
            values, back = 0.5 * x, shadow.copy()
            module["reverse"](values, back, values[begin:], back[begin:], p, n)
            found.append(back)
        np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-11)


def test_one_shadow_for_two_arrays() -> None:
    """Both derivatives go there, wherever they meet."""
    made = program(INSIDE + "s += x[i - 1] * y[i + 1] + x[i + 1] * x[i];", "const double *x, const double *y")
    n = STRIP + 50
    x = np.random.default_rng(1).standard_normal(n)
    shadow, dx, dy, p = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, np.int32)
    made["reverse"](x, shadow, x, shadow, p, n)
    made["reverse"](x, dx, x.copy(), dy, p, n)
    np.testing.assert_allclose(shadow, dx + dy, rtol=1e-11, atol=1e-12)
