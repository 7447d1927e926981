"""Which blocks of an optimised program begin with a line of the cache."""

from __future__ import annotations

import ctypes

import pytest

from enzyme.llvm.aligned_blocks import with_aligned_blocks
from enzyme.llvm.context import parse
from enzyme.optimise import optimise_program
from enzyme.support.config import Config

HEAD = """target triple = "x86_64-unknown-linux-gnu"
@kept = global ptr null
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare noalias ptr @_Znwm(i64)
declare void @free(ptr allocptr captures(none))
declare void @_ZdlPvm(ptr, i64)
declare ptr @realloc(ptr, i64)
declare i64 @malloc_usable_size(ptr captures(none)) nofree
declare void @reads(ptr captures(none)) #0
declare void @may_free(ptr captures(none))
declare void @keeps(ptr) #0
attributes #0 = { nofree }
attributes #1 = { sanitize_address }
"""
PLAIN = """define double @f(i64 %n, double %x, i1 %c) ATTRIBUTES {
entry:
  %a = call noalias ptr MALLOC
  store double %x, ptr %a
  WITH
  %v = load double, ptr %a
  call void @free(ptr %a)
  ret double %v
}
"""


def function(asked: str = "@malloc(i64 %n)", between: str = "", attributes: str = "") -> str:
    text = HEAD + PLAIN
    return text.replace("MALLOC", asked).replace("WITH", between).replace("ATTRIBUTES", attributes)


def rewritten(text: str) -> str:
    made = with_aligned_blocks(str(parse(text)))
    parse(made).verify()
    return made


def aligned(text: str) -> int:
    return rewritten(text).count("call ptr @llvm.ptrmask")


@pytest.mark.parametrize(
    "asked",
    ["@malloc(i64 %n)", "@malloc(i64 noundef 4096)", "@calloc(i64 1, i64 %n)", "@calloc(i64 %n, i64 8)"]
    + ["@calloc(i64 8, i64 1000)"],
)
def test_blocks_that_stay_in_sight(asked: str) -> None:
    made = rewritten(function(asked))
    assert "@llvm.ptrmask" in made and 'call void @free(ptr %"a.aligned.block")' in made


@pytest.mark.parametrize("asked", ["@malloc(i64 2000)", "@calloc(i64 %n, i64 %n)", "@calloc(i64 %n, i64 1000)"])
def test_small_ones_and_products_stay(asked: str) -> None:
    assert aligned(function(asked)) == 0


@pytest.mark.parametrize(
    ("between", "count"),
    [
        ("call void @reads(ptr %a)", 1),
        ("%g = getelementptr i8, ptr %a, i64 8\n  call void @llvm.memset.p0.i64(ptr %g, i8 0, i64 8, i1 false)", 1),
        ("%g = ptrtoint ptr %a to i64\n  %h = sub i64 %g, %n\n  %i = icmp ult i64 %h, 64", 1),
        ("call void @may_free(ptr %a)", 0),
        ("call void @keeps(ptr %a)", 0),
        ("store ptr %a, ptr @kept", 0),
        ("%g = getelementptr i8, ptr %a, i64 8\n  store ptr %g, ptr @kept", 0),
        ("%g = ptrtoint ptr %a to i64\n  store i64 %g, ptr @kept", 0),
        ("%g = ptrtoint ptr %a to i64\n  %h = or i64 %g, 1\n  %i = inttoptr i64 %h to ptr", 0),
        ("%g = call ptr @realloc(ptr %a, i64 8)", 0),
        ("%g = call i64 @malloc_usable_size(ptr %a)", 0),
        ("%g = getelementptr i8, ptr %a, i64 0\n  call void @free(ptr %g)", 0),
        ("%g = select i1 %c, ptr %a, ptr null\n  call void @free(ptr %g)", 0),
        ('call void asm sideeffect "nop @x(", "r"(ptr %a)', 0),
        ("%g = cmpxchg ptr @kept, ptr null, ptr %a monotonic monotonic", 0),
    ],
)
def test_what_is_done_with_the_address(between: str, count: int) -> None:
    declared = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n" if "memset" in between else ""
    assert aligned(function(between=between) + declared) == count


@pytest.mark.parametrize("name", ["malloc", "free"])
def test_allocators_of_the_program_stay(name: str) -> None:
    own = {
        "malloc": "define ptr @malloc(i64 %n) {\n  ret ptr null\n}",
        "free": "define void @free(ptr %p) {\n  ret void\n}",
    }
    lines = (line for line in function().split("\n") if not (line.startswith("declare") and f"@{name}(" in line))
    assert aligned("\n".join(lines) + own[name]) == 0


LOOPS = """define void @f(i64 %n, i64 %bytes) {
entry:
  OUTSIDE
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  INSIDE
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %j.next = add i64 %j, 1
  %j.over = icmp eq i64 %j.next, %n
  br i1 %j.over, label %latch, label NEXT
latch:
  %i.next = add i64 %i, 1
  %i.over = icmp eq i64 %i.next, %n
  br i1 %i.over, label %end, label %outer
end:
  FREED
  ret void
}
"""
BLOCK = "%a = call noalias ptr @malloc(i64 SIZE)\n  store i64 0, ptr %a"


@pytest.mark.parametrize(
    ("size", "inside", "next", "count"),
    [
        ("256", "", "%inner", 1),
        ("255", "", "%inner", 0),
        ("%bytes", "", "%inner", 1),
        ("256", "", "%latch", 0),
        ("256", "%b = call ptr @malloc(i64 8)\n  call void @keeps(ptr %b)", "%inner", 0),
    ],
)
def test_around_nests(size: str, inside: str, next: str, count: int) -> None:
    """Smaller ones, where neither one loop alone nor allocations in loops are all there is."""
    block, freed = BLOCK.replace("SIZE", size), "call void @free(ptr %a)"
    loops = LOOPS.replace("OUTSIDE", block).replace("INSIDE", inside).replace("NEXT", next).replace("FREED", freed)
    if next != "%inner":
        loops = loops.replace(", [ %j.next, %inner ]", "")
    made = rewritten(HEAD + loops)
    assert made.count("call ptr @llvm.ptrmask") == count
    if size == "%bytes":
        assert "icmp ult i64 %bytes, 256" in made


def test_in_loops_of_nests() -> None:
    block = BLOCK.replace("SIZE", "1024") + "\n  call void @free(ptr %a)"
    loops = LOOPS.replace("OUTSIDE", "").replace("INSIDE", block).replace("NEXT", "%inner").replace("FREED", "")
    assert aligned(HEAD + loops) == 0 and aligned(HEAD + loops.replace("1024", "4096")) == 1


def test_sanitised_functions_stay() -> None:
    assert aligned(function(attributes="#1")) == 0


@pytest.mark.parametrize(("array", "align"), [("[32 x double]", 64), ("[16 x double]", 8), ("[32 x i64]", 8)])
def test_arrays_on_the_stack(array: str, align: int) -> None:
    text = f"""target triple = "x86_64-unknown-linux-gnu"
declare void @reads(ptr)
define void @f() ATTRIBUTES {{
  %a = alloca {array}, align 8
  call void @reads(ptr %a)
  ret void
}}
attributes #1 = {{ sanitize_address }}
"""
    assert f"alloca {array}, align {align}" in rewritten(text.replace("ATTRIBUTES", ""))
    assert f"alloca {array}, align 8" in rewritten(text.replace("ATTRIBUTES", "#1"))
    assert "align 128" in rewritten(text.replace("ATTRIBUTES", "").replace("align 8", "align 128"))


def test_sizes_are_given_back_with_the_block() -> None:
    text = function("@_Znwm(i64 %n)").replace("@free(ptr %a)", "@_ZdlPvm(ptr noundef %a, i64 noundef %n)")
    made = rewritten(text)
    assert '@_ZdlPvm(ptr noundef %"a.aligned.block", i64 noundef %"given.back.' in made


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
    assert aligned(HEAD + WAYS.replace("OTHER", other)) == count


def test_programs() -> None:
    """Blocks are used and freed, whatever is asked for, and the switch turns it off."""
    text = HEAD + WAYS.replace("OTHER", "null")
    assert "ptrmask" not in optimise_program(text, 3, "post", Config(aligned_blocks=False))
    import llvmlite.binding as llvm

    from enzyme.llvm.codegen import target_machine

    loops = """define double @f(i64 %n) {
entry:
  %s = shl i64 %n, 3
  %a = call noalias ptr @malloc(i64 %s)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr double, ptr %a, i64 %i
  %v = uitofp i64 %i to double
  store volatile double %v, ptr %at
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %last = getelementptr double, ptr %a, i64 %i
  %sum = load double, ptr %last
  call void @free(ptr %a)
  ret double %sum
}
"""
    made = optimise_program(HEAD + loops, 3, "post", Config())
    assert "ptrmask" in made
    module = parse(made)
    engine = llvm.create_mcjit_compiler(module.handle, target_machine(module))
    f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(engine.get_function_address("f"))
    for n in (1, 2, 255, 256, 257, 5000, 100_000):
        assert f(n) == n - 1
