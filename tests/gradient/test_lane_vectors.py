"""Where the adjoints of several lanes are vectors."""

from __future__ import annotations

from typing import Any

import pytest

from enzyme.gradient.engine import Engine
from enzyme.gradient.request import Request
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function
from enzyme.support.config import Config

HEAD = 'target datalayout = "e-p:64:64-i64:64-f80:128-n8:16:32:64-S128"\ntarget triple = "x86_64-unknown-linux-gnu"\n'
STRAIGHT = """
define double @f(double %a, FORMAT %b, i1 %c) {
entry:
  %wide = CAST FORMAT %b to double
  %product = fmul double %a, %wide
  br i1 %c, label %more, label %end
more:
  %square = fmul double %product, %a
  br label %end
end:
  %both = phi double [ %product, %entry ], [ %square, %more ]
  %chosen = select i1 %c, double %both, double %a
  ret double %chosen
}
"""
LOOP = """
define double @f(ptr %x, i64 %n, double %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %sum.next, %loop ]
  %old = phi double [ 1.0, %entry ], [ %new, %loop ]
  %place = getelementptr inbounds double, ptr %x, i64 %i
  %number = load double, ptr %place, align 8
  %square = fmul double %number, %FACTOR
  %sum.next = fadd double %sum, %square
  %new = fadd double %old, STEP
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, COUNT
  br i1 %done, label %end, label %loop
end:
  %both = fadd double %sum.next, %new
  ret double %both
}
"""


def derivative(text: str, args: tuple[str, ...], width: int, again: bool = False, **settings: Any) -> str:
    engine = Engine(parse_module(HEAD + text), Config(**settings), again=again)
    return print_function(engine.derivative(Request("f", "reverse", args, "active", width=width)))


def straight(width: int = 3, format: str = "float", cast: str = "fpext", **settings: Any) -> str:
    text = STRAIGHT.replace("FORMAT", format).replace("CAST", cast)
    return derivative(text, ("out", "out", "const"), width, **settings)


def loop(width: int, factor: str = "number", step: str = "%square", count: str = "%n") -> str:
    text = LOOP.replace("FACTOR", factor).replace("STEP", step).replace("COUNT", count)
    return derivative(text, ("dup", "const", "const"), width)


def test_one_instruction_for_all_lanes() -> None:
    together, apart = straight(), straight(lane_vectors=False)
    assert "x double>" not in apart
    assert together.count("fmul <3 x double>") == 4
    assert apart.count("fmul double") - together.count("fmul double") == 3 * 4, "what is left are values"
    assert together.count("fptrunc <3 x double>") == 1, "of another format, by a vector of that"
    assert together.count("select i1 %2, <3 x double>") == 2, "one for each side"
    assert "extractelement" not in together, "each lane's slot is a part of the vector's"


def test_formats_without_vectors_have_lanes_apart() -> None:
    text = straight(format="x86_fp80", cast="fptrunc")
    assert "x x86_fp80>" not in text and text.count("fpext double") == 3
    assert "fmul <3 x double>" in text, "the others do not"


@pytest.mark.parametrize("settings", [{"width": 1}, {"again": True}])
def test_no_vectors(settings: dict[str, Any]) -> None:
    assert "x double>" not in straight(**settings)


@pytest.mark.parametrize(
    ("together", "width", "parts"),
    [
        (False, 4, {}),  # two sums: LLVM makes vectors of the iterations
        (True, 4, {"factor": "old"}),  # each iteration multiplies with what the one before has left
        (False, 2, {"factor": "old"}),  # too few lanes for that
        (True, 2, {"count": "3"}),  # three iterations
        (False, 2, {"count": "4"}),
    ],
)
def test_loops(together: bool, width: int, parts: dict[str, str]) -> None:
    assert (f"<{width} x double>" in loop(width, **parts)) == together
