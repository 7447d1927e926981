"""What is taken out of a program to be differentiated."""

from __future__ import annotations

from enzyme.gradient.extract import extract
from enzyme.ir.parser import parse_module

COROUTINE = """
define void @resume(ptr %next, ptr %frame, i1 %more) {
entry:
  br i1 %more, label %on, label %done
on:
  musttail call void %next(ptr %next, ptr %frame, i1 true)
  ret void
done:
  ret void
}
define void @thunk(ptr %p, ...) {
  musttail call void (ptr, ...) @printed(ptr %p, ...)
  ret void
}
declare void @printed(ptr, ...)
"""


def test_demanded_tail_calls_are_calls() -> None:
    """LLVM, told to give functions one exit, put a branch behind those of coroutines, and died of it."""
    text = extract(parse_module(COROUTINE), ["resume", "thunk"])
    assert "  tail call void %next(" in text and "musttail call void (ptr, ...) @printed(" in text
