"""Decisions of one block share bytes of the tape, and mean the same as when each has its own."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import enzyme
from enzyme.gradient.primal import builder_after
from enzyme.gradient.shared_bytes import byte_of
from enzyme.ir.parser import parse_module

PROGRAM = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(const double *x, const double *w, int n) {
  double s = x[0], t = x[1], u = 0;
  LOOP
  return s * t + u;
}
void reverse(const double *x, double *dx, const double *w, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, w, enzyme_const, n);
}
double forward(const double *x, const double *dx, const double *w, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, dx, enzyme_const, w, enzyme_const, n);
}
"""
ADDED = "double a = sin(s * w[i]), b = cos(t * w[i]);"
LOOPS = {
    "two": ADDED + "int p = a * 1.3 - b > 0.2, q = b * 1.7 + a > 0.1; s += p ? a : -b; t += q ? b * s : 0.3 * a;",
    "nine": ADDED
    + " ".join(f"double c{k} = a * {k + 1} - b;" for k in range(9))
    + " ".join(f"int p{k} = c{k} * 1.3 - a > 0.05 * {k};" for k in range(9))
    + " ".join(f"u += p{k} ? c{k} * s : 0.1 * c{k} * t;" for k in range(9))
    + "s = a; t = b;",
    "two blocks": ADDED
    + "int p = a * 1.3 - b > 0.2, q = b * 1.7 + a > 0.1; s += p ? a : -b; t += q ? b * s : 0.3 * a;"
    + "if (w[i] > 0.5) { int m = s * 1.3 - b > 0, o = t * 1.7 + a > 0; "
    + "s += m ? a * t : 0.2; t += o ? b * s : 0.1 * a; }",
}
HEADS = {
    "known": "for (int i = 0; i < n; i++) { LOOP }",
    "constant": "for (int i = 0; i < 5; i++) { LOOP }",
    "unknown": "for (int i = 0; w[i] < 7; i++) { LOOP }",
    "nested": "for (int j = 0; j < 3; j++) for (int i = j; i < n; i++) { LOOP }",
}


@cache
def program(loop: str, head: str = "known", **settings: bool) -> enzyme.Module:
    text = PROGRAM.replace("LOOP", HEADS[head]).replace("LOOP", LOOPS[loop])
    return enzyme.compile(text, config=enzyme.Config(**settings))  # type: ignore[arg-type]


def kept_bytes(module: enzyme.Module) -> int:
    """Stores of decisions."""
    return len(re.findall(r"store i8 ", module.ir("differentiated")))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("loop", "alone", "together"), [("two", 2, 1), ("nine", 9, 3), ("two blocks", 4, 2)])
def test_how_many(loop: str, alone: int, together: int, head: str) -> None:
    assert kept_bytes(program(loop, head, share_bytes=False)) == alone
    assert kept_bytes(program(loop, head)) == together


CASES = [
    *((loop, head, {}) for loop in LOOPS for head in HEADS),
    ("nine", "known", {"bits": True}),
    ("nine", "nested", {"check_plan": True}),
    ("two blocks", "unknown", {"stack_rooms": False}),
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("loop", "head", "settings"), CASES, ids=str)
def test_values(loop: str, head: str, settings: dict[str, bool]) -> None:
    made = program(loop, head, **settings)
    random = np.random.default_rng(3)
    for n in (5, 90):
        x, dx = random.standard_normal((2, 2))
        w = np.append(random.random(n), 8.0)
        back = np.zeros(2)
        made["reverse"](x, back, w, n)
        np.testing.assert_allclose(back @ dx, made["forward"](x, dx, w, n), rtol=1e-8, atol=1e-10)


DECISIONS = """
define void @f(double %x, i32 %n, ptr %p) {
entry:
  %k = load i32, ptr %p
  %next = add nsw i32 %k, 1
  %more = icmp slt i32 %n, %next
  %y = fmul double %x, %x
  %large = fcmp ogt double %y, 3.0
  %fast = fcmp nnan olt double %x, %y
  %many = icmp slt i32 %n, %k
  ret void
}
"""


def test_what_may_be_poison_is_frozen() -> None:
    """Integers overflow where nobody looks at them; what makes no promise never becomes poison."""
    function = parse_module(DECISIONS).functions["f"]
    (block,) = function.blocks
    decisions = [inst for inst in block.instructions if str(inst.type) == "i1"]
    byte_of(builder_after(decisions[-1]), decisions)
    frozen = [inst.operands[0].name for inst in block.instructions if inst.opcode == "freeze"]
    assert frozen == ["more", "fast"]
