"""Numbers lowered behind a comparison that says that they are large enough do not wrap."""

from __future__ import annotations

import pytest

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loop_bounds import BoundedForms, LoopBounds
from enzyme.analysis.loops import LoopForest
from enzyme.analysis.polynomials import Polynomial, counter
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


WAYS = """
define i64 @f(i64 %n, i64 %m, i1 %c) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  br i1 %c, label %one, label %other
one:
  %a = add i64 %i, 1
  br label %end
other:
  %b = add i64 LEFT, 1
  br label %end
end:
  %joined = phi i64 [ %a, %one ], [ %b, %other ]
  %twice = shl i64 %joined, 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %head, label %out
out:
  %last = phi i64 [ %i, %end ]
  %behind = phi i64 [ %joined, %end ]
  ret i64 %last
}
"""


def read(left: str) -> tuple[FunctionForms, dict[str | None, Value], Polynomial]:
    """The forms and the values of ``f``, and its loop's counter."""
    module = parse_module(WAYS.replace("LEFT", left))
    function = module.functions["f"]
    values: dict[str | None, Value] = {each.name: each for each in (*function.args, *function.instructions())}
    cfg = ControlFlowGraph(function)
    dominators = DominatorTree(cfg)
    loops = LoopForest(cfg, dominators)
    forms = FunctionForms(dominators, loops, DataLayout(""))
    return forms, values, Polynomial.variable(counter(loops.loops[0]))


def test_ways_that_meet() -> None:
    forms, values, number = read("%i")
    assert forms.integer(values["joined"]) == number.plus(Polynomial.number(1))
    assert forms.integer(values["twice"]) == number.times(Polynomial.number(2)).plus(Polynomial.number(2))
    forms, values, _ = read("%m")
    assert forms.integer(values["joined"]) == Polynomial.variable((values["joined"], "sext"))


def test_behind_a_loop() -> None:
    """The last iteration has the number of the rounds, less one."""
    forms, values, number = read("%i")
    rounds = forms.rounds(number.terms[0][0][0][0])  # type: ignore[arg-type]
    assert rounds is not None
    assert forms.integer(values["last"]) == rounds.minus(Polynomial.number(1))
    assert forms.integer(values["behind"]) == rounds
    forms, values, _ = read("%m")
    assert forms.integer(values["behind"]) == Polynomial.variable((values["behind"], "sext"))


_LOW_HALF = """
define i64 @f(i64 %n) {
entry:
  %more = icmp sgt i64 %n, 3
  br i1 %more, label %between, label %end
between:
  %less = icmp slt i64 %n, LIMIT
  br i1 %less, label %on, label %end
on:
  %sum = add i64 %n, 4294967295
  %low = and i64 %sum, 4294967295
  br label %end
end:
  ret i64 0
}
"""


@pytest.mark.parametrize(("limit", "known"), [(1000, True), (1 << 32, True), (1 << 40, False)])
@pytest.mark.parametrize("trusting", [False, True])
def test_the_low_half_of_one_less(limit: int, known: bool, trusting: bool) -> None:
    """It is one less where that is seen to fit, and never taken on trust: the program would ask for another number."""
    module = parse_module(_LOW_HALF.replace("LIMIT", str(limit)))
    values = {each.name: each for each in module.functions["f"].instructions()}
    dominators = DominatorTree(cfg := ControlFlowGraph(module.functions["f"]))
    bounds = LoopBounds(dominators, LoopForest(cfg, dominators), DataLayout(""))
    forms = BoundedForms(bounds, DataLayout(""), trusting=trusting)
    n: Value = module.functions["f"].args[0]
    one_less = Polynomial.variable((n, "sext")).plus(Polynomial.number(-1))
    assert (forms.integer(values["low"]) == one_less) == known
    assert not forms.assumed
