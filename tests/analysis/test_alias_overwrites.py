"""Overwrite proofs and mod/ref: what may change memory after it was read."""

from __future__ import annotations

import pytest

from enzyme.analysis.alias import AliasAnalysis, MemoryLocation
from enzyme.analysis.modref import dump, memory_attribute
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Instruction, Load, Store, Value
from tests.analysis.test_alias import analyse


def proof_of(text: str, name: str = "v", count_free: bool = False) -> tuple[bool, str]:
    analysis, values = analyse(text)
    load = values[name]
    assert isinstance(load, Load)
    proof = analysis.overwrite_proof(load, count_free)
    writes = analysis.writes_after(load, count_free)
    assert proof.ok == (not writes)
    if proof.conflict is not None and writes:
        assert writes[0].instruction is proof.conflict
    return proof.ok, proof.reason


STRAIGHT = """
define double @f(ptr PA %p, ptr %q) {
  store double 0.0, ptr %q
  %v = load double, ptr %p
  STORE
  ret double %v
}
"""


@pytest.mark.parametrize(
    "attribute,store,ok",
    [
        ("", "", True),  # a write before the load does not count
        ("", "store double 1.0, ptr %q", False),
        ("noalias", "store double 1.0, ptr %q", True),
        ("", "store double 1.0, ptr %p", False),
        ("noalias", "store double 1.0, ptr %p", False),
        ("noalias readonly", "store double 1.0, ptr %q", True),
        ("readonly", "store double 1.0, ptr %q", False),  # readonly promises nothing about other pointers
    ],
)
def test_straight_line(attribute: str, store: str, ok: bool) -> None:
    assert proof_of(STRAIGHT.replace("PA", attribute).replace("STORE", store))[0] == ok


ARRAY_LOOP = """
define void @f(ptr noalias %a, ptr noalias %b, i64 %n, i64 %m) {
entry:
  br label %h
h:
  %i = phi i64 [ START, %entry ], [ %i2, %h ]
  %before = add nsw i64 %i, -1
  %i2 = add nuw nsw i64 %i, STEP
  %next = add nuw nsw i64 %i, 1
  %p = getelementptr inbounds double, ptr %a, i64 LOAD
  %q = getelementptr inbounds double, ptr %TO, i64 STORE
  ORDER
  %c = icmp slt i64 %i2, %n
  br i1 %c, label %h, label %x
x:
  ret void
}
"""
LOAD_FIRST = "%v = load double, ptr %p\n  store double 1.0, ptr %q"
STORE_FIRST = "store double 1.0, ptr %q\n  %v = load double, ptr %p"


def array_loop(load: str, store: str, order: str = LOAD_FIRST, to: str = "a", step: str = "1", start: str = "0") -> str:
    text = ARRAY_LOOP.replace("LOAD", load).replace("STORE", store).replace("ORDER", order)
    return text.replace("TO", to).replace("STEP", step).replace("START", start)


@pytest.mark.parametrize(
    "load,store,order,ok",
    [
        ("%i", "%i", LOAD_FIRST, False),  # in place
        ("%i", "%i", STORE_FIRST, True),  # written before it is read, later iterations write elsewhere
        ("%i", "%next", LOAD_FIRST, True),  # a[i+1] = f(a[i])
        ("%i", "%next", STORE_FIRST, True),
        ("%i", "%before", LOAD_FIRST, False),  # a[i-1] = f(a[i]): the next iteration overwrites a[i]
        ("%i", "%before", STORE_FIRST, False),
        ("%next", "%i", LOAD_FIRST, False),
        ("%before", "%i", LOAD_FIRST, True),
        ("%m", "%i", LOAD_FIRST, False),
        ("%i", "%m", LOAD_FIRST, False),
        ("%m", "%m", STORE_FIRST, False),
        ("0", "%i", LOAD_FIRST, False),
    ],
)
def test_one_array_in_a_loop(load: str, store: str, order: str, ok: bool) -> None:
    assert proof_of(array_loop(load, store, order))[0] == ok


def test_another_array_in_a_loop() -> None:
    assert proof_of(array_loop("%i", "%i", to="b"))[0]
    assert not proof_of(array_loop("%i", "%i", to="b").replace("noalias ", ""))[0]


def test_falling_counters() -> None:
    falling = array_loop("%i", "%before", step="-1", start="%m").replace("nuw nsw i64 %i, -1", "nsw i64 %i, -1")
    assert proof_of(falling)[0]  # a[i-1] = f(a[i]) downwards
    falling = array_loop("%i", "%next", step="-1", start="%m").replace("nuw nsw i64 %i, -1", "nsw i64 %i, -1")
    assert not proof_of(falling)[0]


def test_distance_needs_inbounds_and_equal_strides() -> None:
    assert not proof_of(array_loop("%i", "%next").replace("inbounds ", ""))[0]
    doubled = array_loop("%i", "%d").replace("%next =", "%d = mul nuw nsw i64 %i, 2\n  %next =")
    assert not proof_of(doubled)[0]


def test_wider_loads_overlap_the_next_element() -> None:
    wide = array_loop("%i", "%next").replace("load double", "load <2 x double>")
    assert not proof_of(wide)[0]


NESTED = """
define void @f(ptr noalias %a, i64 %n) {
entry:
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k2, %latch ]
  br label %h
h:
  %i = phi i64 [ 0, %outer ], [ %i2, %h ]
  %i2 = add nuw nsw i64 %i, 1
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %q = getelementptr inbounds double, ptr %a, i64 %i2
  %v = load double, ptr %p
  store double 1.0, ptr %q
  %c = icmp slt i64 %i2, %n
  br i1 %c, label %h, label %latch
latch:
  %k2 = add nuw nsw i64 %k, 1
  %d = icmp slt i64 %k2, %n
  br i1 %d, label %outer, label %x
x:
  ret void
}
"""


def test_an_outer_loop_writes_everything_again() -> None:
    assert not proof_of(NESTED)[0]


TWO_LOOPS = """
define void @f(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %i2, %h ]
  %i2 = add nuw nsw i64 %i, 1
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %v = load double, ptr %p
  %c = icmp slt i64 %i2, %n
  br i1 %c, label %h, label %g
g:
  %j = phi i64 [ 0, %h ], [ %j2, %g ]
  %j2 = add nuw nsw i64 %j, 1
  %q = getelementptr inbounds double, ptr %TO, i64 %j
  store double 1.0, ptr %q
  %d = icmp slt i64 %j2, %n
  br i1 %d, label %g, label %x
x:
  ret void
}
"""


def test_load_in_an_earlier_loop_and_store_in_a_later_one() -> None:
    assert not proof_of(TWO_LOOPS.replace("TO", "a"))[0]
    assert proof_of(TWO_LOOPS.replace("TO", "b"))[0]


def test_store_in_an_earlier_loop_only() -> None:
    text = TWO_LOOPS.replace("TO", "a").replace("%v = load double, ptr %p", "store double 2.0, ptr %p")
    text = text.replace("store double 1.0, ptr %q", "%v = load double, ptr %q")
    assert proof_of(text)[0]


POINTER_LOOP = """
define void @f(ptr %a, ptr %end) {
entry:
  br label %h
h:
  %p = phi ptr [ %a, %entry ], [ %p2, %h ]
  %p2 = getelementptr inbounds nuw i8, ptr %p, i64 16
  %q = getelementptr inbounds nuw i8, ptr %p, i64 OFFSET
  %v = load double, ptr %p
  store double 1.0, ptr %q
  %c = icmp ne ptr %p2, %end
  br i1 %c, label %h, label %x
x:
  ret void
}
"""


def test_pointer_induction() -> None:
    assert proof_of(POINTER_LOOP.replace("OFFSET", "8"))[0]  # the other field
    assert not proof_of(POINTER_LOOP.replace("OFFSET", "0"))[0]
    assert proof_of(POINTER_LOOP.replace("OFFSET", "16"))[0]  # ahead
    assert not proof_of(POINTER_LOOP.replace("OFFSET", "-16"))[0]  # the next iteration writes behind
    assert not proof_of(POINTER_LOOP.replace("OFFSET", "4"))[0]


def test_volatile_atomic_and_fences() -> None:
    assert not proof_of(STRAIGHT.replace("PA", "").replace("STORE", "").replace("= load", "= load volatile"))[0]
    assert not proof_of(STRAIGHT.replace("PA", "").replace("STORE", "fence seq_cst"))[0]
    assert proof_of(STRAIGHT.replace("PA", "noalias").replace("STORE", "fence seq_cst"))[0]
    atomic = "%x = atomicrmw fadd ptr %q, double 1.0 monotonic"
    assert not proof_of(STRAIGHT.replace("PA", "").replace("STORE", atomic))[0]
    assert proof_of(STRAIGHT.replace("PA", "noalias").replace("STORE", atomic))[0]
    other = "%x = load atomic i32, ptr %q acquire, align 4"
    assert not proof_of(STRAIGHT.replace("PA", "").replace("STORE", other))[0]


CALLS = """
@g = global double 0.0
@k = constant double 1.0
declare void @unknown()
declare void @unknown_args(ptr, ptr)
declare void @reads(ptr readonly) memory(read)
declare void @args_only(ptr, ptr readonly) memory(argmem: readwrite)
declare void @hidden() memory(inaccessiblemem: readwrite)
declare double @exp(double)
declare double @frexp(double, ptr)
declare void @free(ptr)
declare ptr @realloc(ptr, i64)
declare noalias ptr @malloc(i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @f(ptr %p, ptr %q, i64 %n) {
  %a = alloca [4 x double]
  %b = alloca [4 x double]
  %b2 = getelementptr inbounds i8, ptr %b, i64 16
  %m = call ptr @malloc(i64 64)
  %v = load double, ptr PLACE
  CALL
  ret void
}
"""


@pytest.mark.parametrize(
    "place,call,ok",
    [
        ("%p", "call void @unknown()", False), ("%a", "call void @unknown()", True),
        ("@g", "call void @unknown()", False),
        ("@k", "call void @unknown()", True), ("%m", "call void @unknown()", True),
        ("%a", "call void @unknown_args(ptr %a, ptr %p)", False),
        ("%b", "call void @unknown_args(ptr %a, ptr %p)", True),
        ("%p", "call void @reads(ptr %p)", True), ("%p", "call void @args_only(ptr %q, ptr %p)", False),
        ("%a", "call void @args_only(ptr %b, ptr %a)", True), ("%a", "call void @args_only(ptr %a, ptr %b)", False),
        ("@g", "call void @args_only(ptr %a, ptr %b)", True), ("%p", "call void @hidden()", True),
        ("%p", "%e = call double @exp(double 1.0)", True), ("%a", "%e = call double @frexp(double 1.0, ptr %b)", True),
        ("%a", "%e = call double @frexp(double 1.0, ptr %a)", False),
        ("%m", "call void @free(ptr %m)", True), ("%m", "%r = call ptr @realloc(ptr %m, i64 128)", False),
        ("%b", "call void @llvm.memcpy.p0.p0.i64(ptr %b2, ptr %p, i64 16, i1 false)", True),
        ("%b", "call void @llvm.memcpy.p0.p0.i64(ptr %b2, ptr %p, i64 %n, i1 false)", True),
        ("%b2", "call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %p, i64 16, i1 false)", True),
        ("%b2", "call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %p, i64 17, i1 false)", False),
        ("%b2", "call void @llvm.memset.p0.i64(ptr %b, i8 0, i64 %n, i1 false)", False),
        ("%p", "call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %p, i64 16, i1 false)", True),
        ("%p", "call void %q()", False), ("%a", "call void %q()", True),
        ("%p", 'call void asm sideeffect "", "~{memory}"()', False),
    ],
)  # fmt: skip
def test_calls(place: str, call: str, ok: bool) -> None:
    assert proof_of(CALLS.replace("PLACE", place).replace("CALL", call))[0] == ok


def test_a_variable_length_write_behind_the_bytes_read() -> None:
    # from %b2 on, whatever the length, %b's first bytes are not touched: the distance is known, the size is not
    call = "call void @llvm.memset.p0.i64(ptr %b2, i8 0, i64 %n, i1 false)"
    assert proof_of(CALLS.replace("PLACE", "%b").replace("CALL", call))[0]


def test_releases_count_when_asked() -> None:
    text = CALLS.replace("PLACE", "%m").replace("CALL", "call void @free(ptr %m)")
    assert not proof_of(text, count_free=True)[0]


def test_errno_is_an_int_of_nobody() -> None:
    base = CALLS.replace("CALL", "%e = call double @exp(double 1.0)")
    assert proof_of(base.replace("PLACE", "%a"))[0]
    ints = base.replace("load double, ptr PLACE", "load i32, ptr %p")
    assert not proof_of(ints)[0]
    tagged = ints.replace("load i32, ptr %p", "load i32, ptr %p, !tbaa !5") + (
        '!llvm.errno.tbaa = !{!0}\n!0 = !{!1, !1, i64 0}\n!1 = !{!"int", !2, i64 0}\n'
        '!2 = !{!"omnipotent char", !3, i64 0}\n!3 = !{!"Simple C/C++ TBAA"}\n!4 = !{!"float", !2, i64 0}\n'
        "!5 = !{!4, !4, i64 0}\n"
    )
    assert proof_of(tagged)[0]
    assert not proof_of(tagged.replace("!5 = !{!4, !4, i64 0}", "!5 = !{!1, !1, i64 0}"))[0]


SUMMARIES = """
@g = internal global double 0.0
declare void @unknown()
define internal void @writes_first(ptr %x, ptr %y) {
  %v = load double, ptr %y
  store double %v, ptr %x
  ret void
}
define internal void @via(ptr %x, ptr %y) {
  call void @writes_first(ptr %y, ptr %x)
  ret void
}
define internal void @writes_global() {
  store double 1.0, ptr @g
  ret void
}
define internal void @recurses(ptr %x, ptr %y, i64 %n) {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %go
go:
  %m = sub i64 %n, 1
  call void @recurses(ptr %y, ptr %x, i64 %m)
  br label %out
out:
  store double 1.0, ptr %x
  ret void
}
define internal void @through_memory(ptr %x) {
  %p = load ptr, ptr %x
  store double 1.0, ptr %p
  ret void
}
define internal void @keeps(ptr %x) {
  store ptr %x, ptr @g
  ret void
}
define internal void @hides(ptr captures(none) %x) {
  %slot = alloca ptr
  store ptr %x, ptr %slot
  %p = load ptr, ptr %slot
  store double 1.0, ptr %p
  ret void
}
define internal ptr @returns(ptr %x) {
  %p = getelementptr inbounds double, ptr %x, i64 1
  ret ptr %p
}
define internal void @local() {
  %a = alloca double
  store double 1.0, ptr %a
  ret void
}
define weak void @weak(ptr %x, ptr %y) {
  ret void
}
define void @f(ptr %p, ptr %q) {
  %a = alloca double
  %b = alloca double
  %box = alloca ptr
  PREPARE
  %v = load double, ptr PLACE
  CALL
  ret void
}
"""


@pytest.mark.parametrize(
    "place,call,ok",
    [
        ("%a", "call void @writes_first(ptr %a, ptr %b)", False),
        ("%a", "call void @writes_first(ptr %b, ptr %a)", True),
        ("%a", "call void @via(ptr %a, ptr %b)", True), ("%a", "call void @via(ptr %b, ptr %a)", False),
        ("%p", "call void @writes_first(ptr %a, ptr %q)", True),
        ("%p", "call void @writes_first(ptr %q, ptr %a)", False),
        ("%p", "call void @local()", True), ("@g", "call void @local()", True),
        ("@g", "call void @writes_global()", False),
        ("%a", "call void @writes_global()", True), ("%p", "call void @writes_global()", False),
        ("%a", "call void @recurses(ptr %a, ptr %b, i64 3)", False),
        ("%a", "call void @recurses(ptr %b, ptr %a, i64 3)", False),
        ("@g", "call void @recurses(ptr %b, ptr %a, i64 3)", True),
        ("%p", "call void @through_memory(ptr %a)", False), ("%a", "call void @through_memory(ptr %p)", True),
        ("%a", "call void @hides(ptr %a)", False), ("%p", "call void @weak(ptr %a, ptr %b)", False),
        ("%b", "call void @weak(ptr %a, ptr %a)", True),
    ],
)  # fmt: skip
def test_summaries_of_defined_functions(place: str, call: str, ok: bool) -> None:
    text = SUMMARIES.replace("PREPARE", "").replace("PLACE", place).replace("CALL", call)
    assert proof_of(text)[0] == ok


def test_a_pointer_in_a_box_reaches_its_target() -> None:
    text = SUMMARIES.replace("PREPARE", "store ptr %b, ptr %box").replace("CALL", "call void @through_memory(ptr %box)")
    assert not proof_of(text.replace("PLACE", "%b"))[0]
    assert proof_of(text.replace("PLACE", "%a"))[0]


def test_capture_through_defined_functions() -> None:
    kept = SUMMARIES.replace("PREPARE", "call void @keeps(ptr %a)").replace("CALL", "call void @unknown()")
    assert not proof_of(kept.replace("PLACE", "%a"))[0]
    assert proof_of(kept.replace("PLACE", "%b"))[0]
    lent = SUMMARIES.replace("PREPARE", "%r = call ptr @returns(ptr %a)").replace("CALL", "call void @unknown()")
    assert proof_of(lent.replace("PLACE", "%a"))[0]
    stored = SUMMARIES.replace("PREPARE", "%r = call ptr @returns(ptr %a)\n  store ptr %r, ptr %q")
    assert not proof_of(stored.replace("CALL", "call void @unknown()").replace("PLACE", "%a"))[0]


def test_a_returned_argument_is_still_the_argument() -> None:
    # @choose keeps neither argument, but its result is one of them: a write through it writes the restrict argument
    choose = """
define internal ptr @choose(ptr captures(ret: address, provenance) %x, ptr %y, i1 %c) {
  %r = select i1 %c, ptr %x, ptr %y
  ret ptr %r
}
"""
    text = choose + SUMMARIES.replace("ptr %p, ptr %q)", "ptr noalias %p, ptr noalias %q, i1 %c)")
    text = text.replace("CALL", "store double 1.0, ptr %r").replace("PREPARE", "%r = call ptr @choose(ARGS, i1 %c)")
    for place, args, ok in (
        ("%p", "ptr %p, ptr %q", False), ("%q", "ptr %p, ptr %q", False), ("%a", "ptr %p, ptr %q", True),
        ("%a", "ptr %b, ptr %q", True), ("%a", "ptr %a, ptr %q", False), ("%p", "ptr %a, ptr %q", True),
    ):  # fmt: skip
        assert proof_of(text.replace("PLACE", place).replace("ARGS", args))[0] == ok


def test_capture_after_the_write_does_not_count() -> None:
    text = SUMMARIES.replace("PREPARE", "").replace("CALL", "call void @unknown()\n  call void @keeps(ptr %a)")
    assert proof_of(text.replace("PLACE", "%a"))[0]
    text = SUMMARIES.replace("PREPARE", "").replace("CALL", "call void @keeps(ptr %a)\n  call void @unknown()")
    assert not proof_of(text.replace("PLACE", "%a"))[0]


LIFETIME = """
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
define void @f(i64 %n) {
entry:
  %a = alloca double
  ONCE
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %i2, %h ]
  START
  %v = load double, ptr %a
  END
  %i2 = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %i2, %n
  br i1 %c, label %h, label %x
x:
  LAST
  ret void
}
"""


def test_lifetime_markers_overwrite_in_loops_only() -> None:
    start, end = "call void @llvm.lifetime.start.p0(ptr %a)", "call void @llvm.lifetime.end.p0(ptr %a)"

    def text(once: str, first: str, last: str, after: str) -> str:
        made = LIFETIME.replace("ONCE", once).replace("START", first)
        return made.replace("END", last).replace("LAST", after)

    assert proof_of(text(start, "", "", end))[0]
    assert not proof_of(text("", start, end, ""))[0]
    assert not proof_of(text(start, "", end, ""))[0]


def test_stack_restore_takes_dynamic_storage() -> None:
    text = """
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
define void @f(i64 %n) {
entry:
  %fixed = alloca double
  %s = call ptr @llvm.stacksave.p0()
  br label %x
x:
  %a = alloca double, i64 %n
  %v = load double, ptr %a
  %w = load double, ptr %fixed
  call void @llvm.stackrestore.p0(ptr %s)
  ret void
}
"""
    assert not proof_of(text)[0] and proof_of(text, "w")[0]


def test_constant_memory() -> None:
    text = STRAIGHT.replace("PA", "").replace("STORE", "store double 1.0, ptr %q")
    assert proof_of(text.replace("load double, ptr %p", "load double, ptr %p, !invariant.load !0") + "!0 = !{}\n")[0]
    tag = '!0 = !{!1, !1, i64 0, i64 1}\n!1 = !{!"const", !2, i64 0}\n!2 = !{!"root"}\n'
    assert proof_of(text.replace("load double, ptr %p", "load double, ptr %p, !tbaa !0") + tag)[0]


def test_unreachable_code_proves_anything() -> None:
    text = """
define void @f(ptr %p) {
  ret void
dead:
  %v = load double, ptr %p
  store double 0.0, ptr %p
  br label %dead
}
"""
    assert proof_of(text)[0]


def test_mod_ref() -> None:
    analysis, values = analyse(CALLS.replace("PLACE", "%p").replace("CALL", "call void @args_only(ptr %a, ptr %b)"))
    call = next(i for i in analysis.function.instructions() if i.opcode == "call" and i.type.is_void)

    def ask(name: str) -> tuple[bool, bool]:
        found = analysis.mod_ref(call, MemoryLocation(values[name], 8))
        assert found.reason
        return found.may_write, found.may_read

    assert ask("a") == (True, True) and ask("b") == (False, True) and ask("p") == (False, False)
    assert ask("m") == (False, False)


def test_writes_after_a_store_and_a_location() -> None:
    text = array_loop("%i", "%m")
    analysis, values = analyse(text)
    store = values["store0"]
    assert isinstance(store, Store)
    assert [w.instruction for w in analysis.writes_after(store)] == [store]  # itself, one iteration later
    assert [w.verdict for w in analysis.writes_after(store)] == ["must"]
    place = MemoryLocation(values["b"], 8, instruction=store)
    assert analysis.writes_after(place) == [] and analysis.overwrite_proof(place).ok


def test_dump_shows_effects_and_summary() -> None:
    module = parse_module(SUMMARIES.replace("PREPARE", "").replace("PLACE", "%a").replace("CALL", ""))
    text = dump(module.functions["via"])
    assert "reads_args: [0]" in text and "writes_args: [1]" in text and "other: nothing" in text
    text = dump(module.functions["through_memory"])
    assert "writes_other" in text and "8 bytes of {loaded %p}" in text
    assert "no summary" in dump(module.functions["weak"])


def test_memory_attribute() -> None:
    assert memory_attribute(frozenset()) == (3, 3, 3)
    assert memory_attribute(frozenset({"memory(none)"})) == (0, 0, 0)
    assert memory_attribute(frozenset({"memory(read)"})) == (1, 1, 1)
    assert memory_attribute(frozenset({"memory(argmem: write)"})) == (2, 0, 0)
    assert memory_attribute(frozenset({"memory(readwrite, argmem: none)"})) == (0, 3, 3)
    assert memory_attribute(frozenset({"memory(errnomem: write)"})) == (0, 0, 2)
    assert memory_attribute(frozenset({"memory(read)", "memory(argmem: readwrite)"})) == (1, 0, 0)


def chain(count: int) -> str:
    """A function of ``3 * count`` instructions with as many loads as stores, all may-alias free."""
    lines = ["define void @f(ptr noalias %a, ptr noalias %b) {"]
    for i in range(count):
        lines.append(f"  %p{i} = getelementptr inbounds double, ptr %a, i64 {i}")
        lines.append(f"  %v{i} = load double, ptr %p{i}")
        lines.append(f"  store double %v{i}, ptr %b")
    return "\n".join([*lines, "  ret void", "}", ""])


def test_large_functions_are_answered_completely() -> None:
    analysis, values = analyse(chain(1000))
    assert isinstance(analysis, AliasAnalysis)
    loads: list[Value] = [v for n, v in values.items() if n.startswith("v")]
    for load in loads:
        assert isinstance(load, Instruction)
        proof = analysis.overwrite_proof(load)
        assert proof.ok
    assert len(analysis.overwrite_proof(loads[0]).considered) == 1000  # type: ignore[arg-type]
