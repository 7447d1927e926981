"""Products of a number with itself are derived once."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme

PROGRAM = """
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static TYPE f(const TYPE *x, int n) { TYPE s = 0; LOOP return s; }
void reverse(TYPE *x, TYPE *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
#if SECOND
static void gradient(TYPE *x, TYPE *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
void second(TYPE *x, TYPE *v, TYPE *dx, TYPE *hv, int n) {
  __enzyme_fwddiff((void *)gradient, enzyme_dup, x, v, enzyme_dup, dx, hv, enzyme_const, n);
}
#endif
"""
EACH = "for (int i = 0; i < n; i++) "
LOOPS = {
    "added up": (EACH + "s += x[i] * x[i];", lambda x: 2 * x, lambda x: 2 + 0 * x),
    "subtracted": (EACH + "s -= x[i] * x[i] * 3;", lambda x: -6 * x, lambda x: -6 + 0 * x),
    "cubes": (EACH + "s += x[i] * x[i] * x[i];", lambda x: 3 * x**2, lambda x: 6 * x),
    "under a root": (
        EACH + "s += sqrt(x[i] * x[i] + 3);",
        lambda x: x / np.sqrt(x**2 + 3),
        lambda x: 3 / np.sqrt(x**2 + 3) ** 3,
    ),
    "fused": (EACH + "s += 1 / fma(x[i], x[i], 2);", lambda x: -2 * x / (x**2 + 2) ** 2, None),
    "of a square": (EACH + "{ TYPE y = x[i] * x[i]; s += y * y; }", lambda x: 4 * x**3, lambda x: 12 * x**2),
    "of two": (EACH + "{ TYPE y = x[i]; y = y * x[i] + 1; s += y; }", lambda x: 2 * x, lambda x: 2 + 0 * x),
}


@cache
def program(name: str, on: bool = True, type: str = "double", second: bool = True) -> enzyme.Module:
    text = PROGRAM.replace("LOOP", LOOPS[name][0]).replace("TYPE", type).replace("SECOND", str(int(second)))
    return enzyme.compile(text, config=enzyme.Config(squares=on))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("type", ["double", "float"])
@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("name", LOOPS)
def test_values(name: str, on: bool, type: str) -> None:
    module, (_, slope, curvature) = program(name, on, type), LOOPS[name]
    dtype, near = ("f8", 1e-13) if type == "double" else ("f4", 1e-5)
    for n in (0, 1, 5, 33):
        x, v = np.random.default_rng(n).normal(size=(2, n)).astype(dtype)
        dx = np.ones(n, dtype)
        module["reverse"](x, dx, n)
        np.testing.assert_allclose(dx, 1 + slope(x.astype("f8")), rtol=near, atol=10 * near)
        if curvature is not None:
            hv, dx = np.zeros((2, n), dtype)
            module["second"](x, v, dx, hv, n)
            np.testing.assert_allclose(hv, curvature(x.astype("f8")) * v, rtol=near, atol=10 * near)


def test_doubling_is_exact_and_does_not_overflow_early() -> None:
    module = program("added up")
    for value in (1e308, -8e307, 5e-324, 0.0, np.inf):
        dx = np.zeros(1)
        module["reverse"](np.array([value]), dx, 1)
        assert dx[0] == 2 * value


def products(module: enzyme.Module) -> int:
    return module.ir("differentiated").count(" fmul ")


@pytest.mark.parametrize("name", ["under a root", "fused", "of two"])
def test_one_product(name: str) -> None:
    assert products(program(name, second=False)) == products(program(name, False, second=False)) - 1
