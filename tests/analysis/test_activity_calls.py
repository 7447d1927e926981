"""Activity and calls: defined functions, recursion, library functions, and functions of which nothing is known."""

from __future__ import annotations

import pytest

from tests.analysis.activity_cases import active, analyse, kinds, value


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
