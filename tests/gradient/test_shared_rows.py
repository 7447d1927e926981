"""Rows of two nests go through both together where they may, and nowhere else."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme
from enzyme import Config

_COPY = "rows.copy"
DESCENT = """
#include <stdlib.h>
double f(const double *restrict x, int n, int m, int steps) {
    const double *restrict a = x + m;
    double *v = malloc(sizeof(double) * m), *r = malloc(sizeof(double) * n), s = 0;
    for (int j = 0; j < m; j++) v[j] = x[j];
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < m; j++) sum += a[i * m + j] * v[j];
            r[i] = sum - 0.1 * i;
        }
        BETWEEN
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) v[j] -= 0.01 * r[i] * a[i * m + j];
    }
    for (int j = 0; j < m; j++) s += v[j] * v[j];
    free(v), free(r);
    return s;
}
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;
void slope(const double *x, double *dx, int n, int m, int steps) {
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, n, m, steps);
}
double along(const double *x, const double *v, int n, int m, int steps) {
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, n, m, steps);
}
"""


@cache
def _module(change: tuple[str, str] = ("", ""), between: str = "", **options: bool) -> enzyme.Module:
    return enzyme.compile(DESCENT.replace(*change).replace("BETWEEN", between), config=Config(**options))


@pytest.mark.parametrize(
    ("n", "m"),
    [(0, 12), (1, 12), (3, 12), (4, 11), (4, 12), (5, 13), (11, 14), (12, 3), (16, 16), (30, 27), (9, 1024), (9, 1025)],
)
def test_descent(n: int, m: int) -> None:
    """The copy is large enough for rows of 1024; groups of four rows, and one, two or three that are left."""
    rng = np.random.default_rng(n + m)
    x, v = (rng.uniform(-1, 1, m * (n + 1)) / np.sqrt(m) for _ in range(2))
    found = []
    for on in (True, False):
        module = _module(shared_rows=on)
        assert (_COPY in module.ir()) == on
        dx = np.zeros_like(x)
        module["slope"](x, dx, n, m, 3)
        found.append(dx)
        assert dx @ v == pytest.approx(module["along"](x, v, n, m, 3), rel=1e-11)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize("off", ["rows_beside", "reassociate", "shared_rows"])
def test_needs(off: str) -> None:
    assert _COPY not in _module(**{off: False}).ir()


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "change",
    [
        ("v[j] -= 0.01 * r[i] *", "v[j] -= 0.01 * r[n - 1 - i] *"),  # rows that the other nest has not come to
        ("v[j] -= 0.01 * r[i] *", "v[j] -= 0.01 * r[i ? i - 1 : 0] *"),
        ("j < m; j++) v[j] -=", "j < i; j++) v[j] -="),  # rows of other lengths
        ("v[j] -= 0.01 * r[i] * a[i * m + j]", "v[j] -= 0.01 * r[i] * a[j * n + i]"),
    ],
)
def test_nests_that_stay_apart(change: tuple[str, str]) -> None:
    assert change[0] in DESCENT
    assert _COPY not in _module(change).ir()


SUMS = """
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup;
static void f(const double *restrict a, const double *restrict x, double *restrict v, double *restrict r, int n,
              int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) v[j] += x[i] * a[i * m + j];
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < m; j++) s += a[i * m + j];
        r[i] = s;
    }
}
void slope(double *a, double *da, double *x, double *dx, double *v, double *dv, double *r, double *dr, int n, int m) {
    __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, v, dv, enzyme_dup, r, dr, n, m);
}
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("n", "m"), [(3, 19), (10, 19), (11, 12), (12, 32)])
def test_amounts_that_are_the_same_along_a_row(n: int, m: int) -> None:
    """What the first nest adds is not computed in its body: the second one takes it from in front of that."""
    module = enzyme.compile(SUMS)
    assert "rows.entry" in module.ir()
    rng = np.random.default_rng(n)
    a, x, v, r = (rng.standard_normal(shape) for shape in ((n, m), n, m, n))
    of_a, of_x, of_v, of_r = np.zeros((n, m)), np.zeros(n), rng.standard_normal(m), rng.standard_normal(n)
    first = of_v.copy(), of_r.copy()
    module["slope"](a, of_a, x, of_x, v, of_v, r, of_r, n, m)
    np.testing.assert_allclose(of_a, np.outer(x, first[0]) + first[1][:, None], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(of_x, a @ first[0], rtol=1e-12, atol=1e-13)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "between",
    [
        "s = 0; for (int i = 0; i < n; i++) s += r[i];",  # other loops
        "r[0] += v[0];",
        "r[n / 2] *= v[m / 2];",
    ],
)
def test_what_stands_between(between: str) -> None:
    """Right, whether they are taken together or not."""
    n, m = 9, 17
    rng = np.random.default_rng(1)
    x, v = (rng.uniform(-1, 1, m * (n + 1)) / np.sqrt(m) for _ in range(2))
    module = _module(between=between)
    dx = np.zeros_like(x)
    module["slope"](x, dx, n, m, 4)
    assert dx @ v == pytest.approx(module["along"](x, v, n, m, 4), rel=1e-11)
