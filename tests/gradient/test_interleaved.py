"""Which memory has its lanes side by side, and what becomes of the loops over it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from enzyme.gradient.engine import Engine
from enzyme.gradient.request import Request
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function
from enzyme.llvm.codegen import vector_bytes
from enzyme.support.config import Config
from enzyme.support.diagnostics import UsageError

LAYOUT = 'target datalayout = "e-p:64:64-i64:64-f80:128-n8:16:32:64-S128"\ntarget triple = "x86_64-unknown-linux-gnu"\n'
TEXT = (
    LAYOUT
    + """
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare void @taken(ptr)
define double @f(double %a, ptr %x, i64 %n) {
entry:
  %size = shl i64 %n, 3
  %own = call noalias ptr @malloc(i64 %size)
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i.next, %fill ]
  %start = getelementptr inbounds double, ptr %own, i64 %i
  store double 1.0, ptr %start, align 8
  %i.next = add i64 %i, 1
  %filled = icmp eq i64 %i.next, %n
  br i1 %filled, label %between, label %fill
between:
  br label %loop
loop:
  %j = phi i64 [ 0, %between ], [ %j.next, %loop ]
  %from = getelementptr inbounds double, ptr %x, i64 %j
  %to = getelementptr inbounds double, ptr %own, i64 %j
  %factor = load double, ptr %from, align 8
  %was = load double, ptr %to, align 8
  %more = fmul double %factor, %a
  %sum = fadd double %was, %more
  store double %sum, ptr %to, align 8
  %j.next = add i64 %j, 1
  %done = icmp eq i64 %j.next, %n
  br i1 %done, label %end, label %loop
end:
  %last = load double, ptr %own, align 8
  CALL
  call void @free(ptr %own)
  ret double %last
}
"""
)


def derivative(call: str = "", width: int = 6, **settings: Any) -> str:
    module = parse_module(TEXT.replace("CALL", call))
    engine = Engine(module, Config(**{"lane_group": 4, **settings}))
    return print_function(engine.derivative(Request("f", "forward", ("dup", "const", "const"), "active", width=width)))


def test_lanes_lie_side_by_side() -> None:
    text = derivative()
    assert "load <4 x double>" in text and "load <2 x double>" in text
    assert text.count("@aligned_alloc") == 1, "one block holds all lanes"
    assert text.count("@llvm.vector.reduce.or") == 2, "each group is asked whether it has anything to add"


@pytest.mark.parametrize("call", ["%p = ptrtoint ptr %own to i64", "%p = load i64, ptr %own, align 8"])
def test_memory_that_is_used_otherwise_has_lanes_apart(call: str) -> None:
    text = derivative(call)
    assert "x double>" not in text and text.count("@malloc") == 1 + 6


def test_switches() -> None:
    assert "x double>" not in derivative(interleave=False)
    assert "reduce.or" not in derivative(skip_idle_lanes=False)
    assert "lanes" not in [line.split(":")[0] for line in derivative(group_loops=False).splitlines()]
    assert "x double>" not in derivative(width=1)


@pytest.mark.parametrize(
    ("width", "settings", "lanes"),
    [
        (20, {}, 4),
        (8, {}, 8),
        (20, {"skip_idle_lanes": False}, 8),
        (20, {"group_loops": False}, 8),
        (20, {"cpu": "x86-64-v3"}, 4),
    ],
)
def test_groups_that_may_be_idle_are_half_of_a_wide_register(width: int, settings: dict[str, Any], lanes: int) -> None:
    text = derivative(width=width, **{"lane_group": 0, "cpu": "x86-64-v4", "pack_iterations": False, **settings})
    assert widest(text) == lanes


def widest(text: str) -> int:
    return max(map(int, re.findall(r"<(\d+) x double>", text)))


@pytest.mark.parametrize("group", [2, 4, 8])
def test_iterations_share_vectors(group: int) -> None:
    text = derivative(width=2 * group, lane_group=group, vector_bytes=64)
    assert widest(text) == 8
    assert text.count(f"= load <{group} x double>") == 4, "two groups: what remains, and the last number"
    if group < 8:
        assert text.count("= load <8 x double>") == 2 and text.count(f"= load <{8 // group} x double>") == 2


def test_iterations_share_no_vectors_where_groups_fill_them() -> None:
    assert widest(derivative(width=8, vector_bytes=32)) == 4
    assert widest(derivative(width=8, vector_bytes=64, pack_iterations=False)) == 4
    assert widest(derivative(width=3, lane_group=3, vector_bytes=64)) == 3


def test_sizes_of_vectors() -> None:
    with pytest.raises(UsageError, match="no vectors of 48 bytes"):
        Config(vector_bytes=48)


def test_registers_of_processors() -> None:
    x86 = "x86_64-unknown-linux-gnu"
    wide = ("x86-64-v4", "icelake-server", "znver5")
    assert [vector_bytes(cpu, x86) for cpu in (*wide, "haswell", "znver4", "")] == [64, 64, 64, 32, 32, 16]
    assert vector_bytes("neoverse-n1", "aarch64-unknown-linux-gnu") == 16
