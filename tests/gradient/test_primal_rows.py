"""Rows of the primal's nests that are taken at once, and those that are not."""

from __future__ import annotations

import pytest

from enzyme.gradient.engine import Engine
from enzyme.gradient.request import Request
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_function, print_module
from enzyme.llvm.pipelines import optimise
from enzyme.support.config import Config

TEXT = """target datalayout = "e-p:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.experimental.noalias.scope.decl(metadata)
define double @f(double %a, ptr noalias %x, i64 %n, i64 %pitch, i64 %bones) {
entry:
  %size = mul i64 %n, 72
  %own = call noalias ptr @malloc(i64 %size)
  store double %a, ptr %own, align 8
  %any = icmp sgt i64 %n, 0
  br label %bone
bone:
  %b = phi i64 [ 0, %entry ], [ %b.next, %bone.end ]
  br label %row
row:
  %r = phi i64 [ 0, %bone ], [ %r.next, %row.end ]
  FRONT
  %start = mul nsw i64 %r, PITCH
  %to = getelementptr inbounds double, ptr %own, i64 %start
  br i1 %any, label %ahead, label %row.end
ahead:
  br label %column
column:
  %v = phi i64 [ 0, %ahead ], [ %v.next, %column ]
  %from = getelementptr inbounds double, ptr FROM, i64 %v
  %factor = load double, ptr %from, align 8
  %place = getelementptr inbounds double, ptr %to, i64 %v
  %was = load double, ptr %place, align 8
  %more = fmul double %factor, %a
  %sum = fadd double %was, %more
  store double %sum, ptr %place, align 8
  %v.next = add nuw nsw i64 %v, 1
  %done = icmp eq i64 %v.next, %n
  br i1 %done, label %column.end, label %column
column.end:
  br label %row.end
row.end:
  %r.next = add nuw nsw i64 %r, 1
  %rows = icmp eq i64 %r.next, 3
  br i1 %rows, label %bone.end, label %row
bone.end:
  %b.next = add nuw nsw i64 %b, 1
  %last = icmp eq i64 %b.next, %bones
  br i1 %last, label %end, label %bone
end:
  %result = load double, ptr %own, align 8
  call void @free(ptr %own)
  ret double %result
}
!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
"""
REQUEST = Request("f", "forward", ("dup", "const", "const", "const", "const"), "dup", width=8)


def stores(pitch: str = "%n", origin: str = "%x", front: str = "", **settings: bool) -> int:
    """How many stores of numbers the derivative's loops have; those of tangents are of vectors."""
    module = parse_module(TEXT.replace("PITCH", pitch).replace("FROM", origin).replace("FRONT", front))
    config = Config(lane_group=4, column_strips=False, **settings)  # type: ignore[arg-type]
    made = Engine(module, config).derivative(REQUEST)
    optimise(print_module(module), 3)  # LLVM's verifier sees it
    return print_function(made).count("store double ") - 1


def test_rows_side_by_side_are_taken_at_once() -> None:
    assert stores() == 3


@pytest.mark.parametrize(
    ("pitch", "origin", "front"),
    [
        ("%pitch", "%x", ""),
        ("20", "%x", ""),
        ("%n", "%own", ""),
        ("%n", "%x", "call void @llvm.experimental.noalias.scope.decl(metadata !2)"),
    ],
)
def test_rows_that_may_have_to_do_with_each_other(pitch: str, origin: str, front: str) -> None:
    assert stores(pitch, origin, front) == 1


def test_setting() -> None:
    assert stores(rows_together=False) == 1
