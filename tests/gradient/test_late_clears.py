"""Which calls that clear are left to the groups of lanes, and on which ways to the loop."""

from __future__ import annotations

import pytest

from enzyme.gradient.engine import Engine
from enzyme.gradient.group_loops import group_loops
from enzyme.gradient.interleaved import find_interleaved
from enzyme.gradient.late_clears import find_late_clears
from enzyme.gradient.request import Request
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function, print_module
from enzyme.llvm.pipelines import optimise
from enzyme.support.config import Config

TEXT = """target datalayout = "e-p:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare double @llvm.sin.f64(double)
define double @f(double %a, ptr noalias %x, i64 %n, i1 %way) {
entry:
  %size = shl i64 %n, 3
  %own = call noalias ptr @malloc(i64 %size)
  %two = call noalias ptr @malloc(i64 16)
  store double %a, ptr %two, align 8
  store double %a, ptr %own, align 8
  br TO
clear:
  call void @llvm.memset.p0.i64(ptr %own, i8 0, i64 %size, i1 false)
  BEHIND
  br label %join
join:
  br i1 ENTERS, label %ahead, label %end
ahead:
  FRONT
  br label %loop
loop:
  %j = phi i64 [ 0, %ahead ], [ %j.next, %loop ]
  %from = getelementptr inbounds double, ptr %x, i64 %j
  %to = getelementptr inbounds double, ptr %own, i64 %j
  %factor = load double, ptr %from, align 8
  %was = load double, ptr %to, align 8
  %more = fmul double %factor, %a
  %sum = fadd double %was, %more
  store double %sum, ptr %to, align 8
  %j.next = add i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %behind, label %loop
behind:
  br label %end
end:
  %last = load double, ptr %own, align 8
  call void @free(ptr %two)
  call void @free(ptr %own)
  ret double %last
}
"""
REQUEST = Request("f", "forward", ("dup", "const", "const", "const"), "dup", width=9)


def program(to: str = "label %clear", enters: str = "true", behind: str = "", front: str = "") -> str:
    return TEXT.replace("TO", to).replace("ENTERS", enters).replace("BEHIND", behind).replace("FRONT", front)


def ways(text: str) -> list[list[str | None]]:
    engine = Engine(parse_module(text), Config())
    subject = engine.subject("f")
    activity = subject.activity(REQUEST)
    interleaved = find_interleaved(subject, activity)
    plan = group_loops(subject, activity, interleaved, True, engine.config)
    return [[block.name for block in each.way] for each in find_late_clears(subject, interleaved, plan)]


def derived(text: str, **settings: bool) -> str:
    module = parse_module(text)
    made = Engine(module, Config(**settings)).derivative(REQUEST)  # type: ignore[arg-type]
    optimise(print_module(module), 3)  # LLVM's verifier sees it
    return print_function(made)


WAY = ["clear", "join", "ahead"]


def test_ways() -> None:
    assert ways(program()) == [WAY]
    assert ways(program("i1 %way, label %clear, label %join", "%way")) == [WAY], "past the call, and past the loop"
    assert ways(program(behind="%s = call double @llvm.sin.f64(double %a)")) == [WAY]
    assert ways(program(behind="call void @llvm.memset.p0.i64(ptr %two, i8 0, i64 16, i1 false)")) == [WAY]


@pytest.mark.parametrize(
    "inst",
    [
        "%o = load double, ptr %own, align 8",
        "store double %a, ptr %own, align 8",
        "call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %two, i64 16, i1 false)",
        "%o = call noalias ptr @malloc(i64 8)",
    ],
)
def test_what_looks_at_tangents_in_between(inst: str) -> None:
    assert not ways(program(behind=inst)) and not ways(program(front=inst))


def test_what_is_cleared_where() -> None:
    plain = derived(program(), column_strips=False)
    late = derived(program("i1 %way, label %clear, label %join", "%way"))
    assert plain.count("call void @llvm.memset") == 1 + 3, "the numbers, and three groups of lanes"
    assert late.count("call void @llvm.memset") == 1 + 2 * 3, "in front of the loop, and where the way leaves"
    assert late.index("clear:") < late.index("phi i64 [ %size, %clear ], [ 0, %entry ]") < late.index("loop:")
