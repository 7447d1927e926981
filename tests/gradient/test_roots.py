"""Products of a square root and what it is the root of are derived without the root's partial."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import enzyme

PROGRAM = """
extern double sqrt(double);
extern float sqrtf(float);
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
static TYPE f(const TYPE *x) { TYPE s = x[0] * x[1], r = ROOT(s); return VALUE; }
void reverse(TYPE *x, TYPE *dx) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }
static void gradient(TYPE *x, TYPE *dx) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }
void second(TYPE *x, TYPE *v, TYPE *dx, TYPE *hv) {
  __enzyme_fwddiff((void *)gradient, enzyme_dup, x, v, enzyme_dup, dx, hv);
}
"""
POWERS = {
    "s * r": 1.5, "r * s": 1.5, "r * r": 1.0, "r * r * r": 1.5, "r * (r * r)": 1.5, "(r * r) * (r * r)": 2.0,
    "1 / (s * r)": -1.5, "2 * (r * s) * (s * r) / 2": 3.0, "r * r * r * r * r": 2.5, "s * r * r": 2.0,
}  # fmt: skip
"""Values, and what power of ``s`` they are."""


@cache
def program(value: str, on: bool = True, type: str = "double") -> enzyme.Module:
    text = PROGRAM.replace("TYPE", type).replace("VALUE", value)
    text = text.replace("ROOT", "sqrt" if type == "double" else "sqrtf")
    return enzyme.compile(text, config=enzyme.Config(roots=on))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("type", ["double", "float"])
@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("value", POWERS)
def test_values(value: str, on: bool, type: str) -> None:
    module, power = program(value, on, type), POWERS[value]
    dtype, near = ("f8", 1e-13) if type == "double" else ("f4", 3e-5)
    for a, b in ((1.5, 0.4), (2e-3, 7.0), (300.0, 11.0)):
        x, dx = np.array([a, b], dtype), np.zeros(2, dtype)
        module["reverse"](x, dx)
        slope = power * (a * b) ** (power - 1)
        np.testing.assert_allclose(dx, [slope * b, slope * a], rtol=near)
        v, hv, dx = np.array([1.0, 0.0], dtype), np.zeros(2, dtype), np.zeros(2, dtype)
        module["second"](x, v, dx, hv)
        curved = power * (power - 1) * (a * b) ** (power - 2)
        np.testing.assert_allclose(hv, [curved * b * b, curved * a * b + slope], rtol=near, atol=near * abs(slope))


def divisions(value: str, on: bool) -> int:
    (piece,) = re.findall(r"(?ms)^define [^\n]*@reverse\(.*?^}", program(value, on).ir())
    return len(re.findall(r"\bfdiv\b", piece))


@pytest.mark.parametrize(
    ("value", "fewer"),
    [
        ("s * r", True),
        ("r * r * r", True),
        ("r * s * x[0]", True),
        ("s * (r + 1)", False),
        ("r * x[0]", False),
        ("s * r + r", False),  # the root is undone for the sum
    ],
)
def test_where_a_division_is_saved(value: str, fewer: bool) -> None:
    assert (divisions(value, True) < divisions(value, False)) == fewer


def test_nothing_is_divided_where_the_product_is_smooth() -> None:
    """At zero, a root has an infinite partial, and the product has none."""
    for value in ("s * r", "r * r", "r * r * r"):
        dx = np.zeros(2)
        program(value)["reverse"](np.array([0.0, 3.0]), dx)
        np.testing.assert_array_equal(dx, [3.0 if value == "r * r" else 0.0, 0.0])


def test_the_ends_of_the_range() -> None:
    for s in (1e-200, 1e200):
        dx = np.zeros(2)
        program("s * r")["reverse"](np.array([s, 1.0]), dx)
        assert dx[0] == pytest.approx(1.5 * np.sqrt(s), rel=1e-15)
