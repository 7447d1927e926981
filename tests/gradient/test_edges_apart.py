"""Loops whose first and last iterations alone are special become three."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.gradient.edges_apart import with_edges_apart

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


def _f(body: str) -> str:
    return f"static double f(double *x, double *y, int n, int m) {{ double s = 0; {body} return s; }}"


AROUND = _f("for (int i = 0; i < n; i++) s += exp(x[(i + n - 2) % n] * x[(i + 1) % n] * y[i]);")
APART = {
    "indices that go around": AROUND,
    "a condition beside one": _f(
        "for (int i = 0; i < n; i++) { s *= 0.9; if (i < n - 3) s += x[(i + n - 1) % n] * y[i + 3]; }"
    ),
    "indices that stop at the ends": _f(
        "for (int i = 0; i < n; i++) s += exp(x[i + 2 < n ? i + 2 : n - 1] * x[i < 1 ? 0 : i - 1] * y[i]);"
    ),
    "the same without a sign": _f(
        "for (unsigned long i = 0, k = n; i < k; i++)"
        " s += exp(x[i + 2 < k - 1 ? i + 2 : k - 1] * x[i > 3 ? i - 3 : 0] * y[i]);"
    ),
    "ifs": _f(
        "for (int i = 0; i < n; i++) { double a = x[i]; if (i - 2 >= 0) a += x[i - 2]; if (i + 1 < n) a *= x[i + 1];"
        " s += exp(a * y[i]); }"
    ),
    "a loop over taps, some of which are left out": _f(
        "for (int i = 0; i < n; i++) { double a = 0; for (int b = -2; b <= 2; b++)"
        " if (i + b >= 0 && i + b < n) a += y[b + 2] * x[i + b]; s += exp(a); }"
    ),
    "loops over neighbours that stop at the ends": _f(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { double a = 0; for (int p = -1; p < 2; p++)"
        " for (int q = -1; q < 2; q++) { int k = i + p < 0 ? 0 : i + p, l = j + q < 0 ? 0 : j + q;"
        " a += sin(x[(k < n ? k : n - 1) * m + (l < m ? l : m - 1)]); } s += a * a; }"
    ),
    "a loop over taps from the other side": _f(
        "for (int i = 0; i < n; i++) { double a = 0; for (int b = 0; b < 3; b++) a += x[(i + b + n - 1) % n];"
        " s += exp(a * y[i]); }"
    ),
    "boxes": _f(
        "for (int h = 0; h < 2; h++) for (int i = 0; i < n / 2; i++) for (int j = 0; j < m; j++)"
        " s += sin(x[(h * (n / 2) + i) * m + (j + m - 1) % m] * x[(h * (n / 2) + i) * m + j] + y[j]);"
    ),
    "rows": _f(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
        " s += sin(x[i * m + (j + m - 1) % m] * x[i * m + j] + y[j]);"
    ),
    "indices that turn around": _f(
        "for (int i = 0; i < n; i++) { int l = i < 2 ? 2 - i : i - 2, k = i + 2 < n ? i + 2 : 2 * n - 4 - i;"
        " s += exp(x[l] * x[k < 0 ? -k : k] * y[i]); }"
    ),
    "the same in place": _f(
        "if (n > 4) for (int i = 0; i < n; i++) { int l = i < 2 ? 2 - i : i - 2; x[i] *= tanh(x[l] * x[l]); }"
        " for (int i = 0; i < n; i++) s += x[i] * y[i];"
    ),
    "a loop over taps that turns around": _f(
        "for (int i = 0; i < n; i++) { double a = 0; for (int b = -2; b <= 2; b++) {"
        " int j = i + b < 0 ? -i - b : i + b; if (j < n) a += x[j] * y[b + 2]; } s += exp(a); }"
    ),
    "windows": _f(
        "for (int i = 0; i < n; i++) { double a = 0; int from = i > 2 ? i - 2 : 0, to = i + 2 < n ? i + 2 : n - 1;"
        " for (int j = from; j <= to; j++) a += x[j]; s += exp(a / (to - from + 1)) * y[i]; }"
    ),
    "windows of one side": _f(
        "for (int i = 0; i < n; i++) { double a = 0; for (int j = i > 4 ? i - 4 : 0; j <= i; j++) a += x[j] * x[j];"
        " s += exp(a * y[i]); }"
    ),
    "windows from the end": _f(
        "for (int i = n - 1; i >= 0; i--) { double a = 0;"
        " for (int j = i > 1 ? i - 1 : 0; j < (i + 2 < n ? i + 2 : n); j++) a += x[j] * x[i]; s += exp(a) * y[i]; }"
    ),
    "windows in rows": _f(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { double a = 0;"
        " for (int k = i > 1 ? i - 1 : 0; k <= (i + 1 < n ? i + 1 : n - 1); k++)"
        " for (int l = j > 1 ? j - 1 : 0; l <= (j + 1 < m ? j + 1 : m - 1); l++) a += x[k * m + l];"
        " s += a * a * y[j]; }"
    ),
    "conditions of rows and of columns": _f(
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {"
        " double a = i + 1 < n ? x[(i + 1) * m + j] - x[i * m + j] : 0, b = j > 1 ? x[i * m + j - 2] : 0;"
        " s += sqrt(a * a + b * b + 0.1) * y[j]; }"
    ),
    "windows of what changes": _f(
        "for (int t = 0; t < 3; t++) for (int i = 0; i < n; i++) { double a = 0;"
        " for (int j = i > 1 ? i - 1 : 0; j < (i + 2 < n ? i + 2 : n); j++) a += x[j] * y[j];"
        " x[i] = 0.5 * x[i] + 0.1 * a; } for (int i = 0; i < n; i++) s += x[i];"
    ),
}
TOGETHER = {
    "a divisor that is another number": "for (int i = 0; i < n; i++) s += exp(x[(i + 2) % m] * y[i]);",
    "a condition in the middle": "for (int i = 0; i < n; i++) { s *= 0.9; if (i < m) s += x[i] * y[i]; }",
    "many iterations at an end": "for (int i = 0; i < n; i++) s += exp(x[(i + n - 9) % n] * y[i]);",
    "a product": "for (int i = 0; i < n; i++) s += exp(x[(i * m) % n] * y[i]);",
    "a loop that may end early": "for (int i = 0; i < n && s < 9; i++) s += exp(x[(i + n - 1) % n] * y[i]);",
    "a choice in one iteration": "for (int i = 0; i < n; i++) s += sin(x[i > 0 ? i - 1 : n - 1] * y[i]);",
    "taps that are not known to be few": "for (int i = 0; i < n; i++) { double a = 0; for (int b = 0; b < m; b++)"
    " if (i + b < n) a += x[i + b]; s += exp(a); }",
    "taps in a loop of which nobody knows how often it runs": "for (int i = 0; s < 9; i++) { double a = 0;"
    " for (int b = 0; b < 3; b++) if (i + b < n) a += x[i + b]; s += exp(a) + 1; }",
    "windows of many": "for (int i = 0; i < n; i++) for (int j = i > 6 ? i - 6 : 0; j < (i + 6 < n ? i + 6 : n); j++)"
    " s += exp(x[j] * x[i]);",
    "windows of nobody knows how many": "for (int i = 0; i < n; i++)"
    " for (int j = i > m ? i - m : 0; j <= i; j++) s += exp(x[j] * x[i]);",
    "a loop that begins at the edge": "for (int i = 0; i < n; i++) { int k = i > 1 ? i - 1 : 0;"
    " for (int j = k; j < n; j++) s += exp(x[j] * x[k]); }",
    "nothing special": "for (int i = 0; i < n; i++) s += exp(x[i] * y[i]);",
    "integers alone": "int k = 0; for (int i = 0; i < n; i++) k += (i + n - 1) % n; s = x[k % n];",
}


def _compiled(program: str, **settings: object) -> enzyme.Module:
    return enzyme.compile(_HEAD + program + _CALL, opt_level=2, config=Config(**settings))  # type: ignore[arg-type]


def _apart(program: str, edges_apart: bool = True) -> bool:
    module = _compiled(program, arrays_apart=False, wide_indices=False, edges_apart=edges_apart)
    return re.search(r"^version[.0-9]*:", module.ir("differentiated"), re.MULTILINE) is not None


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", APART)
def test_three_loops(name: str) -> None:
    assert _apart(APART[name])
    assert not _apart(APART[name], edges_apart=False)


@pytest.mark.parametrize("name", TOGETHER)
def test_one_loop(name: str) -> None:
    assert not _apart(_f(TOGETHER[name]))


def _gradients(module: enzyme.Module, n: int, m: int) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    random = np.random.default_rng(n)
    x, y = random.uniform(0.2, 0.8, n * m + 8), random.uniform(0.2, 0.8, n * m + 8)
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    module["gradient"](x, dx, y, dy, n, m)
    return [dx, dy, np.array([module["value"](x, y, n, m)])]


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", APART)
def test_same_numbers(name: str) -> None:
    program = APART[name]
    one, three = _compiled(program, edges_apart=False), _compiled(program)
    for n, m in ((1, 1), (2, 3), (9, 10), (10, 9), (11, 12), (12, 40), (40, 13), (64, 64)):
        for without, made in zip(_gradients(one, n, m), _gradients(three, n, m), strict=True):
            np.testing.assert_allclose(made, without, rtol=1e-13, atol=1e-14)


def test_rows_of_planes_have_plain_indices() -> None:
    """Their first numbers are products of a counter, and fit into 32 bits if the plane is small: that is asked."""
    ir = _compiled(APART["rows"], arrays_apart=False).ir("differentiated")
    blocks = dict(re.findall(r"^(version[.\w]*):\n((?:.+\n)+)", ir, re.MULTILINE))
    middle = [body for name, body in blocks.items() if f"label %{name}," in body or f"label %{name}\n" in body]
    assert middle and not any(" sext i32 " in block or " srem " in block for block in middle)


def test_what_has_no_loop_stays() -> None:
    assert with_edges_apart("define i32 @f(i32 %n) {\n  %r = srem i32 %n, 7\n  ret i32 %r\n}\n") is None
