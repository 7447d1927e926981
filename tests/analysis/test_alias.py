"""Alias answers on small functions, the nasty cases first: each "may" here is a wrong gradient if it becomes "no"."""

from __future__ import annotations

import pytest

from enzyme.analysis.alias import AliasAnalysis, MemoryLocation, dump
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Instruction, Load, Store, Value
from enzyme.rules.known import known_callee


def analyse(text: str, name: str = "f") -> tuple[AliasAnalysis, dict[str, Value]]:
    module = parse_module(text)
    function = module.functions[name]
    values: dict[str, Value] = {a.name: a for a in function.args if a.name}
    values.update({i.name: i for i in function.instructions() if i.name})
    values.update({f"store{n}": i for n, i in enumerate(i for i in function.instructions() if isinstance(i, Store))})
    return AliasAnalysis(function, module, known_callee), values


def kind(text: str, a: str, b: str, same_iteration: bool = True, size: int | None = 8) -> str:
    """Relation of the accesses (loads, stores) or of ``size`` bytes at the pointers named."""
    analysis, values = analyse(text)

    def place(name: str) -> MemoryLocation:
        value = values[name]
        if isinstance(value, (Load, Store)) and not value.type.is_pointer:
            return analysis.location(value)
        return MemoryLocation(value, size, instruction=value if isinstance(value, Instruction) else None)

    return analysis.alias(place(a), place(b), same_iteration).kind


def objects(text: str, name: str) -> set[str]:
    analysis, values = analyse(text)
    return {o.kind for o in analysis.underlying_objects(values[name])}


POINTERS = """
@g = global [4 x double] zeroinitializer
@h = internal global double 0.0
declare noalias ptr @malloc(i64)
declare ptr @opaque(ptr)
declare ptr @pass(ptr returned)
define void @f(ptr %p, ptr %q, ptr noalias %r, ptr noalias %s, i64 %i, i1 %c, ptr byval(double) %b) {
  %a = alloca [4 x double]
  %a1 = getelementptr inbounds double, ptr %a, i64 1
  %am = getelementptr inbounds double, ptr %a, i64 -1
  %ai = getelementptr inbounds double, ptr %a, i64 %i
  %m = call ptr @malloc(i64 32)
  %l = load ptr, ptr %p
  %sel = select i1 %c, ptr %a, ptr %m
  %frz = freeze ptr %sel
  %n = ptrtoint ptr %q to i64
  %it = inttoptr i64 %n to ptr
  %ret = call ptr @pass(ptr %m)
  %op = call ptr @opaque(ptr %q)
  %gi = getelementptr inbounds [4 x double], ptr @g, i64 0, i64 %i
  ret void
}
"""


@pytest.mark.parametrize(
    "a,b,expected",
    [
        ("p", "q", "may"),  # two plain arguments may be the same storage
        ("p", "r", "no"), ("r", "s", "no"), ("p", "a", "no"), ("p", "m", "no"), ("a", "m", "no"), ("r", "gi", "no"),
        ("p", "gi", "may"), ("a", "gi", "no"), ("a", "a1", "no"), ("a1", "a1", "must"), ("a1", "am", "no"),
        ("a", "ai", "may"), ("a1", "ai", "may"), ("sel", "a", "may"), ("sel", "p", "no"), ("frz", "m", "may"),
        ("l", "a", "no"), ("l", "p", "may"), ("l", "q", "may"), ("l", "gi", "may"), ("l", "m", "no"), ("l", "r", "no"),
        ("it", "q", "may"), ("it", "a", "may"), ("it", "m", "may"), ("ret", "m", "may"), ("ret", "a", "no"),
        ("op", "q", "may"), ("op", "p", "may"), ("op", "a", "no"), ("b", "p", "no"), ("b", "l", "no"),
    ],
)  # fmt: skip
def test_objects_and_constant_offsets(a: str, b: str, expected: str) -> None:
    assert kind(POINTERS, a, b) == expected
    assert kind(POINTERS, b, a) == expected


def test_underlying_objects() -> None:
    assert objects(POINTERS, "frz") == {"alloca", "allocation"}
    assert objects(POINTERS, "ret") == {"allocation"}
    assert objects(POINTERS, "op") == {"call_result"} and objects(POINTERS, "l") == {"loaded"}
    assert objects(POINTERS, "it") == {"unknown"} and objects(POINTERS, "gi") == {"global"}
    assert objects(POINTERS, "b") == {"noalias_argument"}


def test_sizes_decide_partial_overlap() -> None:
    assert kind(POINTERS, "a", "a1", size=8) == "no"
    assert kind(POINTERS, "a", "a1", size=9) == "may"
    assert kind(POINTERS, "a", "a1", size=None) == "may"
    assert kind(POINTERS, "am", "a", size=16) == "may"


PHI = """
define void @f(i1 %c) {
entry:
  %a = alloca double
  %b = alloca double
  %d = alloca double
  br i1 %c, label %x, label %y
x:
  br label %y
y:
  %p = phi ptr [ %a, %entry ], [ %b, %x ]
  %v = load double, ptr %p
  store double 1.0, ptr %a
  store double 1.0, ptr %b
  store double 1.0, ptr %d
  ret void
}
"""


def test_phi_of_two_objects() -> None:
    assert kind(PHI, "v", "store0") == "may" and kind(PHI, "v", "store1") == "may" and kind(PHI, "v", "store2") == "no"


STORED = """
define void @f(ptr %where) {
  %a = alloca double
  %b = alloca double
  %slot = alloca ptr
  store ptr %a, ptr %slot
  %p = load ptr, ptr %slot
  store double 1.0, ptr %p
  %v = load double, ptr %a
  %w = load double, ptr %b
  ret void
}
"""


def test_pointer_stored_and_loaded_again() -> None:
    assert kind(STORED, "v", "store1") == "may"  # %a was put in memory
    assert kind(STORED, "w", "store1") == "no"  # %b never was
    analysis, values = analyse(STORED)
    (obj,) = analysis.underlying_objects(values["a"])
    assert analysis.escapes(obj) and "stored" in analysis.captures(obj).reason
    (obj,) = analysis.underlying_objects(values["b"])
    assert not analysis.escapes(obj)


ESCAPED = """
declare noalias ptr @malloc(i64)
declare void @keep(ptr)
declare void @look(ptr captures(none))
declare ptr @get()
define ptr @f() {
  %m = call ptr @malloc(i64 8)
  %n = call ptr @malloc(i64 8)
  %k = call ptr @malloc(i64 8)
  %early = call ptr @get()
  store double 0.0, ptr %early
  call void @keep(ptr %m)
  call void @look(ptr %n)
  %u = call ptr @get()
  store double 1.0, ptr %u
  %v = load double, ptr %m
  %w = load double, ptr %n
  %z = load double, ptr %k
  ret ptr %k
}
"""


def test_malloc_escapes_through_a_call() -> None:
    assert kind(ESCAPED, "v", "store1") == "may"
    assert kind(ESCAPED, "w", "store1") == "no"
    assert kind(ESCAPED, "z", "store1") == "no"  # returned, but nobody has it before
    assert kind(ESCAPED, "v", "store0") == "no"  # written through a pointer got before %m was given away


TBAA = """
define void @f(ptr %p, ptr %q) {
  %d = load double, ptr %p, !tbaa !1
  %i = load i32, ptr %q, !tbaa !3
  %c = load i8, ptr %q, !tbaa !5
  %x = load i32, ptr %q, !tbaa !7
  %y = load i32, ptr %q, !tbaa !9
  %z = load double, ptr %q, !tbaa !10
  %pt = load i64, ptr %q, !tbaa !12
  %in = load i32, ptr %q, !tbaa !15
  %other = load double, ptr %p, !tbaa !20
  %u = load double, ptr %p
  store double 0.0, ptr %q, !tbaa !1
  ret void
}
!0 = !{!"double", !4, i64 0}
!1 = !{!0, !0, i64 0}
!2 = !{!"int", !4, i64 0}
!3 = !{!2, !2, i64 0}
!4 = !{!"omnipotent char", !6, i64 0}
!5 = !{!4, !4, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{!8, !2, i64 0}
!8 = !{!"S", !2, i64 0, !2, i64 4, !0, i64 8}
!9 = !{!8, !2, i64 4}
!10 = !{!8, !0, i64 8}
!11 = !{!"any pointer", !4, i64 0}
!12 = !{!11, !11, i64 0}
!14 = !{!"Outer", !0, i64 0, !8, i64 8}
!15 = !{!14, !2, i64 12}
!18 = !{!"Other root"}
!19 = !{!"double", !18, i64 0}
!20 = !{!19, !19, i64 0}
"""


@pytest.mark.parametrize(
    "a,b,expected",
    [
        ("d", "i", "no"), ("d", "c", "may"), ("i", "c", "may"), ("d", "x", "no"), ("i", "x", "may"), ("x", "y", "no"),
        ("d", "z", "may"), ("d", "pt", "no"), ("i", "pt", "no"), ("c", "x", "may"), ("in", "y", "may"),
        ("in", "x", "no"), ("in", "i", "may"), ("in", "d", "no"), ("other", "i", "may"), ("u", "i", "may"),
        ("d", "store0", "may"),
        ("in", "z", "no"),
    ],
)  # fmt: skip
def test_tbaa(a: str, b: str, expected: str) -> None:
    same_pointer = TBAA.replace("ptr %q, !tbaa", "ptr %p, !tbaa")
    for source in (TBAA, same_pointer):
        assert (kind(source, a, b) == "no") == (expected == "no")
        assert (kind(source, b, a) == "no") == (expected == "no")


def test_union_members_are_read_as_char() -> None:
    # clang gives members of a union the char tag: a double and an int in a union must be kept together
    text = TBAA.replace("%d = load double, ptr %p, !tbaa !1", "%d = load double, ptr %p, !tbaa !5")
    assert kind(text, "d", "i") == "may"


def test_unreadable_tbaa_is_conservative() -> None:
    for broken in ("!{}", "!{!99, !99, i64 0}", "!{!21, !21, i64 0, i64 8}"):
        text = TBAA.replace("!1 = !{!0, !0, i64 0}", f"!1 = {broken}") + '!21 = !{!6, i64 8, !"new format"}\n'
        assert kind(text, "d", "i") == "may"


SCOPES = """
declare void @llvm.experimental.noalias.scope.decl(metadata)
define void @f(ptr %p, ptr %q, i64 %n) {
entry:
  DECL1
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %i2, %h ]
  DECL2
  %v = load double, ptr %p, !alias.scope !2
  store double %v, ptr %q, !noalias !2
  %i2 = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %i2, %n
  br i1 %c, label %h, label %x
x:
  ret void
}
!0 = distinct !{!0, !1, !"p"}
!1 = distinct !{!1, !"domain"}
!2 = !{!0}
"""
DECLARE = "call void @llvm.experimental.noalias.scope.decl(metadata !2)"


def test_scopes_hold_for_one_run_of_their_declaration() -> None:
    outside = SCOPES.replace("DECL1", DECLARE).replace("DECL2", "")
    inside = SCOPES.replace("DECL2", DECLARE).replace("DECL1", "")
    nowhere = SCOPES.replace("DECL1", "").replace("DECL2", "")
    for text, across in ((outside, "no"), (inside, "may"), (nowhere, "may")):
        assert kind(text, "v", "store0") == "no"
        assert kind(text, "v", "store0", same_iteration=False) == across


LOOP = """
define void @f(ptr %a, ptr noalias %b, i64 %n, i64 %k) {
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %i2, %h ]
  %pi = getelementptr inbounds double, ptr %a, i64 %i
  %i2 = add nuw nsw i64 %i, 1
  %pn = getelementptr inbounds double, ptr %a, i64 %i2
  %pk = getelementptr inbounds double, ptr %a, i64 %k
  %k1 = add i64 %k, 1
  %pk1 = getelementptr inbounds double, ptr %a, i64 %k1
  %t = mul nuw nsw i64 %i, 2
  %t1 = or disjoint i64 %t, 1
  %even = getelementptr inbounds double, ptr %a, i64 %t
  %odd = getelementptr inbounds double, ptr %a, i64 %t1
  %s0 = getelementptr inbounds { double, double, double }, ptr %a, i64 %i, i32 0
  %s1 = getelementptr inbounds { double, double, double }, ptr %a, i64 %k, i32 1
  %r0 = getelementptr { double, double, double }, ptr %a, i64 %i, i32 0
  %r1 = getelementptr { double, double, double }, ptr %a, i64 %k, i32 1
  %c = icmp slt i64 %i2, %n
  br i1 %c, label %h, label %x
x:
  ret void
}
"""


@pytest.mark.parametrize(
    "a,b,same,across",
    [
        ("pi", "pn", "no", "may"), ("pi", "pi", "must", "may"), ("pk", "pk1", "no", "no"), ("pk", "pk", "must", "must"),
        ("pi", "pk", "may", "may"), ("even", "odd", "no", "no"), ("even", "pi", "may", "may"), ("s0", "s1", "no", "no"),
        ("r0", "r1", "may", "may"), ("b", "pi", "no", "no"),
    ],
)  # fmt: skip
def test_loop_variant_addresses(a: str, b: str, same: str, across: str) -> None:
    assert kind(LOOP, a, b) == same
    assert kind(LOOP, a, b, same_iteration=False) == across


def test_non_power_of_two_strides_need_inbounds() -> None:
    # 24 * i wraps modulo 2**64 to something that is no multiple of 24
    assert kind(LOOP, "r0", "r1", same_iteration=False) == "may"


def test_a_value_of_an_inner_loop_is_not_the_same_outside_it() -> None:
    text = LOOP.replace("x:\n", "x:\n  %v = load double, ptr %pi\n")
    assert kind(text, "v", "pi") == "may"


CYCLE = """
define void @f(i1 %c, ptr %a, i64 %n) {
entry:
  br i1 %c, label %u, label %w
u:
  %i = phi i64 [ 0, %entry ], [ %j, %w ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %v = load double, ptr %p
  br label %w
w:
  %j0 = phi i64 [ 1, %entry ], [ %i, %u ]
  %j = add i64 %j0, 1
  %p1 = getelementptr inbounds double, ptr %a, i64 %j
  store double 0.0, ptr %p1
  %d = icmp slt i64 %j, %n
  br i1 %d, label %u, label %x
x:
  ret void
}
"""


def test_irreducible_cycles_have_no_iterations_to_compare() -> None:
    assert kind(CYCLE, "v", "store0") == "may"
    analysis, values = analyse(CYCLE)
    v = values["v"]
    assert isinstance(v, Load) and not analysis.overwrite_proof(v).ok


FRESH = """
declare noalias ptr @malloc(i64)
define void @f(i64 %n) {
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %i2, %h ]
  %old = phi ptr [ null, %entry ], [ %m, %h ]
  %m = call ptr @malloc(i64 16)
  %m1 = getelementptr inbounds double, ptr %m, i64 1
  store double 1.0, ptr %m
  %v = load double, ptr %m
  %i2 = add nuw nsw i64 %i, 1
  store double 1.0, ptr %m1
  STORE
  %c = icmp slt i64 %i2, %n
  br i1 %c, label %h, label %x
x:
  ret void
}
"""


def test_allocation_in_a_loop_is_a_new_object_each_time() -> None:
    analysis, values = analyse(FRESH.replace("STORE", ""))
    proof = analysis.overwrite_proof(values["v"])  # type: ignore[arg-type]
    assert proof.ok and proof.fresh_each_iteration
    analysis, values = analyse(FRESH.replace("STORE", "store double 2.0, ptr %m"))
    assert not analysis.overwrite_proof(values["v"]).ok  # type: ignore[arg-type]


def test_loop_carried_pointer_to_the_previous_object() -> None:
    text = FRESH.replace("STORE", "store double 2.0, ptr %old")
    assert kind(text, "v", "store2") == "may"
    assert kind(text, "v", "store2", same_iteration=False) == "may"


DEEP = (
    "define void @f(ptr %p0) {\n  %a = alloca double\n"
    + "".join(f"  %p{i + 1} = getelementptr i8, ptr %{'a' if i == 0 else f'p{i}'}, i64 0\n" for i in range(200))
    + "  store double 0.0, ptr %p200\n  %v = load double, ptr %a\n  ret void\n}\n"
)


def test_depth_limit_means_unknown_and_unknown_reaches_local_objects() -> None:
    assert objects(DEEP, "p200") == {"unknown"}
    assert kind(DEEP, "v", "store0") == "may"


def test_zero_bytes_and_null() -> None:
    text = """
define void @f(ptr %p) {
  store double 0.0, ptr null
  store {} zeroinitializer, ptr %p
  store double 0.0, ptr %p
  ret void
}
"""
    assert kind(text, "store0", "store2") == "no" and kind(text, "store1", "store2") == "no"
    valid = text.replace("(ptr %p) {", "(ptr %p) null_pointer_is_valid {")
    assert kind(valid, "store0", "store2") == "may"


def test_global_aliases_are_their_target() -> None:
    text = """
@g = global double 0.0
@a = alias double, ptr @g
@w = weak alias double, ptr @g
define void @f() {
  %v = load double, ptr @g
  store double 0.0, ptr @a
  store double 0.0, ptr @w
  ret void
}
"""
    assert kind(text, "v", "store0") in ("may", "must") and kind(text, "v", "store1") == "may"


def test_constant_expressions_are_opened() -> None:
    text = """
@g = global [4 x double] zeroinitializer
define void @f() {
  %v = load double, ptr @g
  store double 0.0, ptr getelementptr inbounds (i8, ptr @g, i64 8)
  store double 0.0, ptr getelementptr inbounds (i8, ptr @g, i64 4)
  ret void
}
"""
    assert kind(text, "v", "store0") == "no" and kind(text, "v", "store1") == "may"


def test_capture_attributes() -> None:
    text = """
declare void @none(ptr captures(none))
declare void @address(ptr captures(address))
declare ptr @ret(ptr captures(ret: address, provenance))
declare void @both(ptr captures(address, provenance))
declare void @takes(i64)
define void @f() {
  %a = alloca double
  %b = alloca double
  %c = alloca double
  %d = alloca double
  %e = alloca double
  call void @none(ptr %a)
  call void @address(ptr %b)
  %r = call ptr @ret(ptr %c)
  call void @both(ptr %d)
  %n = ptrtoint ptr %e to i64
  call void @takes(i64 %n)
  ret void
}
"""
    analysis, values = analyse(text)
    found = {}
    for name in "abcde":
        (obj,) = analysis.underlying_objects(values[name])
        found[name] = analysis.escapes(obj)
    assert found == {"a": False, "b": False, "c": False, "d": True, "e": True}


def test_operand_bundles_capture_everything() -> None:
    text = """
declare void @g()
define void @f(ptr %p) {
  %a = alloca double
  call void @g() [ "deopt"(ptr %a) ]
  ret void
}
"""
    analysis, values = analyse(text)
    (obj,) = analysis.underlying_objects(values["a"])
    assert analysis.escapes(obj)


def test_dump_names_objects_and_overwrites() -> None:
    text = dump(parse_module(STORED).functions["f"], known_callee)
    assert "alloca %a: captured, stored in memory" in text and "alloca %b: not captured" in text
