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


SPREAD = """
typedef double v4 __attribute__((vector_size(32), aligned(8)));
void __enzyme_autodiff(void *, const double *, double *, const v4 *, v4 *, int);
extern int enzyme_const;
static double spread(const double *x, const v4 *v, int n) {
  v4 s = {0};
  for (int i = 0; i < n; i++) s += x[i] * v[i] * v[i];
  return s[0] + 2 * s[1] + 3 * s[2] - s[3];
}
void ask(const double *x, double *dx, const v4 *v, v4 *dv, int n) {
  __enzyme_autodiff((void *)spread, x, dx, v, dv, n);
}
"""


@pytest.mark.parametrize("reassociate", [True, False])
def test_numbers_spread_over_vectors(reassociate: bool) -> None:
    module = enzyme.compile(SPREAD, config=enzyme.Config(reassociate=reassociate))
    assert ("llvm.vector.reduce.fadd" in module.ir("differentiated")) == reassociate
    x, v, weights = np.arange(5.0) - 1.5, np.cos(np.arange(20.0)), np.array([1.0, 2, 3, -1])
    shadows = np.zeros_like(x), np.zeros_like(v)
    module["ask"](x, shadows[0], v, shadows[1], 5)
    rows = v.reshape(5, 4)
    np.testing.assert_allclose(shadows[0], rows**2 @ weights, rtol=1e-14)
    np.testing.assert_allclose(shadows[1], (2 * x[:, None] * rows * weights).ravel(), rtol=1e-14)
