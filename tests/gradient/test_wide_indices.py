"""Indices of 32 bits that might wrap are made in 64 bits where the running program finds that they do not."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme
from enzyme import Config

_HEAD = """
#include <math.h>
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
"""
_CALL = """
void gradient(double *x, double *dx, double *y, double *dy, int n, int m) {
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n, enzyme_const, m);
}
double value(double *x, double *y, int n, int m) { return f(x, y, n, m); }
"""
_ROWS = "for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) { double a = 0; "
_NEAR = "for (int p = -1; p <= 1; p++) for (int q = -1; q <= 1; q++) "
WIDE = {
    "a kernel": _ROWS + _NEAR + "a += y[(p + 1) * 3 + q + 1] * x[(i + p) * m + (j + q)]; s += exp(a); }",
    "upwards": "for (int i = n - 2; i > 0; i--) for (int j = m - 2; j > 0; j--) { double a = 0; "
    + _NEAR
    + "a += y[(p + 1) * 3 + q + 1] * x[(i + p) * m + (j + q)]; s += exp(a); }",
    "without a sign": "for (unsigned i = 0; i + 2 < n; i++) for (unsigned j = 0; j + 2 < m; j++) { double a = 0;"
    " for (unsigned p = 0; p < 3; p++) for (unsigned q = 0; q < 3; q++)"
    " a += y[p * 3 + q] * x[(i + p) * m + (j + q)]; s += exp(a); }",
}
AS_IT_IS = {
    "64 bits": _ROWS.replace("int", "long") + _NEAR + "a += y[(p + 1) * 3 + q + 1] * x[(i + p) * (long)m + (j + q)];"
    " s += exp(a); }",
    "no rows": "for (int i = 0; i < n; i++) s += x[i] * y[i];",
    "a table": "const int *at = (const int *)y; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
    " for (int p = 0; p < 3; p++) s += x[(unsigned)(at[i] + p) * (unsigned)m + (unsigned)j];",
}


def _f(body: str) -> str:
    return f"static double f(double *x, double *y, int n, int m) {{ double s = 0; {body} return s; }}"


def _compiled(body: str, **settings: object) -> enzyme.Module:
    return enzyme.compile(_HEAD + _f(body) + _CALL, opt_level=2, config=Config(**settings))  # type: ignore[arg-type]


def _is_wide(module: enzyme.Module) -> bool:
    return re.search(r"^version[.0-9]*:", module.ir("differentiated"), re.MULTILINE) is not None


@pytest.mark.parametrize("name", WIDE)
def test_another_version(name: str) -> None:
    assert _is_wide(_compiled(WIDE[name], edges_apart=False))
    assert not _is_wide(_compiled(WIDE[name], edges_apart=False, wide_indices=False))


@pytest.mark.parametrize("name", AS_IT_IS)
def test_as_it_is(name: str) -> None:
    assert not _is_wide(_compiled(AS_IT_IS[name], edges_apart=False))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", WIDE)
def test_same_numbers(name: str) -> None:
    with_them, without = _compiled(WIDE[name]), _compiled(WIDE[name], wide_indices=False)
    for n, m in ((1, 1), (3, 3), (2, 40), (40, 2), (12, 17)):
        random = np.random.default_rng(n)
        x, y = random.uniform(-0.3, 0.3, n * m), random.uniform(-0.3, 0.3, 9)
        results = []
        for module in (with_them, without):
            dx, dy = np.zeros_like(x), np.zeros_like(y)
            module["gradient"](x, dx, y, dy, n, m)
            results.append([dx, dy, np.array([module["value"](x, y, n, m)])])
        for one, other in zip(*results, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)


def test_arrays_are_asked_about_where_rows_can_be_told() -> None:
    """What the nest asks is asked in front of the function as well, and then it is known what is touched where."""
    body = WIDE["a kernel"].replace("s += exp(a);", "y[9 + i * m + j] = a; s += a * a;")
    assert "f.apart" in _compiled(body).ir("differentiated")
    assert "f.apart" not in _compiled(body, wide_indices=False).ir("differentiated")
