"""Type analysis: what bytes are, on small IR functions."""

from __future__ import annotations

import pytest

from enzyme.analysis.type_tree import Kind, TypeTree
from tests.analysis.type_cases import analyse, kinds, value


def test_accesses_type_memory() -> None:
    result = analyse(
        """
define void @f(ptr %p) {
  %x = load double, ptr %p
  %q = getelementptr i8, ptr %p, i64 8
  store float 1.0, ptr %q
  %r = getelementptr i8, ptr %p, i64 16
  %s = load ptr, ptr %r
  %h = load half, ptr %s
  ret void
}"""
    )
    assert kinds(result, "p", 24) == ["[0, 8) double", "[8, 12) float", "[12, 16) unknown", "[16, 24) pointer"]
    assert result.of(value(result, "p")).paths() == {
        (0,): Kind.POINTER,
        (0, 0): Kind.DOUBLE,
        (0, 8): Kind.FLOAT,
        (0, 16): Kind.POINTER,
        (0, 16, 0): Kind.HALF,
    }
    unknown = result.memory_kinds(value(result, "p"), 16)[2]
    assert str(unknown.reason) == "no typed access of these bytes was seen"


def test_memcpy_moves_types_both_ways() -> None:
    result = analyse(
        """
define double @f(ptr %source, ptr %last) {
  %middle = alloca [16 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %middle, ptr %source, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %last, ptr %middle, i64 16, i1 false)
  %x = load double, ptr %last
  %sp = getelementptr i8, ptr %source, i64 8
  %n = load i64, ptr %sp
  %e = getelementptr double, ptr %last, i64 %n
  ret double %x
}"""
    )
    for pointer in ("source", "middle", "last"):
        assert result.memory_kinds(value(result, pointer), 16)[0].kind == Kind.DOUBLE


def test_integer_copy_of_a_double_carries_a_float() -> None:
    result = analyse(
        """
define double @f(ptr %a, ptr %b) {
  %word = load i64, ptr %a
  store i64 %word, ptr %b
  %x = load double, ptr %b
  ret double %x
}"""
    )
    assert result.kind_of(value(result, "word")) == Kind.DOUBLE
    assert result.value_may_carry_float(value(result, "word"))
    assert kinds(result, "a", 8) == ["[0, 8) double"]


def test_untyped_copy_is_unknown_and_may_carry_floats() -> None:
    result = analyse(
        """
define void @f(ptr %a, ptr %b) {
  %word = load i64, ptr %a
  store i64 %word, ptr %b
  ret void
}"""
    )
    assert result.kind_of(value(result, "word")) == Kind.UNKNOWN
    assert result.value_may_carry_float(value(result, "word"))
    assert result.value_may_carry_pointer(value(result, "word"))
    assert result.memory_may_carry_float(value(result, "a"), 8)


def test_integers_by_use() -> None:
    result = analyse(
        """
define double @f(ptr %a, ptr %x) {
  %i = load i64, ptr %a
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %kp = getelementptr i8, ptr %a, i64 8
  %k = load i32, ptr %kp
  %kk = mul i32 %k, 3
  %d = sitofp i32 %kk to double
  %lp = getelementptr i8, ptr %a, i64 16
  %l = load i64, ptr %lp
  %m = call i64 @llvm.smax.i64(i64 %l, i64 7)
  %c = icmp ugt i64 %l, 12
  %r = fadd double %v, %d
  ret double %r
}"""
    )
    for name in ("i", "k", "kk", "l", "m"):
        assert not result.value_may_carry_float(value(result, name)), name
    assert kinds(result, "a", 12) == ["[0, 12) int"]
    assert not result.memory_may_carry_float(value(result, "a"), 12)


def test_bit_operations_on_floats_do_not_make_integers() -> None:
    result = analyse(
        """
define double @f(ptr %p, ptr %q) {
  %bits = load i64, ptr %p
  %abs = and i64 %bits, 9223372036854775807
  %neg = xor i64 %abs, -9223372036854775808
  %sum = add i64 %neg, 4503599627370496
  store i64 %sum, ptr %q
  %x = load double, ptr %p
  %test = icmp slt i64 %bits, 0
  ret double %x
}"""
    )
    for name in ("bits", "abs", "neg", "sum"):
        assert result.value_may_carry_float(value(result, name)), name
    assert kinds(result, "p", 8) == ["[0, 8) double"]
    assert result.memory_may_carry_float(value(result, "q"), 8)


def test_exponent_bits_are_an_integer() -> None:
    result = analyse(
        """
define i64 @f(double %x) {
  %bits = bitcast double %x to i64
  %exponent = lshr i64 %bits, 52
  %high = lshr i64 %bits, 32
  ret i64 %exponent
}"""
    )
    assert result.value_carries_float(value(result, "bits"))
    assert not result.value_carries_float(value(result, "exponent"))
    assert result.value_may_carry_float(value(result, "high"))


def test_two_floats_in_a_register() -> None:
    result = analyse(
        """
define i64 @f(float %a, float %b, ptr %p) {
  %ia = bitcast float %a to i32
  %ib = bitcast float %b to i32
  %za = zext i32 %ia to i64
  %zb = zext i32 %ib to i64
  %hb = shl i64 %zb, 32
  %both = or i64 %hb, %za
  %upper = lshr i64 %both, 32
  %second = trunc i64 %upper to i32
  store i64 %both, ptr %p
  ret i64 %both
}"""
    )
    assert [str(s) for s in result.segments(value(result, "both"))] == ["[0, 4) float", "[4, 8) float"]
    assert result.kind_of(value(result, "second")) == Kind.FLOAT
    assert kinds(result, "p", 8) == ["[0, 4) float", "[4, 8) float"]


def test_union_is_a_conflict_or_a_float_but_never_an_integer() -> None:
    result = analyse(
        """
define double @f(ptr %u, i1 %c, ptr %v) {
  %n = load i64, ptr %u
  %m = mul i64 %n, 3
  store i64 %m, ptr %u
  %x = load double, ptr %u
  %i = load i64, ptr %v
  %g = getelementptr i8, ptr %u, i64 %i
  ret double %x
}"""
    )
    assert result.value_may_carry_float(value(result, "n"))
    assert result.memory_may_carry_float(value(result, "u"), 8)


def test_tbaa_tags() -> None:
    result = analyse(
        """
define void @f(ptr %p, ptr %q, ptr %r, ptr %s) {
  %a = load i64, ptr %p, !tbaa !1
  %b = load i64, ptr %q, !tbaa !3
  %c = load i64, ptr %r, !tbaa !5
  %d = load i32, ptr %s, !tbaa !7
  ret void
}
!0 = !{!"double", !9, i64 0}
!1 = !{!0, !0, i64 0}
!2 = !{!"long", !9, i64 0}
!3 = !{!2, !2, i64 0}
!5 = !{!9, !9, i64 0}
!6 = !{!"pair", !8, i64 0, !0, i64 8}
!7 = !{!6, !8, i64 0}
!8 = !{!"int", !9, i64 0}
!9 = !{!"omnipotent char", !10, i64 0}
!10 = !{!"Simple C/C++ TBAA"}
"""
    )
    assert result.kind_of(value(result, "a")) == Kind.DOUBLE
    assert result.kind_of(value(result, "b")) == Kind.INT
    assert result.kind_of(value(result, "c")) == Kind.UNKNOWN
    assert result.kind_of(value(result, "d")) == Kind.INT
    assert kinds(result, "s", 16) == ["[0, 4) int", "[4, 8) unknown", "[8, 16) double"]


def test_tbaa_struct_types_a_copy_and_its_padding() -> None:
    result = analyse(
        """
define void @f(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 24, i1 false), !tbaa.struct !4
  ret void
}
!0 = !{!"double", !9, i64 0}
!1 = !{!0, !0, i64 0}
!2 = !{!"int", !9, i64 0}
!3 = !{!2, !2, i64 0}
!4 = !{i64 0, i64 4, !3, i64 8, i64 16, !1}
!9 = !{!"omnipotent char", !10, i64 0}
!10 = !{!"Simple C/C++ TBAA"}
"""
    )
    assert kinds(result, "q", 24) == ["[0, 8) int", "[8, 16) double", "[16, 24) double"]


def test_declared_struct_types() -> None:
    result = analyse(
        """
%record = type { i32, [3 x double], float, ptr }
define void @f(ptr %p) {
  %s = alloca %record
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %p, i64 48, i1 false)
  ret void
}"""
    )
    expected = ["[0, 8) int", "[8, 16) double", "[16, 24) double", "[24, 32) double", "[32, 36) float", "[36, 40) int"]
    assert kinds(result, "p", 48) == [*expected, "[40, 48) pointer"]


def test_array_of_structs_by_index() -> None:
    result = analyse(
        """
define double @f(ptr %p, i64 %n) {
  %e = getelementptr [24 x i8], ptr %p, i64 %n
  %x = load double, ptr %e
  %kp = getelementptr i8, ptr %e, i64 8
  %k = load i32, ptr %kp
  %kk = mul i32 %k, %k
  %q = getelementptr i8, ptr %e, i64 16
  %y = load ptr, ptr %q
  %z = load float, ptr %y
  %back = getelementptr i8, ptr %e, i64 -24
  ret double %x
}"""
    )
    one = ["double", "int", "unknown", "pointer"]
    assert [s.kind.label() for s in result.memory_kinds(value(result, "p"), 48)] == one * 2
    assert [s.kind.label() for s in result.memory_kinds(value(result, "back"), 24)] == one
    assert result.element_kind(value(result, "p")) is None


def test_walking_pointers_fold() -> None:
    result = analyse(
        """
define double @f(ptr %p, ptr %end) {
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %next, %loop ]
  %x = load double, ptr %q
  %next = getelementptr i8, ptr %q, i64 8
  %stop = icmp eq ptr %next, %end
  br i1 %stop, label %done, label %loop
done:
  ret double %x
}"""
    )
    assert kinds(result, "p", 24) == ["[0, 8) double", "[8, 16) double", "[16, 24) double"]
    assert result.of(value(result, "p")).paths() == {(0,): Kind.POINTER, (0, -1): Kind.DOUBLE}
    assert result.element_kind(value(result, "p")) == (Kind.DOUBLE, 8)


def test_memory_behind_stored_pointers() -> None:
    result = analyse(
        """
define double @f(ptr %rows, i64 %i, i64 %j) {
  %cell = getelementptr ptr, ptr %rows, i64 %i
  %row = load ptr, ptr %cell
  %p = getelementptr double, ptr %row, i64 %j
  %x = load double, ptr %p
  %first = load ptr, ptr %rows
  %word = load i64, ptr %first
  ret double %x
}"""
    )
    assert result.of(value(result, "rows")).paths() == {
        (0,): Kind.POINTER,
        (0, -1): Kind.POINTER,
        (0, -1, -1): Kind.DOUBLE,
    }
    assert result.kind_of(value(result, "word")) == Kind.DOUBLE


def test_calls_are_analysed_in_context() -> None:
    text = """
define void @swap(ptr %a, ptr %b) {
  %x = load i64, ptr %a
  %y = load i64, ptr %b
  store i64 %y, ptr %a
  store i64 %x, ptr %b
  ret void
}
define double @f(ptr %p, ptr %q, ptr %n, ptr %m) {
  call void @swap(ptr %p, ptr %q)
  call void @swap(ptr %n, ptr %m)
  %x = load double, ptr %p
  %i = load i64, ptr %n
  %e = getelementptr i8, ptr %p, i64 %i
  ret double %x
}"""
    result = analyse(text)
    assert kinds(result, "q", 8) == ["[0, 8) double"]
    assert kinds(result, "m", 8) == ["[0, 8) int"]
    call = next(i for i in result.function.instructions() if i.opcode == "call")
    swap = result.owner.module.get_function("swap")
    inside = result.owner.analyze(swap, result.arg_trees(call))  # type: ignore[arg-type]
    assert inside.kind_of(value(inside, "x")) == Kind.DOUBLE
    together = result.owner.analyze(swap)
    assert together.kind_of(value(together, "x")) == Kind.DOUBLE | Kind.INT
    alone = analyse(text, "swap")
    assert alone.kind_of(value(alone, "x")) == Kind.UNKNOWN


def test_recursion_shares_types() -> None:
    result = analyse(
        """
define void @f(ptr %list, ptr %out) {
entry:
  %end = icmp eq ptr %list, null
  br i1 %end, label %done, label %more
more:
  %word = load i64, ptr %list
  store i64 %word, ptr %out
  %np = getelementptr i8, ptr %list, i64 8
  %next = load ptr, ptr %np
  call void @f(ptr %next, ptr %out)
  br label %done
done:
  %x = load double, ptr %out
  ret void
}"""
    )
    assert result.kind_of(value(result, "word")) == Kind.DOUBLE
    tree = result.of(value(result, "list"))
    assert tree.paths()[(0, 8, 0)] == Kind.DOUBLE


def test_heap_memory_and_known_integers() -> None:
    result = analyse(
        """
define i64 @f(ptr %s, ptr %keep) {
  %n = call i64 @strlen(ptr %s)
  %m = call ptr @malloc(i64 %n)
  store i64 %n, ptr %keep
  ret i64 %n
}"""
    )
    assert not result.value_may_carry_float(value(result, "n"))
    assert kinds(result, "keep", 8) == ["[0, 8) int"]


def test_aggregates_and_vectors_of_integers() -> None:
    result = analyse(
        """
define { i64, double } @f(ptr %p, <2 x i32> %v) {
  %x = load double, ptr %p
  %bits = bitcast double %x to i64
  %one = insertvalue { i64, double } poison, i64 %bits, 0
  %two = insertvalue { i64, double } %one, double %x, 1
  %out = extractvalue { i64, double } %two, 0
  %lane = bitcast double %x to <2 x i32>
  %low = extractelement <2 x i32> %lane, i32 1
  ret { i64, double } %two
}"""
    )
    assert result.kind_of(value(result, "out")) == Kind.DOUBLE
    assert [str(s) for s in result.segments(value(result, "two"))] == ["[0, 8) double", "[8, 16) double"]
    assert result.value_may_carry_float(value(result, "low"))
    assert not result.value_carries_float(value(result, "low"))


def test_trees_are_values() -> None:
    tree = TypeTree.pointer_to(TypeTree.array_of(Kind.DOUBLE))
    assert tree == TypeTree.pointer_to(TypeTree.array_of(Kind.DOUBLE)) and hash(tree) == hash(
        TypeTree.pointer_to(TypeTree.array_of(Kind.DOUBLE))
    )
    assert str(tree) == "{[0]:pointer, [0,-1]:double}"
    assert tree.pointee is not None and tree.pointee.kind_at(800) == Kind.DOUBLE
    assert TypeTree.scalar(Kind.INT, 4).kind_at(3) == Kind.INT


def test_dump_names_instructions() -> None:
    text = analyse("define double @f(ptr %p) {\n  %x = load double, ptr %p\n  ret double %x\n}").dump()
    assert "{[0]:double} %x = load double, ptr %p" in text and "{[0]:pointer, [0,0]:double} %p" in text


def test_declared_types_decide_between_mixed_kinds() -> None:
    result = analyse(
        """
%pair = type { double, i32, ptr }
%wide = type { double, i64, ptr }
%union.cell = type { double }
define double @f(i1 %c, i1 %d, i64 %i, ptr %x, ptr %k) {
  %array = alloca [3 x double]
  %member = alloca %pair
  %other = alloca %wide
  %cell = alloca %union.cell
  %either = select i1 %c, ptr %array, ptr %member
  %p = select i1 %d, ptr %either, ptr %other
  %q = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %q
  %mp = getelementptr %pair, ptr %member, i32 0, i32 2
  store ptr %x, ptr %mp
  store float 1.0, ptr %cell
  call void @llvm.memcpy.p0.p0.i64(ptr %array, ptr %k, i64 24, i1 false)
  ret double %v
}"""
    )
    assert [s.kind for s in result.memory_kinds(value(result, "array"), 24)] == [Kind.DOUBLE] * 3
    # Neither a number nor a pointer has room in an integer of four bytes; in one of eight both have.
    kinds = [s.kind for s in result.memory_kinds(value(result, "member"), 24)]
    assert kinds == [Kind.DOUBLE, Kind.INT, Kind.INT, Kind.POINTER]
    assert any(s.kind.is_conflict for s in result.memory_kinds(value(result, "other"), 24))
    assert result.memory_kinds(value(result, "cell"), 8)[0].kind.is_conflict


def test_the_lower_word_of_a_number_is_no_number() -> None:
    result = analyse(
        """
define void @f(ptr %cells, i64 %i) {
  %at = getelementptr [3 x double], ptr %cells, i64 %i
  %number = getelementptr i8, ptr %at, i64 16
  store double 0.0, ptr %number
  %lower = load i32, ptr %number
  %set = or i32 %lower, 1
  %upper.at = getelementptr i8, ptr %at, i64 20
  %upper = load i32, ptr %upper.at
  store i32 %set, ptr %number
  ret void
}
"""
    )
    assert not any(result.value_carries_float(value(result, name)) for name in ("lower", "set"))
    assert result.value_may_carry_float(value(result, "upper"))
    assert str(result.memory_kinds(value(result, "number"), 8)[0]) == "[0, 8) double"


def test_any_word_of_an_array_of_numbers_may_be_the_upper_one() -> None:
    result = analyse(
        """
define void @f(ptr %p, ptr %q, i64 %i) {
  %double = getelementptr double, ptr %p, i64 %i
  store double 0.0, ptr %double
  %at = getelementptr i32, ptr %p, i64 %i
  %word = load i32, ptr %at
  %changed = xor i32 %word, 1
  %to = getelementptr i32, ptr %q, i64 %i
  store i32 %changed, ptr %to
  ret void
}
"""
    )
    assert all(result.value_may_carry_float(value(result, name)) for name in ("word", "changed"))
    assert not result.rounds_number(value(result, "at"), 4)


def test_memory_that_a_pointer_only_frees_stays_hidden() -> None:
    text = """
declare void @free(ptr)
define i64 @f(i64 %n, i1 %c) {
  %a = call ptr @malloc(i64 %n)
  br i1 %c, label %one, label %two
one:
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %a, i64 %n, i1 false)
  br label %end
two:
  %b = call ptr @malloc(i64 %n)
  store i32 1, ptr %b
  br label %end
end:
  %p = phi ptr [ %a, %one ], [ %b, %two ]
  USE
  call void @free(ptr %p)
  ret i64 0
}"""
    result = analyse(text.replace("USE", ""))
    assert result.array_behind(value(result, "a")) == (0, 1)
    assert result.array_behind(value(result, "b")) == (4, 1)
    result = analyse(text.replace("USE", "call void @unknown(ptr %p)") + "\ndeclare void @unknown(ptr)\n")
    assert result.array_behind(value(result, "a")) is None


def test_an_integer_at_the_front_of_a_member_is_declared_as_well() -> None:
    """The head of a hash table's list lies in the table; a number of it then seems to be in keys, and in the hashes
    that are copies of them, and so in its length."""
    text = """
%count = type {{ {} }}
%load = type {{ float }}
%table = type {{ ptr, %count, %load }}
%node = type {{ ptr, i64, i64 }}
define void @f(ptr %table, ptr %node) {{
  store ptr %table, ptr %node
  store ptr %node, ptr %node
  %k = getelementptr i8, ptr %node, i64 16
  %key = load i64, ptr %k
  %h = getelementptr i8, ptr %node, i64 8
  store i64 %key, ptr %h
  %l = getelementptr %table, ptr %table, i32 0, i32 2
  %load = load float, ptr %l
  %c = getelementptr %table, ptr %table, i32 0, i32 1
  %count = load i64, ptr %c
  %more = add i64 %count, 1
  ret void
}}"""
    result = analyse(text.format("i64"))
    assert not result.value_may_carry_float(value(result, "count"))
    assert not result.value_may_carry_float(value(result, "more"))
    for other in ("double", "i32, i32"):  # nothing that says so
        result = analyse(text.format(other))
        assert result.value_may_carry_float(value(result, "count"))


@pytest.mark.parametrize(
    ("third", "step", "expected"),
    [
        ("store i64 7, ptr %q", 24, True),
        ("store i32 1, ptr %q", 24, True),  # what is beside it is padding
        ("store double %x, ptr %q", 24, True),
        ("store float 1.0, ptr %q", 24, False),
        ("%y = load i64, ptr %q", 24, False),  # may be two floats
        ("%r = getelementptr i8, ptr %q, i64 4\n  store double %x, ptr %r", 24, False),  # between two words
        ("store i64 7, ptr %q", 20, False),
    ],
)
def test_arrays_of_words_that_are_numbers_or_pointers(third: str, step: int, expected: bool) -> None:
    result = analyse(
        f"""
define void @f(ptr %p, i64 %i, i64 %n, double %x) {{
  %o = mul nsw i64 %i, {step}
  %e = getelementptr i8, ptr %p, i64 %o
  store double %x, ptr %e
  store ptr %p, ptr %e
  %d = getelementptr i8, ptr %e, i64 8
  store double %x, ptr %d
  %q = getelementptr i8, ptr %e, i64 16
  {third}
  ret void
}}"""
    )
    assert result.are_words(value(result, "p")) == expected


@pytest.mark.parametrize("either", [True, False])
def test_pieces_beside_pointers_leave_a_word_either(either: bool) -> None:
    """A short integer is read where a double lies at other times, and comes back; with a pointer there, as well, the
    program is to tell which."""
    result = analyse(
        f"""
define void @f(ptr %p, ptr %c, double %x) {{
  %low = load i32, ptr %p
  store i32 %low, ptr %c
  store double %x, ptr %p
  {"store ptr %p, ptr %c" if either else ""}
  call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr %p, i64 8, i1 false)
  ret void
}}"""
    )
    for place in "pc":
        words = result.memory_kinds(value(result, place), 8)
        assert [word.either for word in words if word.size == 8] == ([True] if either else [False] * len(words))


def test_bits_of_a_declared_member_are_no_piece_of_a_number() -> None:
    result = analyse(
        """
define void @f(ptr %other, i32 %n) {
  %g = alloca { i32, i32, double }
  %slot = alloca ptr
  store ptr %g, ptr %slot
  store ptr %other, ptr %slot
  %x = load double, ptr %other
  %member = getelementptr { i32, i32, double }, ptr %g, i64 0, i32 1
  %old = load i32, ptr %member
  %kept = and i32 %old, -8
  %new = or i32 %kept, 3
  store i32 %new, ptr %member
  %upper = getelementptr i8, ptr %other, i64 4
  %half = load i32, ptr %upper
  %piece = and i32 %half, -8
  ret void
}"""
    )
    assert result.kind_of(value(result, "half")) & Kind.FRAGMENT
    assert [str(s) for s in result.segments(value(result, "new"))] == ["[0, 4) int"]
    assert not result.value_may_carry_pointer(value(result, "new"))
    assert not result.value_may_carry_float(value(result, "new"))
    assert result.value_may_carry_float(value(result, "piece"))
