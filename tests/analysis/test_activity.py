"""Activity on small IR functions, each about one rule of the analysis."""

from __future__ import annotations

import pytest

from enzyme.analysis.activity import ActivityResult, analyze_activity
from enzyme.analysis.types_analysis import TypeAnalysis
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Function, Instruction, Store, Value
from enzyme.rules.known import known_callee

DECLARATIONS = """
declare double @sin(double)
declare double @mystery(double)
declare void @mystery_fill(ptr)
declare void @log_value(double)
declare double @peek()
declare i32 @count(ptr) memory(argmem: read)
declare i32 @printf(ptr, ...)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @abort() noreturn
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""


def analyse(
    text: str,
    activity: list[str],
    ret: bool = True,
    name: str = "f",
    shadowed: frozenset[str] = frozenset(),
    typed: bool = True,
) -> ActivityResult:
    module = parse_module(DECLARATIONS + text)
    function = module.get_function(name)
    types = TypeAnalysis(module, known_callee).analyze(function) if typed else None
    return analyze_activity(
        function, module, activity, ret, types, known_callee, lambda call: False, shadowed_globals=shadowed
    )


def value(result: ActivityResult, name: str) -> Value:
    function: Function = result.function
    for found in [*function.args, *function.instructions()]:
        if found.name == name:
            return found
    raise KeyError(name)


def active(result: ActivityResult) -> set[str]:
    """Names of active values."""
    function = result.function
    return {v.name for v in [*function.args, *function.instructions()] if v.name and result.active_value(v)}


def stores(result: ActivityResult) -> list[Instruction]:
    return [i for i in result.function.instructions() if isinstance(i, Store)]


def kinds(result: ActivityResult) -> list[str]:
    return [p.kind for p in result.problems]


def test_straight_line_arithmetic() -> None:
    result = analyse(
        """
define double @f(double %x, double %c, i32 %n) {
  %a = fmul double %x, %x
  %b = fmul double %c, %c
  %d = fadd double %a, %b
  %e = call double @sin(double %d)
  %unused = fmul double %a, %e
  %k = sitofp i32 %n to double
  %r = fmul double %e, %k
  ret double %r
}""",
        ["out", "const", "const"],
    )
    assert active(result) == {"x", "a", "d", "e", "r"}
    assert not result.problems


def test_varied_but_not_useful_and_useful_but_not_varied() -> None:
    result = analyse(
        """
define double @f(double %x, double %c) {
  %v = fmul double %x, %x
  %u = fmul double %c, %c
  ret double %u
}""",
        ["out", "const"],
    )
    assert active(result) == set()
    assert value(result, "v") in result.varied and value(result, "v") not in result.useful
    assert value(result, "u") in result.useful and value(result, "u") not in result.varied


def test_comparisons_and_integer_conversions_cut() -> None:
    result = analyse(
        """
define double @f(double %x) {
  %c = fcmp ogt double %x, 1.0
  %i = fptosi double %x to i32
  %back = sitofp i32 %i to double
  %one = select i1 %c, double 1.0, double %back
  ret double %one
}""",
        ["out"],
    )
    assert active(result) == set()
    assert not result.problems
    assert "piecewise constant" in result.reason_chain(value(result, "i"))


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


def test_callee_that_stores_in_a_global_is_a_problem_at_the_call() -> None:
    result = analyse(
        """
@state = global double 0.0
define void @keep(double %v) {
  store double %v, ptr @state
  ret void
}
define double @f(double %x) {
  call void @keep(double %x)
  %s = load double, ptr @state
  ret double %s
}""",
        ["out"],
    )
    assert kinds(result) == ["inactive-global", "inactive-global"]
    assert "'@keep' stores active data" in result.problems[0].what


@pytest.mark.parametrize("read", ["%s = load double, ptr @state", "%s = call double @get()"])
def test_data_that_unknown_code_may_bring_back_is_not_dropped(read: str) -> None:
    result = analyse(
        """
@state = external global double
define internal double @get() {
  %s = load double, ptr @state
  ret double %s
}
define double @f(double %x) {
  call void @log_value(double %x)
  READ
  ret double %s
}""".replace("READ", read),
        ["out"],
    )
    assert kinds(result) == ["inactive-global"]


def test_unknown_callees() -> None:
    call = "define double @f(double %x, ptr %p) {{\n  {}\n  ret double %r\n}}"
    assert kinds(analyse(call.format("%r = call double @mystery(double %x)"), ["out", "const"])) == ["unknown-callee"]
    assert kinds(analyse(call.format("%r = call double @mystery(double %x)"), ["const", "const"])) == []
    logged = "call void @log_value(double %x)\n  %r = fmul double %x, %x"
    assert kinds(analyse(call.format(logged), ["out", "const"])) == []
    smuggled = "call void @log_value(double %x)\n  %r = call double @peek()"
    assert kinds(analyse(call.format(smuggled), ["out", "const"])) == ["unknown-callee"]
    filled = "call void @mystery_fill(ptr %p)\n  %r = load double, ptr %p"
    assert kinds(analyse(call.format(filled), ["out", "dup"])) == ["unknown-callee"]
    read = "%n = call i32 @count(ptr %p)\n  %k = sitofp i32 %n to double\n  %r = fmul double %x, %k"
    assert kinds(analyse(call.format(read), ["out", "dup"])) == []


def test_known_inactive_callee() -> None:
    result = analyse(
        """
@text = private constant [4 x i8] c"%g\\0A\\00"
define double @f(double %x) {
  %n = call i32 (ptr, ...) @printf(ptr @text, double %x)
  %r = fmul double %x, %x
  ret double %r
}""",
        ["out"],
    )
    assert kinds(result) == []
    assert not result.active_instruction(value(result, "n"))  # type: ignore[arg-type]


def test_code_that_never_returns_is_no_problem() -> None:
    result = analyse(
        """
define double @f(double %x, ptr %p) {
entry:
  %bad = fcmp uno double %x, %x
  br i1 %bad, label %stop, label %go
stop:
  call void @abort()
  unreachable
go:
  %v = load double, ptr %p
  %r = fmul double %x, %v
  ret double %r
}""",
        ["out", "dup"],
    )
    assert not result.problems


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


@pytest.mark.parametrize("inner", ["local", "argument"])
def test_calls_of_defined_functions(inner: str) -> None:
    result = analyse(
        """
define double @square(double %v, ptr %log) {
  %s = fmul double %v, %v
  store double %s, ptr %log
  ret double %s
}
define double @f(double %x, double %c, ptr %out) {
  %scratch = alloca double
  %quiet = alloca double
  %a = call double @square(double %x, ptr WHERE)
  %b = call double @square(double %c, ptr %quiet)
  %r = fadd double %a, %b
  ret double %r
}""".replace("WHERE", "%scratch" if inner == "local" else "%out"),
        ["out", "const", "dup"],
    )
    assert active(result) == {"x", "a", "r"}
    assert not result.problems
    # The callee writes active data there, so that the call must pass a shadow even though nothing reads it.
    assert result.needs_shadow(value(result, "scratch")) == (inner == "local")
    assert not result.needs_shadow(value(result, "quiet"))
    assert not result.active_instruction(value(result, "b"))  # type: ignore[arg-type]


def test_recursion() -> None:
    result = analyse(
        """
define double @f(double %x, i32 %n, double %k) {
entry:
  %stop = icmp sle i32 %n, 0
  br i1 %stop, label %done, label %more
more:
  %m = sub i32 %n, 1
  %inner = call double @f(double %x, i32 %m, double %k)
  %p = fmul double %inner, %k
  br label %done
done:
  %r = phi double [ %x, %entry ], [ %p, %more ]
  ret double %r
}""",
        ["out", "const", "const"],
    )
    assert active(result) == {"x", "inner", "p", "r"}


def test_mutual_recursion_through_memory() -> None:
    result = analyse(
        """
define void @even(ptr %out, ptr %in, i32 %n) {
  %stop = icmp eq i32 %n, 0
  br i1 %stop, label %base, label %more
base:
  %v = load double, ptr %in
  store double %v, ptr %out
  ret void
more:
  %m = sub i32 %n, 1
  call void @odd(ptr %out, ptr %in, i32 %m)
  ret void
}
define void @odd(ptr %out, ptr %in, i32 %n) {
  %m = sub i32 %n, 1
  call void @even(ptr %out, ptr %in, i32 %m)
  ret void
}
define double @f(ptr %x, i32 %n) {
  %t = alloca double
  call void @even(ptr %t, ptr %x, i32 %n)
  %r = load double, ptr %t
  ret double %r
}""",
        ["dup", "const"],
    )
    assert active(result) == {"r"}
    assert result.needs_shadow(value(result, "t"))
    assert not result.problems


def test_struct_holding_active_and_local_pointers_is_consistent_at_calls() -> None:
    result = analyse(
        """
define double @first(ptr %s) {
  %p = load ptr, ptr %s
  %v = load double, ptr %p
  ret double %v
}
define double @f(ptr %x) {
  %pair = alloca { ptr, ptr }
  %weights = alloca double
  store double 2.0, ptr %weights
  store ptr %x, ptr %pair
  %second = getelementptr { ptr, ptr }, ptr %pair, i32 0, i32 1
  store ptr %weights, ptr %second
  %r = call double @first(ptr %pair)
  ret double %r
}""",
        ["dup"],
    )
    assert result.needs_shadow(value(result, "pair")) and result.needs_shadow(value(result, "weights"))
    assert active(result) == {"r"}
    assert not result.problems


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


def test_bits_of_an_active_float_as_a_number_is_a_problem() -> None:
    result = analyse(
        """
define double @f(double %x) {
  %bits = bitcast double %x to i64
  %k = sitofp i64 %bits to double
  ret double %k
}""",
        ["out"],
    )
    assert kinds(result) == ["float-bits"]


def test_integer_that_carries_a_float_is_active() -> None:
    result = analyse(
        """
define double @f(double %x, ptr %y) {
  %slot = alloca i64
  %bits = bitcast double %x to i64
  store i64 %bits, ptr %slot
  %again = load i64, ptr %slot
  %abs = and i64 %again, 9223372036854775807
  %r = bitcast i64 %abs to double
  ret double %r
}""",
        ["out", "const"],
    )
    assert active(result) == {"x", "bits", "again", "abs", "r"}


def test_integers_are_inactive_when_types_prove_them() -> None:
    text = """
define double @f(ptr %s) {
  %np = getelementptr i8, ptr %s, i64 8
  %n = load i32, ptr %np
  %m = add nsw i32 %n, 1
  store i32 %m, ptr %np
  %x = load double, ptr %s
  %k = sitofp i32 %m to double
  %r = fmul double %x, %k
  ret double %r
}"""
    typed = analyse(text, ["dup"])
    assert active(typed) == {"x", "r"}
    assert value(typed, "n") not in typed.varied
    untyped = analyse(text, ["dup"], typed=False)
    assert value(untyped, "n") in untyped.varied


def test_loop_carried_values() -> None:
    result = analyse(
        """
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %add, %loop ]
  %scale = phi double [ 1.0, %entry ], [ %twice, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %t = fmul double %v, %scale
  %add = fadd double %sum, %t
  %twice = fadd double %scale, %scale
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %r = phi double [ %add, %loop ]
  ret double %r
}""",
        ["dup", "const"],
    )
    assert active(result) == {"sum", "v", "t", "add", "r"}


def test_returned_pointer_is_active_with_the_result() -> None:
    result = analyse(
        """
define ptr @make(double %v) {
  %m = call ptr @malloc(i64 8)
  store double %v, ptr %m
  ret ptr %m
}
define double @f(double %x) {
  %m = call ptr @make(double %x)
  %v = load double, ptr %m
  ret double %v
}""",
        ["out"],
    )
    assert result.needs_shadow(value(result, "m"))
    assert active(result) == {"x", "v"}
    inner = analyse(
        """
define ptr @make(double %v) {
  %m = call ptr @malloc(i64 8)
  store double %v, ptr %m
  ret ptr %m
}""",
        ["out"],
        name="make",
    )
    assert inner.needs_shadow(value(inner, "m")) and active(inner) == {"v"}


def test_forward_mode_float_tangents() -> None:
    module = parse_module("define double @f(double %x, double %y) {\n  %r = fmul double %x, %y\n  ret double %r\n}")
    function = module.get_function("f")
    types = TypeAnalysis(module).analyze(function)
    result = analyze_activity(function, module, ["dup", "const"], True, types, mode="forward")
    assert active(result) == {"x", "r"}


def test_reasons_and_dump_are_readable() -> None:
    result = analyse(
        """
define double @f(double %x, double %c) {
  %a = fmul double %x, %c
  ret double %a
}""",
        ["out", "const"],
    )
    chain = result.reason_chain(value(result, "a"))
    assert "%a is active" in chain and "argument %x: declared out" in chain and "the return value" in chain
    assert "no active input reaches it" in result.reason_chain(value(result, "c"))
    assert "[vuA-] %a = fmul double %x, %c" in result.dump()


def test_memory_that_a_callee_cannot_tell_apart() -> None:
    text = """
define internal double @pick(ptr %a, ptr %b, i1 %c) {
  %p = select i1 %c, ptr %a, ptr %b
  %v = load double, ptr %p
  ret double %v
}
define internal double @through(ptr %a, ptr %b, i1 %c) {
  %v = call double @pick(ptr %b, ptr %a, i1 %c)
  ret double %v
}
define double @f(ptr %x, ptr %k, i1 %c) {
  %weights = alloca double
  store double 2.0, ptr %weights
  %r = call double @through(ptr %weights, ptr SECOND, i1 %c)
  ret double %r
}"""
    result = analyse(text.replace("SECOND", "%x"), ["dup", "const", "const"])
    assert result.needs_shadow(value(result, "weights"))
    result = analyse(text.replace("SECOND", "%k"), ["dup", "const", "const"])
    assert not result.needs_shadow(value(result, "weights"))


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
