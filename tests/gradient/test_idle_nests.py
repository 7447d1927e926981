"""Nests that groups of lanes leave out where nothing that they read moves."""

from __future__ import annotations

import pytest

from enzyme.gradient.engine import Engine
from enzyme.gradient.group_loops import group_loops
from enzyme.gradient.idle_factors import Idle
from enzyme.gradient.interleaved import find_interleaved
from enzyme.gradient.request import Request
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function, print_module
from enzyme.llvm.pipelines import optimise
from enzyme.support.config import Config

TEXT = """target datalayout = "e-p:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare noalias ptr @malloc(i64)
declare void @free(ptr)
define double @f(double %a, ptr noalias %x, i64 %n, i1 %way) {
entry:
  %own = call noalias ptr @malloc(i64 72)
  %to = call noalias ptr @malloc(i64 24)
  store double %a, ptr %own, align 8
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row.end ]
  br label %column
column:
  %j = phi i64 [ 0, %row ], [ %j.next, %latch ]
  %place = getelementptr inbounds double, ptr %own, i64 %j
  %left = load double, ptr %place, align 8
  BRANCH
inside:
  %near = getelementptr inbounds i8, ptr %place, i64 8
  %right = load double, ptr %near, align 8
  %product = fmul double %left, %right
  %square = fmul double %product, %product
  %more = MORE
  %all = fadd double %square, %more
  br label %latch
latch:
  %sum = phi double [ %all, %inside ]ELSE
  %at = getelementptr inbounds double, ptr %to, i64 %i
  store double %sum, ptr %at, align 8
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, COLUMNS
  br i1 %done, label %row.end, label %column
row.end:
  %i.next = add nuw nsw i64 %i, 1
  %rows = icmp eq i64 %i.next, 3
  br i1 %rows, label %end, label %row
end:
  %last = load double, ptr %to, align 8
  call void @free(ptr %to)
  call void @free(ptr %own)
  ret double %last
}
"""
REQUEST = Request("f", "forward", ("dup", "const", "const", "const"), "dup", width=8)


def program(
    more: str = "fmul double %product, 3.0", columns: str = "4", branch: str = "br label %inside", other: str = ""
) -> str:
    text = TEXT.replace("MORE", more).replace("COLUMNS", columns).replace("BRANCH", branch)
    return text.replace("ELSE", other)


def idle(text: str, **settings: bool) -> Idle | None:
    engine = Engine(parse_module(text), Config(**settings))  # type: ignore[arg-type]
    subject = engine.subject("f")
    activity = subject.activity(REQUEST)
    interleaved = find_interleaved(subject, activity)
    (plan,) = group_loops(subject, activity, interleaved, True, engine.config)
    return plan.idle


def test_what_is_read() -> None:
    found = idle(program())
    assert found is not None and not found.factors
    assert sorted(each.offset for each in found.reads) == [0, 8, 16, 24, 32], "each number once"
    found = idle(program("fmul double %product, %a"))
    assert found is not None and [each.name for each in found.factors] == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        program(columns="%n"),
        program(columns="200"),
        program(branch="br i1 %way, label %inside, label %latch", other=", [ %left, %column ]"),
    ],
)
def test_what_may_not_be_read_is_not_looked_at(text: str) -> None:
    assert idle(text) is None


def test_settings() -> None:
    assert idle(program(), idle_factors=False) is None
    assert idle(program(), skip_idle_lanes=False) is None


def test_a_nest_that_writes_zeros() -> None:
    def derived(**settings: bool) -> str:
        module = parse_module(program())
        config = Config(lane_group=4, **settings)  # type: ignore[arg-type]
        made = Engine(module, config).derivative(REQUEST)
        optimise(print_module(module), 3)  # LLVM's verifier sees it
        return print_function(made)

    plain, text = derived(idle_factors=False), derived()
    assert "zeroinitializer, ptr" not in plain
    assert text.count("store <4 x double> zeroinitializer") == 2, "one for each group"
    assert text.count("load <4 x i64>") == 2 * 5
    assert text.count("load <4 x double>") == plain.count("load <4 x double>")
