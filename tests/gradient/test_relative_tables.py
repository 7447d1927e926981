"""Tables of distances become tables of pointers, where nothing else uses them."""

from __future__ import annotations

from enzyme.gradient.relative_tables import absolute_tables
from enzyme.ir.parser import parse_module

ENTRY = "i32 trunc (i64 sub (i64 ptrtoint ({} to i64), i64 ptrtoint (ptr @t.rel to i64)) to i32)"
TEXT = f"""
@a = private unnamed_addr constant [2 x i8] c"a\\00"
@b = constant [2 x i8] c"b\\00"
@t.rel = internal unnamed_addr constant [2 x i32] [{ENTRY.format("ptr @a")}, {
    ENTRY.format("ptr getelementptr inbounds (i8, ptr @b, i64 1)")
}], align 4
declare ptr @llvm.load.relative.i64(ptr, i64) #1
define ptr @f(i64 %i) {{
  %1 = shl i64 %i, 2
  %2 = tail call ptr @llvm.load.relative.i64(ptr @t.rel, i64 %1), !dbg !0
  ret ptr %2
}}
!0 = !{{}}
"""


def test_entries_and_reads() -> None:
    text = absolute_tables(TEXT)
    assert "[2 x ptr] [ptr @a, ptr getelementptr inbounds (i8, ptr @b, i64 1)], align 8" in text
    assert "%2 = load ptr, ptr %enzyme.relative." in text and "align 8, !dbg !0" in text
    assert "load.relative.i64(ptr @t" not in text
    parse_module(text)


def test_a_table_that_is_used_otherwise_stays() -> None:
    other = TEXT + "define i32 @g() {\n  %1 = load i32, ptr @t.rel\n  ret i32 %1\n}\n"
    assert absolute_tables(other) == other


def test_a_table_with_another_base_stays() -> None:
    other = TEXT.replace("i64 ptrtoint (ptr @t.rel to i64)) to i32),", "i64 ptrtoint (ptr @a to i64)) to i32),", 1)
    assert absolute_tables(other) == other
