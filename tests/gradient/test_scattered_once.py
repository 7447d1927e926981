"""Which reversed loops leave out the zeros, and that what they compute is right, whatever the places."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import enzyme

PROGRAM = """
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(const double *x, const int *place, int n) {
  double s = 0;
  BODY
  return s;
}
void reverse(double *x, double *dx, int *place, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, place, enzyme_const, n);
}
"""
MADE = "double *out = calloc(n + 1, sizeof(double));"
EACH = "for (int i = 0; i < n; i++) "
READ = "for (int k = 0; k < n; k++) s += out[k] * out[k] * (1 + k % 5); free(out);"
ONCE = {
    "places": MADE + EACH + "out[place[i]] = x[i];" + READ,
    "by products": MADE + EACH + "out[place[i]] = x[i] * x[i] * i;" + READ,
    "pairs": MADE
    + "for (int i = 0; i < n / 2; i++) {"
    + "int k = place[2 * i] / 2; out[2 * k] = x[2 * i]; out[2 * k + 1] = x[2 * i + 1]; }"
    + READ,
    "some": MADE + EACH + "if (place[i] % 3) out[place[i]] = x[i];" + READ,
    "until": MADE + EACH + "{ if (place[i] == 5) break; out[place[i]] = x[i]; }" + READ,
    "on the stack": "double out[16384]; for (int k = 0; k < n; k++) out[k] = 0;"
    + EACH
    + "out[place[i]] = x[i];"
    + READ.replace("free(out);", ""),
}
NOT = {
    "in order": MADE + EACH + "out[i] = x[i];" + READ,
    "added": MADE + EACH + "out[place[i]] += x[i];" + READ,
    "read behind": MADE + EACH + "out[i] = x[i];" + EACH + "out[place[i]] = x[i] * x[i];" + READ,
    "again": MADE + "for (int t = 0; t < 3; t++) {" + EACH + "out[place[(i + t) % n]] = x[i] * (t + 1);"
    "for (int k = 0; k < n; k++) s += out[k] * out[k]; } free(out);",
}
ALL = {**ONCE, **NOT}
LENGTH = 16384


@cache
def program(name: str, pipeline: str = "post", on: bool = True) -> enzyme.Module:
    text = PROGRAM.replace("BODY", ALL[name])
    return enzyme.compile(text, pipeline=pipeline, config=enzyme.Config(scattered_once=on))


def asks(module: enzyme.Module) -> bool:
    return "scattered." in module.ir("optimised")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
def test_which(name: str, pipeline: str) -> None:
    assert asks(program(name, pipeline)) == (name in ONCE)
    assert not asks(program(name, pipeline, on=False))


def reversed_bits(n: int) -> np.ndarray:
    bits = n.bit_length() - 1
    return np.array([int(f"{i:0{bits}b}"[::-1], 2) for i in range(n)], np.int32)


def orders(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    plain = reversed_bits(n)
    one, halves, late = plain.copy(), plain.copy(), plain.copy()
    one[n // 2] = one[n // 3]
    halves[1::2] = halves[::2]
    late[0] = late[1]
    mixed = rng.permutation(n).astype(np.int32)
    return {"different": plain, "one": one, "halves": halves, "late": late, "same": 0 * plain + 7, "mixed": mixed}


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("n", [16, LENGTH // 4, LENGTH])
def test_values(name: str, pipeline: str, n: int) -> None:
    """Bit by bit what it is without."""
    x = np.random.default_rng(1).uniform(0.5, 1.5, n)
    for place in orders(n).values():
        found = []
        for on in (True, False):
            dx = np.zeros(n)
            program(name, pipeline, on)["reverse"](x, dx, place, n)
            found.append(dx)
        np.testing.assert_array_equal(*found)


def test_without_zeros() -> None:
    """The last number that was put in each place is the one that counts."""
    x = np.random.default_rng(1).uniform(0.5, 1.5, LENGTH)
    for place in orders(LENGTH).values():
        dx, expected = np.zeros(LENGTH), np.zeros(LENGTH)
        last = {int(k): i for i, k in enumerate(place)}
        for k, i in last.items():
            expected[i] = 2 * x[i] * (1 + k % 5)
        program("places")["reverse"](x, dx, place, LENGTH)
        np.testing.assert_allclose(dx, expected, rtol=1e-14)
