"""Loops that the reverse sweep passes by: which, what that saves, and that derivatives are what they were."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.support.config import Config

SOURCE = """
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double f(const double *x, const double *table, int *found, int n, int m) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        int at = 0;
        LOOP
        s += x[i] * x[i] * (at + 1) * table[at % m];
    }
    return s;
}
void g(const double *x, double *dx, const double *table, int *found, int n, int m) {
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, table, enzyme_const, found, enzyme_const, n,
                      enzyme_const, m);
}
"""
IDLE = {
    "search": "while (at + 1 < m && table[at + 1] <= x[i]) at++;",
    "two_ways": "for (at = 0; at < m; at++) { if (table[at] > x[i]) break; if (table[at] == 0) { at += 2; break; } }",
    "nest": "for (int k = 1; k < i; k++) for (int j = k; j; j &= j - 1) at++;",
    "numbers": "double low = -9; for (int k = 0; k < m; k++) if (table[k] > low) low = table[k], at += k;",
}
BUSY = {
    "product": "double p = 1; while (at + 1 < m && p < 9) { p *= 1 + x[i] * x[i]; at++; } s += p;",
    "store": "while (at + 1 < m && table[at + 1] <= x[i]) { at++; found[at]++; }",
}


def derivative(loop: str, **settings: bool) -> tuple[int, int, np.ndarray]:
    """How often counters of reversed loops and arrays of the tape are named, and a gradient."""
    module = enzyme.compile(SOURCE.replace("LOOP", loop), config=Config(fuse=False, at_once=False, **settings))
    made = module.ir("differentiated")
    x, table = np.sin(np.arange(23.0)) * 2, np.linspace(-2, 2.4, 9)
    dx, found = np.zeros_like(x), np.zeros(64, dtype=np.int32)
    module["g"](x, dx, table, found, x.size, table.size)
    body = made[made.index(".reverse") :]
    return body.count("%iteration.r"), made.count("%tape.arra"), dx


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", IDLE)
def test_passed_by(name: str) -> None:
    loops, arrays, found = derivative(IDLE[name])
    other_loops, other_arrays, expected = derivative(IDLE[name], idle_loops=False)
    assert loops < other_loops and arrays <= other_arrays
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", BUSY)
def test_not_passed_by(name: str) -> None:
    loops, arrays, found = derivative(BUSY[name])
    other_loops, other_arrays, expected = derivative(BUSY[name], idle_loops=False)
    assert (loops, arrays) == (other_loops, other_arrays)
    np.testing.assert_array_equal(found, expected)


def test_how_often_they_ran_is_not_kept() -> None:
    """The tape of a search is the interval it found, not how long it took as well."""
    assert derivative(IDLE["search"], idle_loops=False)[1] > derivative(IDLE["search"])[1]
