"""Branches that earlier branches decide: which are taken, and which are not."""

from __future__ import annotations

import pytest

from enzyme.gradient.implied_branches import take_implied_branches
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.llvm.context import parse

# The first branch is on %c; behind its edges "yes" and "no" a second one is on %d.
ASKED_TWICE = """
define i32 @f(i32 %n, i32 %m, i32 %k) {
  MADE
  %c = FIRST
  br i1 %c, label %yes, label %no
yes:
  %d = SECOND
  br i1 %d, label %one, label %two
no:
  %e = SECOND
  br i1 %e, label %three, label %four
one:
  ret i32 1
two:
  ret i32 2
three:
  ret i32 3
four:
  ret i32 4
}
"""
SQUARE = "%p = mul nsw i32 %n, %n"


def ends(made: str, first: str, second: str) -> tuple[str, str]:
    """What the second branch asks behind each edge of the first: "true", "false", or "?" where it is not settled."""
    text = ASKED_TWICE.replace("MADE", made).replace("FIRST", first).replace("SECOND", second)
    module = parse_module(text)
    changed = take_implied_branches(module)
    parse(print_module(module)).verify()
    asked = [
        block.terminator.operands[0]  # type: ignore[union-attr]
        for block in module.functions["f"].blocks
        if block.name in ("yes", "no")
    ]
    said = tuple(getattr(each, "text", "?") for each in asked)
    assert changed == (said != ("?", "?"))
    return said  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("made", "first", "second", "said"),
    [
        # a product that is not positive has a factor that is not
        (SQUARE, "icmp sgt i32 %p, 0", "icmp sgt i32 %n, 0", ("?", "false")),
        (SQUARE, "icmp slt i32 %p, 1", "icmp sgt i32 %n, 0", ("false", "?")),
        (SQUARE, "icmp sgt i32 %n, 0", "icmp sgt i32 %p, 0", ("true", "?")),
        (SQUARE, "icmp sgt i32 %n, 0", "icmp sle i32 %p, 0", ("false", "?")),
        (
            "%t = shl nsw i32 %n, 1\n  %p = mul nsw i32 %t, %n\n  %w = sext i32 %p to i64",
            "icmp sge i64 %w, 1",
            "icmp slt i32 %n, 1",
            ("?", "true"),
        ),
        # of two numbers either may be at fault
        ("%p = mul nsw i32 %n, %m", "icmp sgt i32 %p, 0", "icmp sgt i32 %n, 0", ("?", "?")),
        ("%p = mul nsw i32 %n, %m", "icmp sgt i32 %n, 0", "icmp sgt i32 %p, 0", ("?", "?")),
        # the same number
        ("%w = sext i32 %n to i64", "icmp sgt i64 %w, 0", "icmp sgt i32 %n, 0", ("true", "false")),
        ("%w = mul nsw i32 %n, 3", "icmp sgt i32 %w, 0", "icmp sgt i32 %n, 0", ("true", "false")),
        # numbers that may wrap, or change their sign
        ("%p = mul i32 %n, %n", "icmp sgt i32 %p, 0", "icmp sgt i32 %n, 0", ("?", "?")),
        ("%p = mul nuw i32 %n, %n", "icmp sgt i32 %p, 0", "icmp sgt i32 %n, 0", ("?", "?")),
        ("%w = shl i32 %n, 3", "icmp sgt i32 %w, 0", "icmp sgt i32 %n, 0", ("?", "?")),
        ("%w = mul nsw i32 %n, -3", "icmp sgt i32 %w, 0", "icmp sgt i32 %n, 0", ("?", "?")),
        ("%w = zext i32 %n to i64", "icmp sgt i64 %w, 0", "icmp sgt i32 %n, 0", ("?", "?")),
        ("%w = trunc i32 %n to i8", "icmp sgt i8 %w, 0", "icmp sgt i32 %n, 0", ("?", "?")),
        # other questions
        (SQUARE, "icmp ugt i32 %p, 0", "icmp sgt i32 %n, 0", ("?", "?")),
        (SQUARE, "icmp sgt i32 %p, 1", "icmp sgt i32 %n, 0", ("?", "?")),
        (SQUARE, "icmp sgt i32 %p, 0", "icmp sgt i32 %k, 0", ("?", "?")),
        ("%b = trunc i32 %n to i1", "icmp slt i1 %b, 1", "icmp sgt i32 %n, 0", ("?", "?")),
    ],
)
def test_what_two_branches_say(made: str, first: str, second: str, said: tuple[str, str]) -> None:
    assert ends(made, first, second) == said


def test_a_block_that_is_reached_both_ways_knows_nothing() -> None:
    module = parse_module("""
define i32 @f(i32 %n, i1 %b) {
  %p = mul nsw i32 %n, %n
  %c = icmp sgt i32 %p, 0
  br i1 %c, label %both, label %maybe
maybe:
  br i1 %b, label %both, label %end
both:
  %d = icmp sgt i32 %n, 0
  br i1 %d, label %end, label %other
other:
  ret i32 1
end:
  ret i32 2
}
""")
    assert not take_implied_branches(module)


def test_numbers_of_another_round_are_not_meant() -> None:
    """The question of a loop is about the number of this round, that in front of the loop about the first one."""
    module = parse_module("""
define i32 @f(i32 %n) {
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %loop, label %end
loop:
  %i = phi i32 [ %n, %0 ], [ %less, %more ]
  %d = icmp sgt i32 %i, 0
  br i1 %d, label %more, label %end
more:
  %less = sub nsw i32 %i, 1
  %e = icmp sgt i32 %i, 0
  br i1 %e, label %loop, label %end
end:
  ret i32 0
}
""")
    assert take_implied_branches(module)
    asked = {block.name: block.terminator.operands[0] for block in module.functions["f"].blocks[:3]}  # type: ignore[union-attr]
    assert getattr(asked["loop"], "text", "?") == "?"
    assert getattr(asked["more"], "text", "?") == "true"
