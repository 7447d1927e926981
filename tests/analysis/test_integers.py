"""Integers that are known by how they are made, and bytes of integers that are zero."""

from __future__ import annotations

import pytest

from enzyme.analysis.activity_callees import Callees
from enzyme.analysis.integers import Integers
from enzyme.analysis.types_tbaa import TypeMetadata
from enzyme.analysis.zero_bytes import is_zero
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Instruction
from enzyme.rules.known import known_callee

PROGRAM = """
define i64 @f(i64 %bits, ptr %p, i32 %n, double %x) {
entry:
  %wide = sext i32 %n to i64
  %at = getelementptr double, ptr %p, i64 %wide
  %packed = load i64, ptr %at, align 8
  %member = load i32, ptr %p, align 4, !tbaa !0
  %plain = load i32, ptr %p, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %carried = phi i64 [ %bits, %entry ], [ %packed, %loop ]
  %next = add i32 %i, 1
  %rem = srem i32 %next, 7
  %mixed = add i64 %packed, 1
  %sum = add i32 %member, %rem
  %rounded = fptosi double %x to i32
  %end = icmp slt i32 %next, %n
  br i1 %end, label %loop, label %done
done:
  ret i64 %carried
}
!0 = !{!1, !2, i64 8}
!1 = !{!"record", !3, i64 0, !2, i64 8}
!2 = !{!"int", !4, i64 0}
!3 = !{!"double", !4, i64 0}
!4 = !{!"omnipotent char", !5, i64 0}
!5 = !{!"Simple C/C++ TBAA"}
"""

BYTES = """
define i64 @g(i64 %w, i32 %h) {
entry:
  %low = zext i32 %h to i64
  %high = shl i64 %low, 32
  %odd = shl i64 %w, 33
  %masked = and i64 %w, -4294967296
  %moved = add i64 %masked, 4294967296
  %down = lshr i64 %w, 40
  %both = or i64 %high, %masked
  ret i64 %both
}
"""


def _named(module: Module, function: str) -> dict[str, Instruction]:
    found = module.get_function(function)
    assert found is not None
    return {inst.name: inst for inst in found.instructions() if inst.name}


def test_integers_of_a_function() -> None:
    module = parse_module(PROGRAM)
    integers = Integers(TypeMetadata(module), Callees(module, known_callee))
    function = module.get_function("f")
    assert function is not None
    names = {value.name for value in integers.of(function)}
    assert {"n", "wide", "i", "next", "rem", "member", "sum", "rounded"} <= names
    assert not names & {"bits", "packed", "plain", "carried", "mixed"}


@pytest.mark.parametrize(
    ("name", "start", "count", "zero"),
    [
        ("low", 4, 4, True),
        ("low", 3, 2, False),
        ("high", 0, 4, True),
        ("high", 4, 1, False),
        ("odd", 0, 4, True),
        ("odd", 4, 1, False),
        ("masked", 0, 4, True),
        ("moved", 0, 4, True),
        ("moved", 4, 1, False),
        ("down", 3, 5, True),
        ("down", 2, 1, False),
        ("both", 0, 4, True),
        ("both", 0, 5, False),
    ],
)
def test_zero_bytes(name: str, start: int, count: int, zero: bool) -> None:
    assert is_zero(_named(parse_module(BYTES), "g")[name], start, count) is zero
