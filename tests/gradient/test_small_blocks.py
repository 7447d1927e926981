"""Which blocks of an optimised program lie on the stack while they are small."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import pytest

from enzyme.llvm.context import parse
from enzyme.llvm.small_blocks import with_small_blocks
from enzyme.optimise import optimise_program
from enzyme.support.config import Config

HEAD = """target triple = "x86_64-unknown-linux-gnu"
@kept = global ptr null
TABLE
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare noalias ptr @_Znwm(i64)
declare void @free(ptr allocptr captures(none)) #2
declare void @_ZdlPvm(ptr, i64) #2
declare void @reads(ptr captures(none)) #0
declare void @outside()
declare i32 @setjmp(ptr) #3
attributes #0 = { nofree nocallback }
attributes #1 = { sanitize_address }
attributes #2 = { nocallback }
attributes #3 = { returns_twice nocallback }
"""
PLAIN = """define double @f(i64 %n, double %x, i1 %c, ptr %p) ATTRIBUTES {
entry:
  %a = call noalias ptr ASKED
  store double %x, ptr %a
  WITH
  %v = load double, ptr %a
  call void @free(ptr nonnull %a)
  ret double %v
}
"""


def function(asked: str = "@malloc(i64 %n)", between: str = "", attributes: str = "", table: str = "") -> str:
    text = HEAD + PLAIN
    return (
        text.replace("ASKED", asked).replace("WITH", between).replace("ATTRIBUTES", attributes).replace("TABLE", table)
    )


def rewritten(text: str) -> str:
    made = with_small_blocks(str(parse(text.replace("TABLE", ""))))
    parse(made).verify()
    return made


def rooms(text: str) -> int:
    return rewritten(text).count(" = alloca [")


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ("@malloc(i64 %n)", 1),
        ("@malloc(i64 noundef 2000)", 1),
        ("@malloc(i64 2048)", 0),
        ("@calloc(i64 1, i64 %n)", 1),
        ("@calloc(i64 %n, i64 8)", 1),
        ("@calloc(i64 %n, i64 %n)", 0),
        ("@calloc(i64 %n, i64 3000)", 0),
        ("@_Znwm(i64 %n)", 1),
    ],
)
def test_sizes(asked: str, count: int) -> None:
    assert rooms(function(asked)) == count


def test_what_is_given_back_is_a_block_of_the_allocator() -> None:
    made = rewritten(function())
    assert 'call void @free(ptr %"a.small.block")' in made, "none, where it is not, so not nonnull"
    sized = function("@_Znwm(i64 %n)").replace("@free(ptr nonnull %a)", "@_ZdlPvm(ptr noundef %a, i64 noundef %n)")
    assert '@_ZdlPvm(ptr noundef %"a.small.block", i64 noundef %n)' in rewritten(sized)


@pytest.mark.parametrize(
    ("between", "count"),
    [
        ("call void @reads(ptr %a)", 1),
        ("call void @outside()", 1),
        ("store ptr %a, ptr @kept", 0),
        ("%r = call i32 @setjmp(ptr %p)", 0),
        ("%r = call double @f(i64 1, double 0.0, i1 %c, ptr %p)", 0),
        ("%r = call double @g(i64 1)", 0),
        ("call void %p()", 1),
    ],
)
def test_what_else_the_function_does(between: str, count: int) -> None:
    other = """
define internal double @g(i64 %n) {
  %r = call double @f(i64 %n, double 0.0, i1 false, ptr null)
  ret double %r
}
"""
    assert rooms(function(between=between) + other) == count


@pytest.mark.parametrize("between", ["call void @outside()", "call void %p()"])
def test_functions_that_others_may_have_the_address_of(between: str) -> None:
    """Then what is not known may call them."""
    assert rooms(function(between=between, table="@table = global ptr @f")) == 0
    assert rooms(function(between="call void @reads(ptr %a)", table="@table = global ptr @f")) == 1


def test_sanitised_functions_and_allocators_of_the_program_stay() -> None:
    assert rooms(function(attributes="#1")) == 0
    lines = (line for line in function().split("\n") if not line.startswith("declare noalias ptr @malloc"))
    assert rooms("\n".join(lines) + "define ptr @malloc(i64 %n) {\n  ret ptr null\n}") == 0


def test_no_call_that_gets_the_address_leaves_the_stack_alone() -> None:
    made = rewritten(function(between="tail call void @reads(ptr %a)\n  notail call void @reads(ptr %a)"))
    assert "  call void @reads" in made and "notail call void @reads" in made and "  tail call void @reads" not in made


def test_no_more_than_eight() -> None:
    many = "\n  ".join(f"%a{i} = call ptr @malloc(i64 %n)\n  call void @free(ptr %a{i})" for i in range(11))
    made = rewritten(function(between=many))
    assert len(re.findall(r" = alloca \[", made)) == 8


LOOP = """define double @f(i64 %n) {
  br label %1
1:
  %2 = phi i64 [ 0, %0 ], [ %10, %8 ]
  %3 = phi double [ 0.0, %0 ], [ %9, %8 ]
  PHI
  %4 = shl i64 %2, 3
  %5 = call ptr @calloc(i64 %2, i64 8)
  %6 = call ptr @malloc(i64 %4)
  %7 = icmp eq i64 %2, 0
  br i1 %7, label %8, label %fill
fill:
  %j = phi i64 [ 0, %1 ], [ %j.next, %fill ]
  %at = getelementptr double, ptr %5, i64 %j
  %to = getelementptr double, ptr %6, i64 %j
  %was = load double, ptr %at
  %more = fadd double %was, 1.0
  store double %more, ptr %to
  store double %more, ptr %at
  %j.next = add i64 %j, 1
  %end = icmp eq i64 %j.next, %2
  br i1 %end, label %behind, label %fill
behind:
  %from = getelementptr double, ptr %6, i64 %j
  %last = load double, ptr %from
  switch i64 %2, label %8 [
    i64 3, label %8
    i64 5, label %8
  ]
8:
  %v = phi double [ 0.0, %1 ], [ %last, %behind ], [ %last, %behind ], [ %last, %behind ]
  %9 = fadd double %3, %v
  GIVEN
  call void @free(ptr %6)
  %10 = add i64 %2, 1
  %11 = icmp eq i64 %2, %n
  br i1 %11, label %12, label %1
12:
  ret double %9
}
"""


def compiled(text: str) -> Callable[[int], float]:
    import llvmlite.binding as llvm

    from enzyme.llvm.codegen import target_machine

    module = parse(text)
    module.verify()
    engine = llvm.create_mcjit_compiler(module.handle, target_machine(module))
    f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(engine.get_function_address("f"))
    return lambda n: f(n) + 0 * id(engine)


def test_loops_have_the_same_room_again() -> None:
    text = (HEAD + LOOP).replace("PHI", "").replace("GIVEN", "call void @free(ptr %5)").replace("TABLE", "")
    assert rooms(text) == 2
    made = with_small_blocks(str(parse(text)))
    for config in (Config(), Config(aligned_blocks=False), Config(small_blocks=False)):
        whole = optimise_program(text, 3, "post", config)
        assert ("small.room" in whole) == config.small_blocks
        f, plain = compiled(whole), compiled(made)
        for n in (0, 1, 5, 255, 256, 257, 400):
            assert f(n) == plain(n) == n


def test_what_the_next_iteration_has_stays() -> None:
    """The block of the iteration before is given back by the next one: both are there at once."""
    text = HEAD + LOOP.replace("PHI", "%old = phi ptr [ null, %0 ], [ %5, %8 ]")
    assert rooms(text.replace("GIVEN", "call void @free(ptr %old)")) == 1


WAYS = """define double @f(i64 %0, double %1) {
  %3 = icmp ugt i64 %0, 9
  br i1 %3, label %4, label %7
4:
  %5 = call noalias ptr @malloc(i64 %0)
  store double %1, ptr %5
  %6 = load double, ptr %5
  br label %7
7:
  %8 = phi ptr [ %5, %4 ], [ OTHER, %2 ]
  %9 = phi double [ %6, %4 ], [ 0.0, %2 ]
  call void @free(ptr %8)
  ret double %9
}
"""


@pytest.mark.parametrize(("other", "count"), [("null", 1), ("poison", 1), ("@kept", 0)])
def test_a_block_of_one_way(other: str, count: int) -> None:
    assert rooms(HEAD + WAYS.replace("OTHER", other)) == count


def test_nests_of_loops_are_long() -> None:
    nest = """define void @f(i64 %n) {
  OUTSIDE
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i.next, %latch ]
  INSIDE
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %at = getelementptr double, ptr %a, i64 %j
  store double 1.0, ptr %at
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, %n
  br i1 %more, label %inner, label %latch
latch:
  FREED
  %i.next = add i64 %i, 1
  %again = icmp ult i64 %i.next, %n
  br i1 %again, label %outer, label %end
end:
  LAST
  ret void
}
"""
    asked, freed = "%a = call ptr @malloc(i64 %n)", "call void @free(ptr %a)"
    before = nest.replace("OUTSIDE", asked).replace("LAST", freed)
    each = nest.replace("INSIDE", asked).replace("FREED", freed)
    assert [rooms(HEAD + re.sub(r"OUTSIDE|INSIDE|FREED|LAST", "", text)) for text in (before, each)] == [0, 1]
