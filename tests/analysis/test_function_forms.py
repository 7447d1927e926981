"""Numbers lowered behind a comparison that says that they are large enough do not wrap."""

from __future__ import annotations

import pytest

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import LoopForest
from enzyme.analysis.polynomials import Polynomial
from enzyme.ir.layout import DataLayout
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Value

PROGRAM = """
define i64 @f(i32 %n, i32 %m, i1 %c) {
entry:
  %asked = icmp COMPARISON
  br i1 %asked, label %yes, label %no
yes:
  br i1 %c, label %on, label %end
on:
  %a = add i32 %n, NUMBER
  %wide = sext i32 %a to i64
  br label %end
no:
  %b = add i32 %n, NUMBER
  %wider = sext i32 %b to i64
  br label %JOIN
end:
  ret i64 0
}
"""
LEAST = -(1 << 31)


def lowered(comparison: str, number: int, name: str, join: str = "end") -> bool:
    """Whether a sum in ``f`` is known to be the number and what is added to it."""
    text = PROGRAM.replace("COMPARISON", comparison).replace("NUMBER", str(number)).replace("JOIN", join)
    module = parse_module(text)
    function = module.functions["f"]
    values = {each.name: each for each in function.instructions()}
    cfg = ControlFlowGraph(function)
    dominators = DominatorTree(cfg)
    forms = FunctionForms(dominators, LoopForest(cfg, dominators), DataLayout(""))
    n: Value = function.args[0]
    return forms.integer(values[name]) == Polynomial.variable((n, "sext")).plus(Polynomial.number(number))


@pytest.mark.parametrize(
    ("comparison", "number", "there", "elsewhere"),
    [
        ("sgt i32 %n, 0", -1, True, False),
        ("sge i32 %n, 0", -1, True, False),
        ("slt i32 %n, 0", -1, False, True),
        ("sle i32 %n, 0", -1, False, True),
        ("eq i32 %n, 0", -1, False, False),
        ("ugt i32 %n, 3", -1, False, False),
        ("sgt i32 %m, 0", -1, False, False),
        ("sgt i32 0, %n", -1, False, False),
        ("sgt i32 %n, 0", 1, False, False),
        (f"sgt i32 %n, {LEAST}", -1, True, False),
        (f"sge i32 %n, {LEAST}", -1, False, False),
        (f"sgt i32 %n, {LEAST}", -2, False, False),
        ("sgt i32 %n, -5", LEAST + 4, True, False),
        ("sgt i32 %n, -5", LEAST + 3, False, False),
    ],
)
def test_what_comparisons_say(comparison: str, number: int, there: bool, elsewhere: bool) -> None:
    assert lowered(comparison, number, "wide") == there
    assert lowered(comparison, number, "wider") == elsewhere


def test_a_block_that_is_reached_on_both_ways() -> None:
    assert not lowered("sgt i32 %n, 0", -1, "wide", join="on")
