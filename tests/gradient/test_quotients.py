"""Quotients of powers of two are derived without another division."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme

SOURCE = """
TYPE __enzyme_autodiff(void *, TYPE, TYPE);
TYPE __enzyme_fwddiff(void *, TYPE, TYPE, TYPE, TYPE);
static TYPE f(TYPE x, TYPE w) { return w * ((TYPE)CONSTANT / x); }
void reverse(TYPE *x, TYPE *out) {
  extern int enzyme_const;
  extern TYPE __enzyme_autodiff_by_x(void *, TYPE, int, TYPE);
  *out = __enzyme_autodiff_by_x((void *)f, *x, enzyme_const, x[1]);
}
void forward(TYPE *x, TYPE *out) { *out = __enzyme_fwddiff((void *)f, *x, 1, x[1], 0); }
static TYPE slope(TYPE x, TYPE w) { return __enzyme_fwddiff((void *)f, x, 1, w, 0); }
void second(TYPE *x, TYPE *out) { *out = __enzyme_fwddiff((void *)slope, *x, 1, x[1], 0); }
"""


def program(constant: float, type: str = "double", **settings: bool) -> enzyme.Module:
    text = SOURCE.replace("TYPE", type).replace("CONSTANT", repr(constant))
    return enzyme.compile(text, config=enzyme.Config(**settings))  # type: ignore[arg-type]


def value(module: enzyme.Module, name: str, x: float, w: float, type: str = "double") -> float:
    out = np.zeros(1, dtype="f4" if type == "float" else "f8")
    module[name](np.array([x, w], dtype=out.dtype), out)
    return float(out[0])


@pytest.mark.parametrize("type", ["double", "float"])
@pytest.mark.parametrize("constant", [1.0, -1.0, 0.5, -8.0, 3.0, 0.0])
def test_values(constant: float, type: str) -> None:
    module, exact = program(constant, type), 1e-14 if type == "double" else 1e-6
    for x in (3.0, -0.7, 1e5):
        assert value(module, "reverse", x, 1.5, type) == pytest.approx(-1.5 * constant / x**2, rel=exact)
        assert value(module, "forward", x, 1.5, type) == pytest.approx(-1.5 * constant / x**2, rel=exact)
        assert value(module, "second", x, 1.5, type) == pytest.approx(3 * constant / x**3, rel=2 * exact)


@pytest.mark.parametrize("constant", [1.0, 0.5])
def test_ends_of_the_range(constant: float) -> None:
    module = program(constant)
    assert value(module, "reverse", 1e-200, 1e-300) == pytest.approx(-constant * 1e100, rel=1e-12)
    assert value(module, "reverse", 1e200, 1e300) == pytest.approx(-constant * 1e-100, rel=1e-12)
    assert value(module, "reverse", 0.0, 0.0) == 0.0, "a zero that comes in gives zero"
    assert value(module, "reverse", 0.0, 1.0) == -np.inf
    assert value(module, "reverse", np.inf, 1.0) == 0.0
    assert np.isnan(value(module, "reverse", np.nan, 1.0))


def divisions(module: enzyme.Module) -> int:
    (body,) = re.findall(r"(?ms)^define [^\n]*@reverse\(.*?^}", module.ir())
    return len(re.findall(r"\bfdiv\b", body))


def test_what_is_divided() -> None:
    assert divisions(program(0.5)) == 1, "the quotient itself"
    assert divisions(program(0.5, quotients=False)) == 2
    assert divisions(program(3.0)) == 2, "a third is no number"
