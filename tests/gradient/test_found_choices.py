"""Loops that take the largest or smallest number of an array: where it stands is found, and right in every case."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import enzyme

PROGRAM = """
void __enzyme_autodiff(void *, ...);
static double f(const TYPE *x, int n) {
  TYPE m = BEGIN;
  LOOP
  return RESULT;
}
double value(const TYPE *x, int n) { return f(x, n); }
void gradient(const TYPE *x, TYPE *dx, int n) { __enzyme_autodiff((void *)f, x, dx, n); }
"""
FROM_SECOND = "for (int i = 1; i < n; i++) "
LESS: dict[str, Callable[[float, float], bool]] = {
    "if (m < x[i]) m = x[i];": lambda m, x: m < x,
    "if (x[i] > m) m = x[i];": lambda m, x: x > m,
    "m = m > x[i] ? x[i] : m;": lambda m, x: m > x,
    "m = x[i] < m ? x[i] : m;": lambda m, x: x < m,
}
OTHERS: dict[str, Callable[[float, float], bool]] = {
    "if (m <= x[i]) m = x[i];": lambda m, x: m <= x,
    "if (!(x[i] <= m)) m = x[i];": lambda m, x: not x <= m,
}
NOT = {
    "every second": "for (int i = 1; i < n / 2; i++) if (m < x[2 * i]) m = x[2 * i];",
    "of what is computed": FROM_SECOND + "if (m < 2 * x[i]) m = 2 * x[i];",
    "of two": FROM_SECOND + "if (m < x[i - 1]) m = x[i];",
    "where it stands": "int k = 0; " + FROM_SECOND + "if (m < x[i]) m = x[i], k = i; m += k;",
    "inside": "for (int j = 0; j < n; j++) for (int i = 1; i < n; i++) if (m < x[i]) m = x[i];",
    "few": "for (int i = 1; i < 5; i++) if (m < x[i]) m = x[i];",
    "downwards": "for (int i = n - 1; i > 0; i--) if (m < x[i]) m = x[i];",
}


@cache
def program(
    loop: str, begin: str = "x[0]", type: str = "double", result: str = "m * m", on: bool = True
) -> enzyme.Module:
    text = PROGRAM.replace("LOOP", loop).replace("BEGIN", begin).replace("TYPE", type).replace("RESULT", result)
    return enzyme.compile(text, config=enzyme.Config(last_choice=on))


def is_found(module: enzyme.Module) -> bool:
    return "call i64 @enzyme.rt.chosen." in module.ir("differentiated")


@pytest.mark.parametrize("choice", LESS)
@pytest.mark.parametrize("type", ["double", "float"])
def test_which(choice: str, type: str) -> None:
    assert is_found(program(FROM_SECOND + choice, type=type))
    assert not is_found(program(FROM_SECOND + choice, type=type, on=False))
    assert "store i8" not in program(FROM_SECOND + choice, type=type).ir("optimised")


@pytest.mark.parametrize("name", NOT)
def test_which_not(name: str) -> None:
    assert not is_found(program(NOT[name]))


def test_which_not_by_orders_that_are_not_strict() -> None:
    assert not any(is_found(program(FROM_SECOND + each)) for each in OTHERS)


def numbers(n: int, kind: int) -> np.ndarray:
    random = np.random.default_rng(10 * n + kind)
    x = random.standard_normal(n)
    return (
        x,
        np.round(x),
        np.where(random.random(n) < 0.5, 0.0, -0.0),
        np.where(random.random(n) < 0.2, np.nan, x),
        np.where(np.arange(n) == 0, np.nan, x),
        np.where(random.random(n) < 0.3, np.inf, np.round(x)) * np.where(random.random(n) < 0.5, 1, -1),
        np.sort(x),
        -np.sort(x),
        np.minimum(np.round(x), 0.0) * 0.0,
    )[kind]


@pytest.mark.thinned(6)
@pytest.mark.parametrize("begin", ["x[0]", "0.0", "-0.0", '__builtin_nan("")', "-__builtin_inf()"])
@pytest.mark.parametrize("choice", [*LESS, *OTHERS])
def test_derivatives(choice: str, begin: str) -> None:
    """Against the loop in Python, also where the derivative asks for the sign of a zero."""
    made = program(FROM_SECOND + choice, begin)
    signs = program(FROM_SECOND + choice, begin, result="m * __builtin_copysign(1, m)")
    chooses = {**LESS, **OTHERS}[choice]
    started = {"0.0": 0.0, "-0.0": -0.0, "-__builtin_inf()": -math.inf}
    for n in (1, 2, 3, 9, 16, 17, 18, 32, 33, 34, 50, 100, 401):
        for kind in range(9):
            x = numbers(n, kind)
            number, last = (float(x[0]), 0) if begin == "x[0]" else (started.get(begin, math.nan), -1)
            for i in range(1, n):
                if chooses(number, float(x[i])):
                    number, last = float(x[i]), i
            for module, expected in ((made, 2 * number), (signs, math.copysign(1, number))):
                found, wanted = np.zeros(n), np.zeros(n)
                if last >= 0:
                    wanted[last] = expected
                module["gradient"](x, found, n)
                np.testing.assert_array_equal(found, wanted, f"{n} {kind}")
