"""Labels as values become numbers, loops get one entry; the programs in tests/programs/control run what comes out."""

from __future__ import annotations

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import LoopForest
from enzyme.gradient.jumps import number_labels, read_prepared
from enzyme.ir.printer import print_module
from enzyme.ir.verifier import verify_function
from enzyme.llvm.context import parse

COMPUTED = """\
@table = constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %2)]

define double @f(double %x, ptr %to) {
  indirectbr ptr %to, [label %one, label %2, label %one]

one:
  ret double %x

2:
  ret double 1.0
}
"""
TWO_ENTRIES = """\
define double @f(double %x, i1 %way, i32 %n) {
entry:
  %early = fmul double %x, %x
  br i1 %way, label %top, label %middle

top:
  %s = phi double [ %x, %entry ], [ %m, %middle ]
  %t = fadd double %s, %early
  br label %middle

middle:
  %a = phi double [ %early, %entry ], [ %t, %top ]
  %i = phi i32 [ 0, %entry ], [ %next, %top ]
  %m = fmul double %a, %x
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %top, label %out

out:
  ret double %m
}
"""


def test_labels_become_numbers() -> None:
    text = number_labels(COMPUTED)
    assert "[ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)]" in text
    assert "switch i64 %label.number.1, label %one [ i64 2, label %2  i64 -2, label %one ]" in text
    parse(text).verify()


def test_programs_without_computed_jumps_stay_as_they_are() -> None:
    assert number_labels(TWO_ENTRIES) is TWO_ENTRIES


def test_a_loop_gets_one_entry() -> None:
    module = read_prepared(TWO_ENTRIES)
    function = module.functions["f"]
    verify_function(function)
    parse(print_module(module)).verify()
    cfg = ControlFlowGraph(function)
    forest = LoopForest(cfg, DominatorTree(cfg))
    assert not forest.irreducible_edges
    assert forest.loops and all(loop.is_simple for loop in forest.loops)
