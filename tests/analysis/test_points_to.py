"""Points-to sets on small IR functions."""

from __future__ import annotations

from enzyme.analysis.points_to import PointsTo
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Value
from enzyme.rules.known import known_callee

DECLARATIONS = """
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare i32 @posix_memalign(ptr, i64, i64)
declare void @unknown(ptr)
declare ptr @anything()
declare void @keeps_nothing(ptr captures(none))
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def analyse(text: str, name: str = "f") -> PointsTo:
    module = parse_module(DECLARATIONS + text)
    return PointsTo(module.get_function(name), module, known=known_callee)  # type: ignore[arg-type]


def value(result: PointsTo, name: str) -> Value:
    for found in [*result.function.args, *result.function.instructions()]:
        if found.name == name:
            return found
    raise KeyError(name)


def pts(result: PointsTo, name: str) -> set[str]:
    return {o.label for o in result.pts(value(result, name))}


def held(result: PointsTo, kind: str, name: str) -> set[str]:
    obj = result.find(kind, value(result, name))
    assert obj is not None
    return {o.label for o in result.contents(obj)}


def test_arguments_and_address_arithmetic() -> None:
    result = analyse(
        """
define void @f(ptr %a, ptr %b, i64 %i, i1 %c) {
  %p = getelementptr double, ptr %a, i64 %i
  %s = select i1 %c, ptr %p, ptr %b
  %one = load ptr, ptr %a
  %two = load ptr, ptr %one
  ret void
}"""
    )
    assert pts(result, "p") == {"arg %a"}
    assert pts(result, "s") == {"arg %a", "arg %b"}
    assert pts(result, "one") == pts(result, "two") == {"deref %a"}


def test_stores_and_loads_through_locals() -> None:
    result = analyse(
        """
define void @f(ptr %a) {
  %x = alloca double
  %slot = alloca ptr
  %other = alloca ptr
  store ptr %x, ptr %slot
  call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %slot, i64 8, i1 false)
  %y = load ptr, ptr %other
  store ptr %y, ptr %a
  %z = load ptr, ptr %a
  ret void
}"""
    )
    assert pts(result, "y") == {"alloca %x"}
    assert pts(result, "z") == {"alloca %x", "deref %a"}
    assert held(result, "arg", "a") == {"alloca %x", "deref %a"}


def test_integers_carry_pointers() -> None:
    result = analyse(
        """
define void @f(ptr %a, i64 %n) {
  %i = ptrtoint ptr %a to i64
  %up = add i64 %i, 15
  %down = and i64 %up, -16
  %p = inttoptr i64 %down to ptr
  %slot = alloca i64
  store i64 %i, ptr %slot
  %j = load i64, ptr %slot
  %q = inttoptr i64 %j to ptr
  %r = inttoptr i64 %n to ptr
  ret void
}"""
    )
    assert pts(result, "p") == pts(result, "q") == {"arg %a"}
    assert pts(result, "r") == {"unknown"}


def test_allocations() -> None:
    result = analyse(
        """
define ptr @f(i64 %n) {
  %m = call ptr @malloc(i64 %n)
  %r = call ptr @realloc(ptr %m, i64 %n)
  %slot = alloca ptr
  %e = call i32 @posix_memalign(ptr %slot, i64 32, i64 %n)
  %p = load ptr, ptr %slot
  ret ptr %r
}"""
    )
    assert pts(result, "m") == {"heap %m"}
    assert pts(result, "r") == {"heap %m", "heap %r"}
    assert pts(result, "p") == {"heap %e"}
    assert result.summarise().returns == {("fresh", None)}


def test_globals_and_their_initialisers() -> None:
    result = analyse(
        """
@data = internal constant double 1.0
@table = internal constant [2 x ptr] [ptr @data, ptr @f]
@current = global ptr null
@elsewhere = external global ptr
define void @f() {
  %t = load ptr, ptr @table
  %c = load ptr, ptr @current
  %e = load ptr, ptr @elsewhere
  ret void
}"""
    )
    assert pts(result, "t") == {"global @data", "function @f"}
    assert pts(result, "c") == {"deref @current"}
    assert pts(result, "e") == {"deref @elsewhere"}


def test_what_unknown_code_was_given_may_come_back() -> None:
    result = analyse(
        """
define void @f(ptr %a) {
  %x = alloca ptr
  %y = alloca ptr
  call void @unknown(ptr %x)
  %back = call ptr @anything()
  %in = load ptr, ptr %x
  call void @keeps_nothing(ptr %y)
  ret void
}"""
    )
    assert "alloca %x" in pts(result, "back") and "unknown" in pts(result, "back")
    assert "alloca %y" not in pts(result, "back")
    assert "arg %a" not in pts(result, "back")
    assert "unknown" in pts(result, "in")


def test_summaries_of_defined_functions() -> None:
    result = analyse(
        """
define internal ptr @link(ptr %node, ptr %value) {
  %n = call ptr @malloc(i64 16)
  store ptr %value, ptr %n
  store ptr %n, ptr %node
  ret ptr %value
}
define internal double @reads(ptr %a, ptr %b) {
  %x = load double, ptr %a
  ret double %x
}
define void @f(ptr %a) {
  %head = alloca ptr
  %v = alloca double
  %k = alloca ptr
  %same = call ptr @link(ptr %head, ptr %v)
  %node = load ptr, ptr %head
  %got = load ptr, ptr %node
  %d = call double @reads(ptr %k, ptr %a)
  ret void
}"""
    )
    assert pts(result, "same") == {"alloca %v"}
    assert pts(result, "node") == {"heap %same"}
    assert pts(result, "got") == {"alloca %v"}
    assert held(result, "alloca", "k") == set()


def test_recursive_summaries() -> None:
    result = analyse(
        """
define internal ptr @last(ptr %list) {
entry:
  %next = load ptr, ptr %list
  %end = icmp eq ptr %next, null
  br i1 %end, label %stop, label %more
more:
  %inner = call ptr @last(ptr %next)
  br label %stop
stop:
  %r = phi ptr [ %list, %entry ], [ %inner, %more ]
  ret ptr %r
}
define void @f(ptr %a) {
  %one = alloca ptr
  %two = alloca ptr
  store ptr %two, ptr %one
  %r = call ptr @last(ptr %one)
  ret void
}"""
    )
    assert pts(result, "r") == {"alloca %one", "alloca %two"}


def test_what_a_callee_mixes() -> None:
    result = analyse(
        """
define internal double @pick(ptr %a, ptr %b, ptr %c, i1 %t) {
  %p = select i1 %t, ptr %a, ptr %c
  %v = load double, ptr %p
  ret double %v
}
define void @f(ptr %x, ptr %y, ptr %z, i1 %t) {
  %v = call double @pick(ptr %x, ptr %y, ptr %z, i1 %t)
  ret void
}"""
    )
    call = value(result, "v")
    assert [{o.label for o in group} for _, group in result.mixed_at(call)] == [{"arg %x", "arg %z"}]  # type: ignore[arg-type]
    assert result.summarise().mixes == {frozenset({("arg", 0), ("arg", 2)})}
    assert "%x -> {arg %x}" in result.dump()


def test_small_constant_addresses_are_no_memory() -> None:
    body = """
define void @f() #0 {
  %near = getelementptr i8, ptr inttoptr (i64 16 to ptr), i64 8
  %far = getelementptr i8, ptr inttoptr (i64 65536 to ptr), i64 8
  ret void
}
attributes #0 = { %s }"""
    result = analyse(body.replace("%s", "nounwind"))
    assert pts(result, "near") == set()
    assert pts(result, "far") == {"unknown"}
    assert pts(analyse(body.replace("%s", "null_pointer_is_valid")), "near") == {"unknown"}


def test_what_says_that_it_touches_nothing_is_believed() -> None:
    """A function that asks the system for pages hands the block on to what may do anything with it."""
    text = """
define ptr @f(ptr %x) {
  %block = call ptr @malloc(i64 64)
  call void @ask(ptr %block)
  store ptr %x, ptr %block
  %held = load ptr, ptr %block
  ret ptr %held
}
define internal void @ask(ptr captures(none) %block) ATTRIBUTES {
  call void @unknown(ptr %block)
  ret void
}
"""

    def held(attributes: str) -> list[str]:
        result = analyse(text.replace("ATTRIBUTES", attributes))
        return sorted(o.label for o in result.pts(value(result, "held")))

    assert held('"enzyme_inactive" memory(inaccessiblemem: readwrite)') == ["arg %x"]
    assert len(held('"enzyme_inactive"')) > 1
    assert len(held("memory(inaccessiblemem: readwrite)")) > 1
