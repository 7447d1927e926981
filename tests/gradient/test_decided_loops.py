"""Loops that are followed with the constants that they begin with, and unrolled before differentiation."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.gradient.decided_loops import mark_decided
from enzyme.ir.parser import parse_module

POWER = """
static inline double power(double x, unsigned n) {
  double made = 1;
  while (1) {
    if (n & 1) made *= x;
    n >>= 1;
    if (n == 0) return made;
    x *= x;
  }
}
double f(double *x, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += power(x[i], EXPONENT);
  return sum;
}
"""
LOOP = """
define double @f(double %x) {
entry:
  br label %loop
loop:
  %n = phi iBITS [ START, %entry ], [ %next, %loop ]
  %v = phi double [ %x, %entry ], [ %w, %loop ]
  %w = fmul double %v, %x
  %next = STEP
  %more = icmp PREDICATE iBITS %next, END
  br i1 %more, label %loop, label %done
done:
  ret double %w
}
"""


def _tape(exponent: str, **switches: bool) -> bool:
    source = POWER.replace("EXPONENT", exponent)
    module = enzyme.compile(source, config=Config(cache=None, **switches))
    power = int(exponent) if exponent.isdigit() else 3
    x, dx = 1 + np.array([1.0, -0.5, 2.0]) / power, np.zeros(3)
    derivative = module.autodiff("f", ["dup", "const"])
    derivative((x, dx), 3)
    assert np.allclose(dx, power * x ** (power - 1))
    return "realloc" in derivative.native._program.ir()


@pytest.mark.parametrize("exponent", ["2", "7", "100", "4000"])
def test_powers_of_constants_need_no_tape(exponent: str) -> None:
    assert not _tape(exponent)


def test_other_powers_have_one() -> None:
    assert _tape("(unsigned)n")
    assert _tape("1000000")
    assert _tape("100", decided_loops=False)


@pytest.mark.parametrize(
    ("bits", "start", "step", "predicate", "end", "marked"),
    [
        (32, "64", "lshr i32 %n, 1", "ne", "0", True),
        (32, "-8", "ashr i32 %n, 1", "slt", "-1", True),
        (32, "1", "shl i32 %n, 1", "ult", "1000", True),
        (32, "1", "shl i32 %n, 1", "slt", "0", True),  # one round
        (32, "1", "mul i32 %n, 3", "ne", "81", True),
        (8, "200", "mul i8 %n, 3", "ugt", "60", True),  # 88, 8: it wraps
        (64, "1000", "udiv i64 %n, 10", "sge", "10", True),
        (32, "7", "and i32 %n, 6", "eq", "7", True),
        (32, "1", "shl i32 %n, 1", "ne", "0", False),  # 32 rounds
        (32, "1", "shl i32 %n, 32", "ne", "0", False),  # poison
        (32, "1", "udiv i32 %n, 0", "ne", "0", False),
        (32, "5", "and i32 %n, 7", "eq", "5", False),  # never ends
        (32, "%given", "lshr i32 %n, 1", "ne", "0", False),
    ],
)  # fmt: skip
def test_courses(bits: int, start: str, step: str, predicate: str, end: str, marked: bool) -> None:
    text = LOOP.replace("BITS", str(bits)).replace("START", start).replace("STEP", step)
    text = text.replace("PREDICATE", predicate).replace("END", end)
    if start == "%given":
        text = text.replace("(double %x)", "(double %x, i32 %given)")
    module = parse_module(text)
    assert mark_decided(module) == (["f"] if marked else [])
