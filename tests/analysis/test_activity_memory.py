"""Activity of memory: locals, heap, globals, what pointers in memory lead to, and what is a problem there."""

from __future__ import annotations

from tests.analysis.activity_cases import active, analyse, kinds, stores, value


def test_memory_behind_dup_and_const_pointers() -> None:
    result = analyse(
        """
define void @f(ptr %x, ptr %w, ptr %y) {
  %a = load double, ptr %x
  %b = load double, ptr %w
  %p = fmul double %a, %b
  store double %p, ptr %y
  ret void
}""",
        ["dup", "const", "dup"],
        ret=False,
    )
    assert active(result) == {"a", "p"}
    assert result.needs_shadow(value(result, "x")) and not result.needs_shadow(value(result, "w"))
    assert all(map(result.active_instruction, stores(result)))


def test_scratch_array_is_active_only_when_read() -> None:
    text = """
define double @f(double %x) {
  %used = alloca [4 x double]
  %unread = alloca [4 x double]
  %constant = alloca double
  store double %x, ptr %used
  store double %x, ptr %unread
  store double 3.0, ptr %constant
  %u = load double, ptr %used
  %k = load double, ptr %constant
  %r = fmul double %u, %k
  ret double %r
}"""
    result = analyse(text, ["out"])
    assert result.needs_shadow(value(result, "used"))
    assert not result.needs_shadow(value(result, "unread"))
    assert not result.needs_shadow(value(result, "constant"))
    assert [result.active_instruction(s) for s in stores(result)] == [True, False, False]
    assert active(result) == {"x", "u", "r"}


def test_store_of_constant_into_active_memory_is_active() -> None:
    result = analyse(
        """
define void @f(ptr %y) {
  store double 0.0, ptr %y
  ret void
}""",
        ["dup"],
        ret=False,
    )
    assert result.active_instruction(stores(result)[0])


def test_pointer_to_pointer() -> None:
    result = analyse(
        """
define double @f(ptr %rows, ptr %names) {
  %cell = alloca ptr
  %row = load ptr, ptr %rows
  store ptr %row, ptr %cell
  %again = load ptr, ptr %cell
  %v = load double, ptr %again
  ret double %v
}""",
        ["dup", "const"],
    )
    for name in ("rows", "row", "cell", "again"):
        assert result.needs_shadow(value(result, name)), name
    assert not result.needs_shadow(value(result, "names"))
    assert active(result) == {"v"}
    assert result.active_instruction(stores(result)[0])


def test_aliasing_through_select_promotes_local_and_constant_memory() -> None:
    result = analyse(
        """
@table = internal constant [2 x double] [double 1.0, double 2.0]
define double @f(ptr %x, i1 %c, i1 %d) {
  %local = alloca [2 x double]
  store double 1.0, ptr %local
  %p = select i1 %c, ptr %x, ptr %local
  %q = select i1 %d, ptr %p, ptr @table
  %v = load double, ptr %q
  ret double %v
}""",
        ["dup", "const", "const"],
    )
    assert not result.problems
    assert result.needs_shadow(value(result, "local"))
    assert {o.label for o in result.active_objects} == {"arg %x", "deref %x", "alloca %local", "global @table"}
    assert result.active_instruction(stores(result)[0])  # clears the shadow


def test_mixing_active_and_constant_arguments_is_a_problem() -> None:
    text = """
define double @f(ptr %x, ptr %k, i1 %c) {
  %p = select i1 %c, ptr %x, ptr %k
  %v = load double, ptr %p
  ret double %v
}"""
    assert kinds(analyse(text, ["dup", "const", "const"])) == ["mixed-pointer"]
    assert kinds(analyse(text, ["dup", "dup", "const"])) == []
    assert kinds(analyse(text, ["const", "const", "const"])) == []


def test_mixed_pointer_that_is_only_compared_is_no_problem() -> None:
    result = analyse(
        """
define double @f(ptr %x, ptr %k, i1 %c) {
  %p = select i1 %c, ptr %x, ptr %k
  %same = icmp eq ptr %p, %x
  %v = load double, ptr %x
  %r = select i1 %same, double %v, double 0.0
  ret double %r
}""",
        ["dup", "const", "const"],
    )
    assert not result.problems


def test_active_store_into_constant_memory_is_a_problem() -> None:
    text = """
define void @f(double %x, ptr %out) {
  store double %x, ptr %out
  ret void
}"""
    result = analyse(text, ["out", "const"], ret=False)
    assert kinds(result) == ["constant-memory"]
    assert "'out'" in result.problems[0].what and "enzyme_dup" in result.problems[0].hint
    assert kinds(analyse(text, ["out", "dup"], ret=False)) == []


def test_globals() -> None:
    text = """
@state = global double 0.0
@table = internal constant double 2.0
define double @f(double %x) {
  store double %x, ptr @state
  %s = load double, ptr @state
  %t = load double, ptr @table
  %r = fmul double %s, %t
  ret double %r
}"""
    # The store, and the load that would bring the data back.
    assert kinds(analyse(text, ["out"])) == ["inactive-global", "inactive-global"]
    shadowed = analyse(text, ["out"], shadowed=frozenset({"state"}))
    assert kinds(shadowed) == []
    assert active(shadowed) == {"x", "s", "r"}


def test_heap_memory_and_free() -> None:
    result = analyse(
        """
define double @f(double %x) {
  %m = call ptr @malloc(i64 16)
  store double %x, ptr %m
  %v = load double, ptr %m
  call void @free(ptr %m)
  ret double %v
}""",
        ["out"],
    )
    assert result.needs_shadow(value(result, "m"))
    free = [i for i in result.function.instructions() if i.opcode == "call"][-1]
    assert result.active_instruction(free)
    assert active(result) == {"x", "v"}


def test_pointer_to_active_memory_in_constant_memory_is_a_problem() -> None:
    result = analyse(
        """
define void @f(ptr %x, ptr %table) {
  store ptr %x, ptr %table
  ret void
}""",
        ["dup", "const"],
        ret=False,
    )
    assert kinds(result) == ["constant-memory"]


def test_memcpy_between_locals() -> None:
    result = analyse(
        """
define double @f(ptr %x) {
  %a = alloca [2 x double]
  %b = alloca [2 x double]
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %x, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 16, i1 false)
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)
  %v = load double, ptr %b
  ret double %v
}""",
        ["dup"],
    )
    calls = [i for i in result.function.instructions() if i.opcode == "call"]
    assert [result.active_instruction(c) for c in calls] == [True, True, True]
    assert active(result) == {"v"}


def test_vectors_of_pointers_and_masked_memory() -> None:
    result = analyse(
        """
declare <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr>, <2 x i1>, <2 x double>)
declare void @llvm.masked.scatter.v2f64.v2p0(<2 x double>, <2 x ptr>, <2 x i1>)
declare <2 x double> @llvm.masked.load.v2f64.p0(ptr, <2 x i1>, <2 x double>)
define double @f(ptr %x, <2 x i64> %i, <2 x i1> %m) {
  %scratch = alloca [8 x double]
  %from = getelementptr double, ptr %x, <2 x i64> %i
  %g = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %from, <2 x i1> %m, <2 x double> zeroinitializer)
  %to = getelementptr double, ptr %scratch, <2 x i64> %i
  call void @llvm.masked.scatter.v2f64.v2p0(<2 x double> %g, <2 x ptr> %to, <2 x i1> %m)
  %l = call <2 x double> @llvm.masked.load.v2f64.p0(ptr %scratch, <2 x i1> %m, <2 x double> zeroinitializer)
  %r = extractelement <2 x double> %l, i32 0
  ret double %r
}""",
        ["dup", "const", "const"],
    )
    assert active(result) == {"g", "l", "r"}
    assert result.needs_shadow(value(result, "scratch")) and result.needs_shadow(value(result, "to"))


def test_integers_beside_active_memory_in_a_structure_need_no_shadow() -> None:
    text = """
define internal double @product(ptr %m, ptr %v) {
  %ip = load ptr, ptr %m
  %dp = getelementptr i8, ptr %m, i64 8
  %data = load ptr, ptr %dp
  %i = load i32, ptr %ip
  %p = getelementptr double, ptr %data, i32 %i
  %a = load double, ptr %p
  %b = load double, ptr %v
  %r = fmul double %a, %b
  ret double %r
}
define double @f(ptr %index, ptr %x, i64 %n) {
  %m = alloca { ptr, ptr }
  store ptr %index, ptr %m
  %second = getelementptr { ptr, ptr }, ptr %m, i32 0, i32 1
  store ptr %x, ptr %second
  %cell = getelementptr WHAT, ptr %index, i64 %n
  %k = load WHAT, ptr %cell
  %r = call double @product(ptr %m, ptr %x)
  ret double %r
}"""
    assert kinds(analyse(text.replace("WHAT", "i32"), ["const", "dup", "const"])) == []
    assert kinds(analyse(text.replace("WHAT", "double"), ["const", "dup", "const"])) == ["constant-structure"]
