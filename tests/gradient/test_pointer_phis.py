"""Addresses that meet as integers meet as pointers."""

from __future__ import annotations

import ctypes

import pytest

from enzyme.gradient.pointer_phis import with_pointer_phis
from enzyme.llvm.context import parse
from enzyme.llvm.jit import JITModule, emit_for_jit

SWAPPED = """
define double @f(ptr %p, ptr %q, i64 %n) {
start:
  %a = ptrtoint ptr %p to i64
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %u = phi i64 [ %a, %start ], [ %v, %loop ]
  %v = phi i64 [ BEGIN, %start ], [ %u, %loop ]
  %from = inttoptr i64 %u to ptr
  %to = inttoptr i64 %v to ptr
  %x = load double, ptr %from
  %y = fmul double %x, 3.0
  store double %y, ptr %to
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  %last = phi i64 [ %v, %loop ]
  %some = icmp ugt i64 %last, 4096
  %chosen = select i1 %some, i64 %last, i64 %a
  %at = inttoptr i64 %chosen to ptr
  %z = load double, ptr %at
  ret double %z
}
"""


def _run(text: str, n: int) -> float:
    module = JITModule(emit_for_jit(text))
    prototype = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    function = prototype(module.load(["f"])["f"])
    numbers = (ctypes.c_double * 2)(2.0, 5.0)
    return function(ctypes.addressof(numbers), ctypes.addressof(numbers) + 8, n)


@pytest.mark.parametrize(
    ("begin", "front"),
    [
        ("%b", "%b = ptrtoint ptr %q to i64"),
        ("%b", "%slot = alloca ptr\n  store ptr %q, ptr %slot\n  %b = load i64, ptr %slot"),
    ],
)
def test_swapped(begin: str, front: str) -> None:
    text = SWAPPED.replace("BEGIN", begin).replace("start:\n", f"start:\n  {front}\n", 1)
    made = with_pointer_phis(text)
    parse(made)
    assert "inttoptr" not in made and made.count("phi ptr") == 3 and "phi i64 [ 0" in made
    for n in (1, 2, 3):
        assert _run(made, n) == _run(text, n)


def test_constants_are_addresses() -> None:
    made = with_pointer_phis(SWAPPED.replace("BEGIN", "8"))
    parse(made)
    assert "[ inttoptr (i64 8 to ptr), %start ]" in made
    assert "[ null, %start ]" in with_pointer_phis(SWAPPED.replace("BEGIN", "0"))
    assert "[ poison, %start ]" in with_pointer_phis(SWAPPED.replace("BEGIN", "poison"))


@pytest.mark.parametrize("front", ["%b = add i64 %n, 0", "%b = load volatile i64, ptr %q"])
def test_other_integers_stay(front: str) -> None:
    text = SWAPPED.replace("BEGIN", "%b").replace("start:\n", f"start:\n  {front}\n", 1)
    assert with_pointer_phis(text) == text


@pytest.mark.parametrize("use", ["%d = bitcast i64 %last to double", "store i64 %last, ptr %q"])
def test_words_that_may_be_numbers_stay(use: str) -> None:
    front = "%b = load i64, ptr %q"
    text = SWAPPED.replace("BEGIN", "%b").replace("start:\n", f"start:\n  {front}\n", 1)
    assert with_pointer_phis(text) != text
    text = text.replace("  %some =", f"  {use}\n  %some =")
    assert with_pointer_phis(text) == text


def test_counters_stay() -> None:
    text = SWAPPED.replace("BEGIN", "%a").replace("inttoptr i64 %u to ptr", "getelementptr i8, ptr %p, i64 %i")
    made = with_pointer_phis(text)
    assert "%i = phi i64 [ 0, %start ], [ %next, %loop ]" in made
