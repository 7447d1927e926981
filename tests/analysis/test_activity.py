"""Activity of values on small IR functions, each about one rule of the analysis."""

from __future__ import annotations

from enzyme.analysis.activity import analyze_activity
from enzyme.analysis.types_analysis import TypeAnalysis
from enzyme.ir.parser import parse_module
from tests.analysis.activity_cases import active, analyse, kinds, value


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
