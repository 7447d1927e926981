"""What functions have written, and read without having written it, with those that they call."""

from __future__ import annotations

import pytest

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.covered import CoveredReads
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import LoopForest
from enzyme.analysis.modref import ModuleSummaries
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Function
from enzyme.rules.known import known_callee

ROWS = """
define void @fill(ptr %p, i64 %m) {
entry:
  %any = icmp sgt i64 %m, 0
  br i1 %any, label %some, label %done
some:
  br label %row
row:
  %i = phi i64 [ 0, %some ], [ %i.next, %ended ]
  %first = mul nsw i64 %i, %m
  br label %each
each:
  %j = phi i64 [ 0, %row ], [ %j.next, %each ]
  %at = add nsw i64 %first, %j
  %place = getelementptr inbounds double, ptr %p, i64 %at
  store double 1.0, ptr %place
  %j.next = add nsw i64 %j, 1
  %more = icmp slt i64 %j.next, COLUMNS
  br i1 %more, label %each, label %ended
ended:
  %i.next = add nsw i64 %i, 1
  %again = icmp slt i64 %i.next, %m
  br i1 %again, label %row, label %done
done:
  ret void
}
"""
PAIRS = """
define void @fill(ptr %p, i64 %m) {
entry:
  %none = icmp slt i64 %m, 1
  br i1 %none, label %done, label %some
some:
  br label %each
each:
  %j = phi i64 [ 0, %some ], [ %j.next, %each ]
  %place = getelementptr inbounds [2 x double], ptr %p, i64 %j
  store double 1.0, ptr %place
  %other = getelementptr inbounds i8, ptr %place, i64 OFFSET
  store double 2.0, ptr %other
  %j.next = add nsw i64 %j, 1
  %more = icmp slt i64 %j.next, %m
  br i1 %more, label %each, label %done
done:
  ret void
}
"""
WAYS = """
define void @fill(ptr %p, i64 %m) {
entry:
  %c = icmp slt i64 %m, 3
  br i1 %c, label %one, label %two
one:
  store <2 x double> zeroinitializer, ptr %p
  br label %done
two:
  store double 0.0, ptr %p
  %next = getelementptr inbounds i8, ptr %p, i64 8
  store NUMBER, ptr %next
  br label %done
done:
  ret void
}
"""
CALLER = """
define double @whole(ptr %a, i64 %n) {
  call void @fill(ptr %a, i64 GIVEN)
  %place = getelementptr inbounds double, ptr %a, i64 PLACE
  %number = load double, ptr %place
  ret double %number
}
"""


def reads_of(module: Module) -> dict[Function, CoveredReads]:
    """The answers for each function of a module."""
    summaries = ModuleSummaries(module, known_callee)
    found: dict[Function, CoveredReads] = {}
    for function in module.functions.values():
        if not function.is_declaration:
            cfg = ControlFlowGraph(function)
            dominators = DominatorTree(cfg)
            alias = AliasAnalysis(function, module, known_callee, summaries)
            loops = LoopForest(cfg, dominators)
            found[function] = CoveredReads(alias, dominators, loops, DataLayout(""), found.get)
    return found


def is_exposed(text: str) -> bool:
    """Whether ``whole`` may read what was behind its parameter before."""
    module = parse_module(text)
    function = module.functions["whole"]
    return reads_of(module)[function].exposed(function.args[0]) is not None


@pytest.mark.parametrize(
    ("columns", "given", "place", "exposed"),
    [
        ("%m", "5", "0", False),
        ("%m", "5", "24", False),
        ("%m", "5", "25", True),
        ("%m", "5", "-1", True),
        ("4", "5", "24", True),
        ("4", "4", "15", True),  # how far rows are apart is only told as %m
        ("%m", "%n", "0", True),  # there may be none
        ("%m", "0", "0", True),
        ("%m", "-3", "0", True),
    ],
)
def test_rows(columns: str, given: str, place: str, exposed: bool) -> None:
    text = ROWS.replace("COLUMNS", columns) + CALLER.replace("GIVEN", given).replace("PLACE", place)
    assert is_exposed(text) is exposed


def test_as_many_as_a_loop_reads() -> None:
    """There are some, where the loop is entered that reads them."""
    caller = """
define double @whole(ptr %a, i64 %n) {
entry:
  call void @fill(ptr %a, i64 %n)
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %some, label %done
some:
  br label %each
each:
  %i = phi i64 [ 0, %some ], [ %i.next, %each ]
  %place = getelementptr inbounds TYPE, ptr %a, i64 %i
  %number = load double, ptr %place
  %i.next = add nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %each, label %done
done:
  ret double 0.0
}
"""
    pairs = PAIRS.replace("OFFSET", "8")
    assert not is_exposed(pairs + caller.replace("TYPE", "[2 x double]"))
    assert is_exposed(pairs + caller.replace("TYPE", "[3 x double]"))


@pytest.mark.parametrize(
    ("offset", "place", "exposed"), [("8", "5", False), ("8", "6", True), ("0", "1", True), ("16", "0", True)]
)
def test_several_stores_in_a_round(offset: str, place: str, exposed: bool) -> None:
    text = PAIRS.replace("OFFSET", offset) + CALLER.replace("GIVEN", "3").replace("PLACE", place)
    assert is_exposed(text) is exposed


def test_ways_past_the_question() -> None:
    """Nothing is said of a loop where the program may come to what is behind it without having asked."""
    pairs = PAIRS.replace("OFFSET", "8")
    around = pairs.replace(
        "entry:\n", "entry:\n  %c = icmp eq i64 %m, 3\n  br i1 %c, label %done, label %asks\nasks:\n"
    )
    for text, exposed in ((pairs, False), (around, True)):
        assert is_exposed(text + CALLER.replace("GIVEN", "3").replace("PLACE", "0")) is exposed


@pytest.mark.parametrize(("number", "place", "exposed"), [("double 1.0", "1", False), ("float 1.0", "1", True)])
def test_both_ways_to_the_end(number: str, place: str, exposed: bool) -> None:
    text = WAYS.replace("NUMBER", number) + CALLER.replace("GIVEN", "%n").replace("PLACE", place)
    assert is_exposed(text) is exposed


@pytest.mark.parametrize(
    ("use", "captured"),
    [
        ("%c = icmp ult i64 %more, %m", False),
        ("%v = inttoptr i64 %more to ptr\n  %c = icmp eq ptr %v, %p", True),
        ("store i64 %more, ptr %q\n  %c = icmp eq i64 %m, 0", True),
    ],
)
def test_an_address_that_is_only_compared_is_not_kept(use: str, captured: bool) -> None:
    module = parse_module(f"""
define i1 @f(ptr %p, ptr %q, i64 %m) {{
  %number = ptrtoint ptr %p to i64
  %more = add i64 %number, 8
  {use}
  ret i1 %c
}}
""")
    summary = ModuleSummaries(module, known_callee).summary(module.functions["f"])
    assert summary is not None
    assert (0 in summary.captures) is captured


ROUNDS = """
define void @whole(ptr %a, ptr %x, i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %some, label %done
some:
  FIRST
  br label %each
each:
  %j = phi i64 [ START, %some ], [ %j.next, %each.end ]
  %read = getelementptr inbounds double, ptr %a, i64 READ
  %number = load double, ptr %read
  WRITES
writes:
  %place = getelementptr inbounds double, ptr %a, i64 %j
  store double %number, ptr %place
  br label %each.end
each.end:
  %j.next = add nsw i64 %j, STEP
  %more = icmp COMPARE i64 %j.next, LIMIT
  br i1 %more, label %each, label %behind
behind:
  AFTER
  br label %done
done:
  ret void
}
"""
UP = {
    "START": "1",
    "READ": "%back",
    "WRITES": "br label %writes",
    "STEP": "1",
    "COMPARE": "slt",
    "LIMIT": "%n",
    "AFTER": "",
}
SOMETIMES = "%c = icmp eq i64 %j, 3\n  br i1 %c, label %writes, label %each.end"
SET_FIRST = "store double 1.0, ptr %a"
DOWN = {**UP, "START": "6", "STEP": "-1", "COMPARE": "sge", "LIMIT": "0"}
SET_LAST = "%end = getelementptr inbounds double, ptr %a, i64 7\n  store double 1.0, ptr %end"
LOAD = "%at = getelementptr inbounds double, ptr %a, i64 PLACE\n  %last = load double, ptr %at"


@pytest.mark.parametrize(
    ("parts", "exposed"),
    [
        ({**UP, "FIRST": SET_FIRST}, False),
        ({**UP, "FIRST": ""}, True),
        ({**UP, "FIRST": SET_FIRST, "READ": "%j"}, True),  # what this round is about to write
        ({**UP, "FIRST": SET_FIRST, "START": "2"}, True),  # one is left out
        ({**UP, "FIRST": SET_FIRST, "WRITES": SOMETIMES}, True),
        ({**UP, "FIRST": SET_FIRST, "STEP": "2"}, True),
        ({**DOWN, "FIRST": SET_LAST, "READ": "%ahead"}, False),
        ({**DOWN, "FIRST": SET_LAST}, True),
        ({**DOWN, "FIRST": "", "READ": "%ahead"}, True),
        ({**DOWN, "FIRST": SET_LAST, "READ": "%ahead", "AFTER": LOAD.replace("PLACE", "0")}, False),
        ({**DOWN, "FIRST": SET_LAST, "READ": "%ahead", "AFTER": LOAD.replace("PLACE", "-1")}, True),
        ({**DOWN, "FIRST": SET_LAST, "READ": "%ahead", "AFTER": LOAD.replace("PLACE", "8")}, True),
    ],
)
def test_rounds_before_the_present_one(parts: dict[str, str], exposed: bool) -> None:
    read = parts["READ"]
    opening = {"%back": "%back = add nsw i64 %j, -1", "%ahead": "%ahead = add nsw i64 %j, 1"}.get(read, "")
    text = ROUNDS.replace("  %read =", f"  {opening}\n  %read =")
    for name, part in parts.items():
        text = text.replace(name, part)
    assert is_exposed(text) is exposed


TRIANGLE = """
define void @whole(ptr %a) {
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %ended ]
  %first = mul nsw i64 %i, 4
  %above = icmp ne i64 %i, 0
  br i1 %above, label %some, label %ended
some:
  br label %each
each:
  %j = phi i64 [ 0, %some ], [ %j.next, %each ]
  %at = add nsw i64 %first, %j
  %place = getelementptr inbounds double, ptr %a, i64 %at
  store double 1.0, ptr %place
  %j.next = add nsw i64 %j, 1
  %more = icmp ne i64 %j.next, %i
  br i1 %more, label %each, label %ended
ended:
  %i.next = add nsw i64 %i, 1
  %again = icmp slt i64 %i.next, 4
  br i1 %again, label %row, label %below
below:
  br label %k.row
k.row:
  %k = phi i64 [ 1, %below ], [ %k.next, %k.ended ]
  %k.next = add nsw i64 %k, 1
  br label %l.each
l.each:
  %l = phi i64 [ 0, %k.row ], [ %l.next, %l.each ]
  %k.first = mul nsw i64 %k, 4
  %l.at = add nsw i64 %k.first, %l
  %l.place = getelementptr inbounds double, ptr %a, i64 %l.at
  %number = load double, ptr %l.place
  %l.next = add nsw i64 %l, 1
  %l.more = icmp slt i64 %l.next, END
  br i1 %l.more, label %l.each, label %k.ended
k.ended:
  %k.again = icmp slt i64 %k.next, 4
  br i1 %k.again, label %k.row, label %done
done:
  ret void
}
"""


@pytest.mark.parametrize(("end", "exposed"), [("%k", False), ("%k.next", True), ("2", True)])
def test_small_triangles(end: str, exposed: bool) -> None:
    """What is below the diagonal has been written; what is on it has not."""
    assert is_exposed(TRIANGLE.replace("END", end)) is exposed
