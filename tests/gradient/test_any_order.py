"""In which loops LLVM may choose the order of the derivative's own sums."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme

PAIRS = """
void __enzyme_autodiff(void *, const double *, double *, int);
static double pairs(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = START; j < n; j++) s += TERM;
  return s;
}
void ask(const double *x, double *dx, int n) { __enzyme_autodiff((void *)pairs, x, dx, n); }
"""
QUOTIENT = "1.5 / (1 + (x[i] - x[j]) * (x[i] - x[j]))"


def program(term: str, start: str, **settings: bool) -> enzyme.Module:
    text = PAIRS.replace("START", start).replace("TERM", term)
    return enzyme.compile(text, config=enzyme.Config(**settings))  # type: ignore[arg-type]


def any_order(module: enzyme.Module) -> bool:
    return re.search(r"fadd [^\n]*\breassoc\b", module.ir("differentiated")) is not None


@pytest.mark.parametrize(
    ("term", "start", "expected"),
    [("x[i] * x[j]", "0", True), ("x[i] * x[j]", "i + 1", False), (QUOTIENT, "i + 1", True)],
    ids=["rectangle", "triangle", "triangle that divides"],
)
def test_where(term: str, start: str, expected: bool) -> None:
    assert any_order(program(term, start)) == expected
    assert not any_order(program(term, start, reassociate=False))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 33])
def test_values(n: int) -> None:
    x = np.sin(np.arange(n) * 1.3)
    apart = x[:, None] - x[None, :]
    expected = (-3.0 * apart / (1 + apart**2) ** 2).sum(axis=1)
    made = np.zeros(n)
    program(QUOTIENT, "i + 1")["ask"](x, made, n)
    np.testing.assert_allclose(made, expected, rtol=1e-12, atol=1e-13)
