"""Nests whose indices are checked have a version without checks, where what is checked can be told in front of them."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
import pytest

import enzyme
from enzyme import Config

_HEAD = """
#include <math.h>
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
extern long enzyme_tape_peak;
void abort(void);
struct vector { double *first; long size; };
static double at(const struct vector *v, long i) {
    if ((unsigned long)i >= (unsigned long)v->size) abort();
    return v->first[i];
}
"""
NEST = """
static double f(double *x, double *y, long n, long m, int *place) {
    struct vector a = {x, n}, b = {y, m};
    double s = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) s += exp(-at(&a, i) * at(&b, i + j)) * at(&a, n - 1 - j);
    return s;
}
"""
_CALL = """
void gradient(double *x, double *dx, double *y, double *dy, long n, long m, int *place) {
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, n, m, enzyme_const, place);
}
double value(double *x, double *y, long n, long m, int *place) { return f(x, y, n, m, place); }
long peak(void) { return enzyme_tape_peak; }
"""


def _compiled(
    body: str, level: int = 2, pipeline: Literal["post", "pre"] = "post", **settings: object
) -> enzyme.Module:
    config = Config(count_tape=True, arrays_apart=False, **settings)  # type: ignore[arg-type]
    return enzyme.compile(_HEAD + body + _CALL, opt_level=level, pipeline=pipeline, config=config)


def _versions(module: enzyme.Module) -> int:
    """How many blocks of what is differentiated are of versions."""
    return len(re.findall(r"^version[.0-9]*:", module.ir("differentiated"), re.MULTILINE))


def test_a_version_is_made_where_checks_can_be_told() -> None:
    assert _versions(_compiled(NEST)) > 0
    assert _versions(_compiled(NEST, checks_ahead=False)) == 0


@pytest.mark.parametrize(
    "body",
    [
        NEST.replace("at(&b, i + j)", "at(&b, place[j])"),  # looked up
        NEST.replace("at(&b, i + j)", "at(&b, (long)x[j])"),
        NEST.replace("at(&b, i + j)", "at(&b, i * j % m)"),
        NEST.replace("s += exp", "if (!(x[j] < 1e9)) abort(); else s += exp"),  # a check of a number
        NEST.replace("j < n", "y[j] > 0"),  # nobody knows how often
    ],
)
def test_none_is_made_where_they_cannot(body: str) -> None:
    assert _versions(_compiled(body)) == 0


def test_the_program_as_it_is_has_no_versions() -> None:
    assert _versions(_compiled(NEST, pipeline="pre")) == 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_nest_without_checks_keeps_no_tape(level: int) -> None:
    n = 200
    x, y = np.linspace(0.1, 0.9, n), np.linspace(-0.4, 0.6, 2 * n)
    place = np.zeros(n, dtype=np.int32)
    found = {}
    for on in (True, False):
        module = _compiled(NEST, level, checks_ahead=on)
        dx, dy = np.zeros_like(x), np.zeros_like(y)
        module["gradient"](x, dx, y, dy, n, 2 * n, place)
        found[on] = dx, dy, module["peak"]()
    expected = [np.zeros_like(x), np.zeros_like(y)]
    for i in range(n):
        for j in range(n):
            e = np.exp(-x[i] * y[i + j])
            expected[0][i] -= y[i + j] * e * x[n - 1 - j]
            expected[0][n - 1 - j] += e
            expected[1][i + j] -= x[i] * e * x[n - 1 - j]
    for on in (True, False):
        for got, wanted in zip(found[on], expected, strict=False):
            np.testing.assert_allclose(got, wanted, rtol=1e-10)
    assert found[True][2] < 0.1 * found[False][2]
