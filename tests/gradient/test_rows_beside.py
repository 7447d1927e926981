"""Rows that add up in order run beside each other where they may, and nowhere else."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme
from enzyme import Config

_ROWS = "\nrows.body"
_BARRIER = "@llvm.arithmetic.fence."
_VECTORS = re.compile(r"phi <4 x double>.*rows\.")
_SLOPE = """
void __enzyme_autodiff(void *, ...);
void slope(const double *x, double *dx, int n, int m) { __enzyme_autodiff((void *)f, x, dx, n, m); }
"""
_HEAD = "#include <math.h>\n#include <stdlib.h>\n"
PRODUCT = """
double f(const double *restrict x, int n, int m) {
    double *y = malloc(sizeof(double) * n), s = 0;
    for (int i = 0; i < n; i++) {
        double r = 0;
        for (int j = 0; j < m; j++) r += x[m + i * m + j] * x[j];
        y[i] = BEHIND;
    }
    for (int i = 0; i < n; i++) s += y[i] * y[i];
    free(y);
    return s;
}
"""


_TANGENT = """
double __enzyme_fwddiff(void *, ...);
double along(const double *x, const double *v, int n, int m) { return __enzyme_fwddiff((void *)f, x, v, n, m); }
"""


def _module(source: str, **options: bool) -> enzyme.Module:
    return enzyme.compile(_HEAD + source + _SLOPE, config=Config(**options))


def _applies(source: str, **options: bool) -> bool:
    return _ROWS in _module(source, **options).ir()


def _check_with_and_without(source: str, n: int, m: int, least: float, changed: str | None, **options: bool) -> None:
    """Tangents keep their bits, gradients all but those, and both agree; ``changed``: what is found in the program
    where rows run beside each other, and only there, if that is so."""
    rng = np.random.default_rng(n)
    x, v = (rng.uniform(least, 1, m * (n + 1) + n) for _ in range(2))
    found = []
    for on in (True, False):
        module = _module(source + _TANGENT, rows_beside=on, **options)
        assert changed is None or (re.search(changed, module.ir()) is not None) == on
        dx = np.zeros_like(x)
        module["slope"](x, dx, n, m)
        found.append((module["along"](x, v, n, m), dx))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-12, atol=1e-14)
    assert found[0][1] @ v == pytest.approx(found[0][0], rel=1e-10, abs=1e-12)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("behind", ["r", "tanh(r)", "y[0] = r"])
@pytest.mark.parametrize(
    ("n", "m"), [(0, 5), (1, 5), (3, 8), (4, 1), (7, 9), (8, 8), (9, 0), (12, 3), (16, 2), (29, 17), (63, 6)]
)
def test_products(n: int, m: int, behind: str) -> None:
    source = PRODUCT.replace("BEHIND", behind)
    if behind == "y[0] = r":
        source = source.replace("malloc(sizeof(double) * n)", "malloc(sizeof(double) * (n + 1))")
    x = np.random.default_rng(n).uniform(-1, 1, max(1, m * (n + 1)))
    found = []
    for on in (True, False):
        module = _module(source, rows_beside=on)
        assert (_ROWS in module.ir()) == on
        dx = np.zeros_like(x)
        module["slope"](x, dx, n, m)
        found.append(dx)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13, atol=1e-15)
    if behind == "r":
        matrix, v = x[m : m * (n + 1)].reshape(n, m), x[:m]
        expected = np.concatenate([2 * matrix.T @ (matrix @ v), (2 * np.outer(matrix @ v, v)).ravel()])
        np.testing.assert_allclose(found[0][: len(expected)], expected, rtol=1e-12, atol=1e-13)


def test_sums_are_what_they_were() -> None:
    """To the last bit: numbers of very different sizes, in another order, would give others."""
    source = PRODUCT.replace("BEHIND", "r").replace("s += y[i] * y[i]", "s = y[i] - 0.5 * s") + _TANGENT
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 40 * 31) * np.exp2(rng.integers(-30, 30, 40 * 31))
    v = rng.uniform(-1, 1, len(x))
    first, second = (_module(source, rows_beside=on, reassociate=False)["along"](x, v, 30, 40) for on in (True, False))
    assert first == second


@pytest.mark.parametrize(
    "change",
    [
        ("double r = 0;", "double r = i ? y[i - 1] : 0;"),  # a row begins with what the one before it has found
        ("* x[j];", "* (i ? y[i - 1] : 1);"),
        ("j < m;", "j < i;"),  # rows of different lengths
        ("y[i] = BEHIND;", "if (r > 100) break; y[i] = r;"),  # rows after the last are not run
    ],
)
def test_rows_that_wait_for_each_other(change: tuple[str, str]) -> None:
    assert not _applies(PRODUCT.replace(*change).replace("BEHIND", "r"))


@pytest.mark.parametrize(
    ("change", "vectors"),
    [
        (("", ""), True),
        (("const double *restrict x, int n, int m", "const float *restrict x, int n, int m"), False),
        (("x[m + i * m + j]", "x[m + i + j * n]"), False),  # columns
        (("x[m + i * m + j]", "x[m + 2 * (i * m + j)]"), False),
        (("r += x[m + i * m + j] * x[j]", "r += fabs(x[m + i * m + j] * x[j])"), False),
    ],
)
def test_vectors_are_for_numbers_side_by_side(change: tuple[str, str], vectors: bool) -> None:
    ir = enzyme.compile(
        _HEAD
        + PRODUCT.replace("BEHIND", "r").replace(*change)
        + _SLOPE.replace("const double *x, double *dx", "const void *x, void *dx"),
        config=enzyme.Config(sunk_loops=False),  # what has rows beside each other in the reverse sweep, too
    ).ir()
    assert _ROWS in ir
    assert (_BARRIER in ir) == (not vectors) == (_VECTORS.search(ir) is None)


BEHIND = """
double f(const double *restrict x, int n, int m) {
    double *y = malloc(sizeof(double) * (n + 1)), s = 0;
    for (int i = 0; i < n; i++) {
        double r = 0.1 * x[i], t = 0, q = 0, last = 1, before = 0;
        int j;
        for (j = 0; j < m; j++) {
            last = x[j] * (0.5 + t);
            t += 0.1;
            SECOND
            r += (x[m + i * m + j] - last) / x[j] - 0.3 * before;
            before = x[j];
        }
        y[i] = r * last + j + q;
    }
    for (int i = 0; i < n; i++) s = y[i] - 0.5 * s;
    free(y);
    return s;
}
"""


@pytest.mark.thinned(6)
@pytest.mark.parametrize("second", ["", "q += x[m + i * m + j] * last;", "r -= x[m + i * m + j] * before;"])
@pytest.mark.parametrize(("n", "m"), [(1, 3), (4, 1), (7, 2), (21, 8), (39, 9)])
def test_what_the_rows_share_is_there_behind_them(n: int, m: int, second: str) -> None:
    """Numbers of the last round, and some that all rows hand on from round to round, odd or even."""
    changed = None if second.startswith("r") else _ROWS  # two additions to one number in a round: row by row
    # One version of the nest: of two, LLVM's code generation fuses other products and sums, as the last bit shows.
    options = {"iterations": False, "wide_indices": False}
    _check_with_and_without(BEHIND.replace("SECOND", second), n, m, 0.5, changed, **options)


NEAREST = """
static inline double squared(const double *restrict a, const double *restrict b, int m) {
    double r = 0;
    for (int j = 0; j < m; j++) r += (a[j] - b[j]) * (a[j] - b[j]);
    return r;
}
double f(const double *restrict x, int k, int m) {
    double s = 0;
    for (int i = 0; i < 3; i++) {
        double least = squared(x, x + k * m + i * m, m);
        for (int c = 1; c < k; c++) {
            double other = squared(x + c * m, x + k * m + i * m, m);
            if (other < least) least = other;
        }
        s += least;
    }
    return s;
}
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("k", "m"), [(1, 3), (8, 4), (9, 11), (10, 64), (30, 2), (9, 0)])
def test_the_least_of_all_rows(k: int, m: int) -> None:
    """What the last row leaves is used behind the nest; each row has pointers that are apart while it runs."""
    module = _module(NEAREST)
    assert _ROWS in module.ir()
    x = np.random.default_rng(k).uniform(-1, 1, max(1, m * (k + 3)))
    dx, expected = np.zeros_like(x), np.zeros_like(x)
    module["slope"](x, dx, k, m)
    if m:
        places, points, slopes = x.reshape(-1, m)[:k], x.reshape(-1, m)[k:], expected.reshape(-1, m)
        for i, point in enumerate(points):
            c = np.argmin(((places - point) ** 2).sum(axis=1))
            slopes[c] += 2 * (places[c] - point)
            slopes[k + i] -= 2 * (places[c] - point)
    np.testing.assert_allclose(dx, expected, rtol=1e-12, atol=1e-14)


def test_rows_that_may_add_in_any_order() -> None:
    """LLVM makes vectors of these; the rows that the reverse sweep adds to are no such sums."""
    source = PRODUCT.replace("BEHIND", "r")
    in_order = _module(source).ir().count(_ROWS)
    module = enzyme.compile(_HEAD + source + _SLOPE, cflags=["-ffast-math"])
    assert 0 < 4 * module.ir().count(_ROWS) <= in_order  # on some processors there are two versions of each loop


ALONG = """
double f(const double *restrict x, int n, int m) {
    double *z = calloc(m + 1, sizeof(double)), *A = malloc(sizeof(double) * (n * m + m + 1)), s = 0;
    for (int i = 0; i < n * m + m; i++) A[i] = x[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) BODY;
    for (int j = 0; j < m; j++) s = z[j] - 0.5 * s;
    for (int i = 0; i < n * m; i++) s = s * 0.9 + A[i] * A[i];
    free(z), free(A);
    return s;
}
"""


@pytest.mark.thinned(6)
@pytest.mark.parametrize("body", ["z[j] += x[i] * A[i * m + j]", "A[i * m + j] += x[i] * x[j], z[j] -= A[i * m + j]"])
@pytest.mark.parametrize(("n", "m"), [(0, 9), (3, 20), (4, 8), (9, 13), (6, 3), (21, 10)])
def test_rows_that_change_what_lies_along_them(n: int, m: int, body: str) -> None:
    """To each number comes what comes to it in the order of the rows: the sums keep their bits."""
    _check_with_and_without(ALONG.replace("BODY", body), n, m, -1, r"(?s)\nrows\.body.*?load <4 x double>")


@pytest.mark.parametrize("body", ["z[j] *= 0.9", "A[i * m + j] = A[i * m + j + 1] + x[i]", "A[i + j] += x[i] * x[j]"])
def test_rows_that_meet(body: str) -> None:
    """What every row changes alike, the next number of a row, and rows one number apart: one after the other."""
    source = ALONG.replace("BODY", body)
    x = np.random.default_rng(1).uniform(-1, 1, 12 * 10)
    found = []
    for on in (True, False):
        dx = np.zeros_like(x)
        _module(source, rows_beside=on)["slope"](x, dx, 9, 12)
        found.append(dx)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-14)


def test_overlaps_are_seen_when_it_runs() -> None:
    """y lies in x, apart from it, and in rows that are still to come: the function is the same."""
    source = """
    void product(const double *A, const double *x, double *y, int n) {
        for (int i = 0; i < n; i++) {
            double r = 0;
            for (int j = 0; j < 9; j++) r += A[9 * i + j] * x[j];
            y[i] = r;
        }
    }
    void __enzyme_fwddiff(void *, ...);
    void along(const double *A, const double *dA, const double *x, const double *dx, double *y, double *dy, int n) {
        __enzyme_fwddiff((void *)product, A, dA, x, dx, y, dy, n);
    }
    """
    module = enzyme.compile(source)
    assert _ROWS in module.ir()
    rng = np.random.default_rng(8)
    for place in (0, 3, 9, 20, 50, 117):
        w, dw = rng.uniform(-1, 1, 140), rng.uniform(-1, 1, 140)
        expected, tangent = w.copy(), dw.copy()
        for i in range(12):
            row, drow = expected[9 + 9 * i : 18 + 9 * i].copy(), tangent[9 + 9 * i : 18 + 9 * i].copy()
            value = row @ expected[:9], drow @ expected[:9] + row @ tangent[:9]
            expected[place + i], tangent[place + i] = value
        module["along"](w[9:], dw[9:], w, dw, w[place:], dw[place:], 12)
        np.testing.assert_allclose(w, expected, rtol=1e-12)
        np.testing.assert_allclose(dw, tangent, rtol=1e-12, atol=1e-14)
