"""Trip counts against simulation (every small bound, with wrap as undefined behaviour) and against native execution."""

from __future__ import annotations

import itertools

import pytest

from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.analysis.symbolic import constant, operation
from enzyme.analysis.tripcount import (
    SymOp,
    SymValue,
    affine_of,
    backedge_count,
    canonical_counter,
    constant_value,
    dump,
    emit_sym,
    evaluate_sym,
    hoist_count,
    hoist_sym,
    sym_invariant_in,
    sym_values,
    trip_count,
)
from enzyme.ir.parser import parse_module
from enzyme.ir.values import Function, Value

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def loop_of(text: str, name: str = "f") -> tuple[Function, Loop]:
    module = parse_module(text)
    function = module.functions[name]
    forest = analyse_loops(function)
    return function, forest.loops[0]


def counted(bits: int, predicate: str, step: int, flags: str, rotated: bool, start: str = "%a", op: str = "add") -> str:
    """A loop that stays while ``iv predicate n``; returns the number of back edges taken."""
    if rotated:
        body = f"""
  %i2 = {op} {flags} i{bits} %i, {step}
  %k2 = add i64 %k, 1
  %c = icmp {predicate} i{bits} %i2, %n
  br i1 %c, label %h, label %x"""
        latch = "h"
    else:
        body = f"""
  %c = icmp {predicate} i{bits} %i, %n
  br i1 %c, label %body, label %x
body:
  %i2 = {op} {flags} i{bits} %i, {step}
  %k2 = add i64 %k, 1
  br label %h"""
        latch = "body"
    return f"""
define i64 @f(i{bits} %a, i{bits} %n) {{
entry:
  br label %h
h:
  %i = phi i{bits} [ {start}, %entry ], [ %i2, %{latch} ]
  %k = phi i64 [ 0, %entry ], [ %k2, %{latch} ]{body}
x:
  ret i64 %k
}}
"""


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def holds(predicate: str, a: int, b: int, bits: int) -> bool:
    mask = (1 << bits) - 1
    x, y = (signed(a, bits), signed(b, bits)) if predicate[0] == "s" else (a & mask, b & mask)
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[
        predicate if predicate in ("eq", "ne") else predicate[1:]
    ]


def simulate(bits: int, predicate: str, step: int, flags: str, rotated: bool, a: int, n: int, op: str) -> int | None:
    """Back edges taken; None when the loop is endless or its behaviour undefined."""
    value, poison, mask = a & ((1 << bits) - 1), False, (1 << bits) - 1

    def bump(x: int) -> tuple[int, bool]:
        change = step if op == "add" else -step
        bad = "nsw" in flags and signed(x, bits) + change != signed(x + change, bits)
        unsigned = x + (step & mask) if op == "add" else x - (step & mask)
        return (x + change) & mask, bad or ("nuw" in flags and not 0 <= unsigned <= mask)

    for count in range(min(3 << bits, 5000)):
        if rotated:
            value, wrapped = bump(value)
            poison = poison or wrapped
        if poison:
            return None
        if not holds(predicate, value, n, bits):
            return count
        if not rotated:
            value, wrapped = bump(value)
            poison = poison or wrapped
    return None


def residues(function: Function, a: int, n: int) -> dict[Value, int]:
    return dict(zip(function.args, (a, n), strict=True))


CASES = [
    (predicate, step, flags, rotated, op)
    for predicate in PREDICATES
    for step, flags, op in [
        (1, "", "add"), (1, "nsw", "add"), (1, "nuw", "add"), (-1, "", "add"), (-1, "nsw", "add"), (2, "", "add"),
        (2, "nsw", "add"), (3, "nuw nsw", "add"), (3, "", "add"), (-2, "nsw", "add"), (-3, "", "add"),
        (1, "nuw", "sub"), (2, "nuw", "sub"), (1, "nsw", "sub"), (3, "nsw", "sub"), (-8, "nsw", "sub"), (6, "", "add"),
        (-8, "nsw", "add"), (-1, "nuw", "add"),
    ]
    for rotated in (False, True)
]  # fmt: skip


@pytest.mark.parametrize("predicate,step,flags,rotated,op", CASES)
def test_exhaustively_in_four_bits(predicate: str, step: int, flags: str, rotated: bool, op: str) -> None:
    bits = 4
    function, loop = loop_of(counted(bits, predicate, step, flags, rotated, op=op))
    found = trip_count(loop)
    if found.count is None:
        assert found.reason
        return
    for a, n in itertools.product(range(1 << bits), repeat=2):
        expected = simulate(bits, predicate, step, flags, rotated, a, n, op)
        if expected is None:
            continue
        values = residues(function, a, n)
        assert evaluate_sym(found.count, values.__getitem__) == expected, (a, n, str(found.count))
        assert found.maximum is not None and evaluate_sym(found.maximum, values.__getitem__) >= expected
        assert found.guarded is None or evaluate_sym(found.guarded, values.__getitem__) == expected


@pytest.mark.parametrize("limit", (0, 5, 6, 7, 8, 13, 14, 15))
@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.parametrize("step", (2, 3, -2, 5))
def test_constant_bounds_without_flags(predicate: str, limit: int, step: int) -> None:
    text = counted(4, predicate, step, "", False).replace("i4 %i, %n", f"i4 %i, {limit}")
    function, loop = loop_of(text)
    found = trip_count(loop).count
    for a in range(16):
        expected = simulate(4, predicate, step, "", False, a, limit, "add")
        if found is not None and expected is not None:
            assert evaluate_sym(found, residues(function, a, 0).__getitem__) == expected


def test_counts_are_found_where_they_must_be() -> None:
    must = [
        ("slt", 1, "", False), ("slt", 1, "", True), ("ult", 1, "", True), ("ne", 1, "", True), ("ne", -1, "", False),
        ("sle", 1, "nsw", False), ("sgt", -1, "", False), ("sge", -1, "nsw", True), ("slt", 4, "nsw", False),
        ("ne", 4, "", True), ("ne", 3, "", True), ("ult", 4, "nuw", False), ("eq", 1, "", False),
        ("ule", 1, "nuw", True),
    ]  # fmt: skip
    for predicate, step, flags, rotated in must:
        _, loop = loop_of(counted(32, predicate, step, flags, rotated))
        assert backedge_count(loop) is not None, (predicate, step, flags, rotated)


def test_wrap_hazards_are_refused() -> None:
    refused = [("slt", 2, ""), ("ult", 2, "nsw"), ("slt", 2, "nuw"), ("slt", -1, ""), ("sgt", 1, "")]
    for predicate, step, flags in refused:
        _, loop = loop_of(counted(32, predicate, step, flags, False))
        assert backedge_count(loop) is None, (predicate, step, flags)


def test_unsigned_test_of_a_signed_counter_from_zero() -> None:
    _, loop = loop_of(counted(32, "ult", 2, "nsw", False, start="0"))
    assert backedge_count(loop) is not None  # rises from 0 without signed wrap, so without unsigned wrap


GUARDED = """
define void @f(i32 %a, i32 %n) {
entry:
  %g = icmp sgt i32 %n, 0
  br i1 %g, label %ph, label %out
ph:
  %wide = zext nneg i32 %n to i64
  br label %h
h:
  %i = phi i64 [ 0, %ph ], [ %i2, %h ]
  %i2 = add nuw nsw i64 %i, 1
  %c = icmp PRED i64 %i2, %wide
  br i1 %c, label %h, label %x
x:
  br label %out
out:
  ret void
}
"""


@pytest.mark.parametrize("predicate", ("slt", "ult", "ne"))
def test_a_guard_removes_the_choice(predicate: str) -> None:
    _, loop = loop_of(GUARDED.replace("PRED", predicate))
    count = backedge_count(loop)
    assert isinstance(count, SymOp) and count.op == "add" and count.args[1] == constant(-1, 64)


def test_without_the_guard_the_choice_stays() -> None:
    _, loop = loop_of(GUARDED.replace("PRED", "slt").replace("icmp sgt i32 %n, 0", "icmp sgt i32 %n, -5"))
    count = backedge_count(loop)
    assert isinstance(count, SymOp) and count.op == "select"


EXTENDED = """
define i64 @f(i32 %a, i64 %n) {
entry:
  br label %h
h:
  %i = phi i32 [ %a, %entry ], [ %i2, %h ]
  %k = phi i64 [ 0, %entry ], [ %k2, %h ]
  %i2 = add FLAGS i32 %i, 3
  %k2 = add i64 %k, 1
  %w = CAST i32 %i2 to i64
  %c = icmp PRED i64 %w, %n
  br i1 %c, label %h, label %x
x:
  ret i64 %k
}
"""


@pytest.mark.parametrize(
    "flags,cast,predicate,known",
    [
        ("nsw", "sext", "slt", True), ("nuw", "zext", "ult", True), ("nuw", "zext", "slt", True),
        ("", "sext", "slt", False), ("", "zext", "ult", False), ("nuw", "sext", "slt", False),
        ("nsw", "zext", "ult", False),
    ],
)  # fmt: skip
def test_extended_counters(flags: str, cast: str, predicate: str, known: bool) -> None:
    function, loop = loop_of(EXTENDED.replace("FLAGS", flags).replace("CAST", cast).replace("PRED", predicate))
    count = backedge_count(loop)
    assert (count is not None) == known
    if count is not None:
        for a, n in [(0, 0), (0, 10), (5, 5), (7, 1000), (3, 4)]:
            expected, value = 0, a + 3
            while value < n:
                expected, value = expected + 1, value + 3
            assert evaluate_sym(count, residues(function, a, n).__getitem__) == expected


def test_truncated_counter_for_equality() -> None:
    narrow = "%t = trunc i64 %i2 to i32\n  %m = trunc i64 %n to i32\n  %c = icmp ne i32 %t, %m"
    text = counted(64, "ne", 1, "", True).replace("%c = icmp ne i64 %i2, %n", narrow)
    function, loop = loop_of(text)
    count = backedge_count(loop)
    assert count is not None
    assert evaluate_sym(count, residues(function, 5, 105).__getitem__) == 99


POINTERS = """
define i64 @f(ptr %a, ptr %n) {
entry:
  br label %h
h:
  %p = phi ptr [ %a, %entry ], [ %q, %h ]
  %k = phi i64 [ 0, %entry ], [ %k2, %h ]
  %q = getelementptr inbounds nuw double, ptr %p, i64 1
  %k2 = add i64 %k, 1
  %c = icmp PRED ptr %q, %n
  br i1 %c, label %h, label %x
x:
  ret i64 %k
}
"""


@pytest.mark.parametrize("predicate", ("ne", "ult"))
def test_pointer_counters(predicate: str) -> None:
    function, loop = loop_of(POINTERS.replace("PRED", predicate))
    count = backedge_count(loop)
    assert count is not None
    assert evaluate_sym(count, residues(function, 4096, 4096 + 80).__getitem__) == 9


TWO_EXITS = """
define i64 @f(i32 %a, i32 %n, i1 %stop) {
entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i2, %latch ]
  %i2 = add nuw nsw i32 %i, 1
  br i1 %stop, label %x, label %latch
latch:
  %c = icmp ult i32 %i2, %n
  br i1 %c, label %h, label %y
x:
  ret i64 1
y:
  ret i64 2
}
"""


def test_several_exits_give_a_bound_only() -> None:
    function, loop = loop_of(TWO_EXITS)
    found = trip_count(loop)
    assert found.count is None and found.maximum is not None and "2 exits" in found.reason
    lookup = {function.args[1]: 17}
    assert evaluate_sym(found.maximum, lookup.__getitem__) == 16


def test_a_bound_does_not_trust_an_exit_that_may_be_missed() -> None:
    # stays while i != n in steps of two: with another exit the equality may never come
    text = TWO_EXITS.replace("add nuw nsw i32 %i, 1", "add i32 %i, 2").replace("icmp ult", "icmp ne")
    found = trip_count(loop_of(text)[1])
    assert found.count is None and found.maximum is None


def test_conjunctions_bound_but_do_not_count() -> None:
    text = counted(32, "slt", 1, "nsw", True, start="0").replace(
        "br i1 %c, label %h", "%d = icmp ne i64 %k, 9\n  %e = select i1 %c, i1 %d, i1 false\n  br i1 %e, label %h"
    )
    function, loop = loop_of(text)
    found = trip_count(loop)
    assert found.count is None and found.maximum is not None
    assert evaluate_sym(found.maximum, residues(function, 0, 100).__getitem__) == 9
    assert evaluate_sym(found.maximum, residues(function, 0, 5).__getitem__) == 4


NEST = """
define void @f(i64 %a, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i2, %latch ]
  %m = sub i64 %n, 1
  %t = add i64 %i, 1
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j2, %inner ]
  %j2 = add nuw nsw i64 %j, 1
  %c = icmp ne i64 %j2, BOUND
  br i1 %c, label %inner, label %latch
latch:
  %i2 = add nuw nsw i64 %i, 1
  %d = icmp ne i64 %i2, %n
  br i1 %d, label %outer, label %x
x:
  ret void
}
"""


def test_nests_rectangular_and_triangular() -> None:
    function = parse_module(NEST.replace("BOUND", "%m")).functions["f"]
    outer, inner = analyse_loops(function).loops
    count = backedge_count(inner)
    assert count is not None and not sym_invariant_in(count, outer)
    lifted = hoist_sym(count, outer)
    assert lifted is not None and sym_invariant_in(lifted, outer) and sym_values(lifted) == [function.args[1]]
    assert evaluate_sym(lifted, lambda v: 10) == 8
    assert canonical_counter(outer) is outer.header.phis[0] and canonical_counter(inner) is inner.header.phis[0]

    function = parse_module(NEST.replace("BOUND", "%t")).functions["f"]
    outer, inner = analyse_loops(function).loops
    count = backedge_count(inner)
    assert count is not None and hoist_sym(count, outer) is None
    assert count == operation("add", SymValue(outer.header.instructions[2]), constant(-1, 64))
    assert "counter %i" in dump(function)


CONDITIONAL = """
define void @f(i32 %a, i32 %n, i1 %b) {
entry:
  %wide = zext i32 %n to i64
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i2, %latch ]
  br i1 GUARD, label %ph, label %latch
ph:
  br label %inner
inner:
  %j = phi i64 [ 0, %ph ], [ %j2, %inner ]
  %j2 = add nuw nsw i64 %j, 1
  %c = icmp PRED i64 %j2, %wide
  br i1 %c, label %inner, label %latch
latch:
  %i2 = add nuw nsw i64 %i, 1
  %d = icmp ne i64 %i2, 10
  br i1 %d, label %outer, label %x
x:
  ret void
}
"""


@pytest.mark.parametrize("predicate", ("ne", "slt", "ult"))
@pytest.mark.parametrize("guard", ("%g", "%b", "true"))
def test_a_hoisted_count_is_never_garbage(predicate: str, guard: str) -> None:
    text = CONDITIONAL.replace("PRED", predicate).replace("GUARD", guard)
    if guard == "%g":
        text = text.replace("entry:\n", "entry:\n  %g = icmp sgt i32 %n, 0\n")
    if guard == "true":
        text = text.replace("br i1 true, label %ph, label %latch", "br label %ph")
    function = parse_module(text).functions["f"]
    outer, inner = analyse_loops(function).loops
    tree = hoist_count(inner, outer)
    if guard == "%b" and predicate == "ne":
        assert tree is None  # nothing says that n is not 0 when the inner loop is skipped
        return
    assert tree is not None and sym_invariant_in(tree, outer)
    for n in (1, 2, 50):
        assert evaluate_sym(tree, lambda v, n=n: n) == n - 1
    if guard != "true":
        assert evaluate_sym(tree, lambda v: 0) == 0
    assert hoist_count(outer, outer) == backedge_count(outer)


def test_a_pointer_range_is_guarded_by_its_own_test() -> None:
    text = POINTERS.replace("PRED", "ne").replace(
        "entry:\n  br label %h",
        "entry:\n  %g = icmp eq ptr %a, %n\n  br i1 %g, label %out, label %ph\nph:\n  br label %h",
    )
    text = text.replace("%a, %entry", "%a, %ph").replace("0, %entry", "0, %ph").replace("}\n", "out:\n  ret i64 0\n}\n")
    function, loop = loop_of(text)
    guarded = trip_count(loop).guarded
    assert guarded is not None
    assert evaluate_sym(guarded, residues(function, 4096, 4096).__getitem__) == 0
    assert evaluate_sym(guarded, residues(function, 4096, 4096 + 80).__getitem__) == 9


def test_the_test_must_run_in_every_iteration() -> None:
    text = """
define void @f(i64 %a, i64 %n, i1 %b) {
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %i2, %latch ]
  br i1 %b, label %check, label %latch
check:
  %c = icmp slt i64 %i, %n
  br i1 %c, label %latch, label %x
latch:
  %i2 = add nuw nsw i64 %i, 1
  br label %h
x:
  ret void
}
"""
    found = trip_count(loop_of(text)[1])
    assert found.count is None and found.maximum is None and "every iteration" in found.reason


def test_unknown_positive_step() -> None:
    text = counted(32, "slt", 1, "nsw", False).replace("i32 %n)", "i32 %n, i32 %s)")
    text = text.replace("add nsw i32 %i, 1", "add nsw i32 %i, %s")
    function, loop = loop_of(text)
    count = backedge_count(loop)
    assert count is not None
    for a, n, s in [(0, 10, 3), (0, 9, 3), (5, 5, 7), (-20, 20, 8), (9, 0, 0), (9, 0, -3), (9, 10, 1 << 30)]:
        values = dict(zip(function.args, (a, n, s), strict=True))
        expected = 0 if a >= n else -((a - n) // s)
        assert evaluate_sym(count, values.__getitem__) == expected
    text = text.replace("add nsw", "add")
    assert backedge_count(loop_of(text)[1]) is None


def test_canonical_counter_needs_no_wrap_when_narrow() -> None:
    plain = counted(32, "slt", 1, "", False, start="0")
    _, loop = loop_of(plain.replace("i64 [ 0, %entry ]", "i64 [ 1, %entry ]"))
    assert canonical_counter(loop) is loop.header.phis[0]  # its own test bounds it
    _, loop = loop_of(plain)
    assert canonical_counter(loop) is loop.header.phis[1]
    endless = plain.replace("icmp slt i32 %i, %n", "icmp slt i64 %k, %w").replace("i32 %n)", "i32 %n, i64 %w)")
    endless = endless.replace("[ 0, %entry ], [ %k2", "[ 1, %entry ], [ %k2")
    _, loop = loop_of(endless)
    assert canonical_counter(loop) is None


def test_constants_fold() -> None:
    text = counted(32, "slt", 3, "nuw nsw", False, start="2").replace("icmp slt i32 %i, %n", "icmp slt i32 %i, 20")
    count = backedge_count(loop_of(text)[1])
    assert count is not None and constant_value(count) == 6


def test_emitted_code_agrees_with_the_loop() -> None:
    """Replace the returned counter by the emitted count and run both natively."""
    import ctypes

    import llvmlite.binding as llvm

    from enzyme.ir.builder import Builder
    from enzyme.ir.printer import print_module

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()

    def native(text: str) -> llvm.ExecutionEngine:
        module = llvm.parse_assembly(text)
        module.verify()
        return llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine())

    for (predicate, step, flags), rotated, bits in itertools.product(
        [("slt", 1, ""), ("ne", 1, ""), ("ult", 3, "nuw"), ("sgt", -2, "nsw"), ("sle", 1, "nsw"), ("ne", 4, "")],
        (False, True),
        (32, 64),
    ):
        text = counted(bits, predicate, step, flags, rotated)
        module = parse_module(text)
        function = module.functions["f"]
        (loop,) = analyse_loops(function).loops
        count = backedge_count(loop)
        assert count is not None
        leaving = loop.exit_blocks[0].terminator
        assert leaving is not None and loop.preheader is not None
        before = loop.preheader.terminator
        emitted = emit_sym(count, Builder(loop.preheader, before=before))
        leaving.set_operand(0, emitted)
        kind = ctypes.c_int32 if bits == 32 else ctypes.c_int64
        signature = ctypes.CFUNCTYPE(ctypes.c_uint64, kind, kind)
        original, changed = native(text), native(print_module(module))
        run = signature(original.get_function_address("f"))
        ours = signature(changed.get_function_address("f"))
        for a, n in itertools.product((0, 1, 7, -9, 100), (0, 1, 2, 5, 60, 101, -17)):
            if simulate(bits, predicate, step, flags, rotated, a, n, "add") is None:
                continue
            assert run(a, n) == ours(a, n), (text, a, n)


@pytest.mark.parametrize("other", (1, 2))
def test_a_counter_that_is_one_sum_on_all_ways(other: int) -> None:
    text = f"""
define void @f(i64 %n, i1 %c) {{
entry:
  br label %h
h:
  %i = phi i64 [ 0, %entry ], [ %next, %j ]
  br i1 %c, label %a, label %b
a:
  %x = add nuw nsw i64 %i, 1
  br label %j
b:
  %y = add nsw i64 %i, {other}
  br label %j
j:
  %next = phi i64 [ %x, %a ], [ %y, %b ]
  %more = icmp slt i64 %next, %n
  br i1 %more, label %h, label %out
out:
  ret void
}}
"""
    _, loop = loop_of(text)
    assert (backedge_count(loop) is not None) == (other == 1)


@pytest.mark.parametrize(
    ("first", "later", "stays", "back"),
    [
        ("true", "false", True, 1),
        ("false", "true", False, 1),
        ("false", "true", True, 0),
        ("true", "true", True, None),
        ("false", "false", False, None),
    ],
)
def test_a_flag_that_is_another_after_the_first_iteration(
    first: str, later: str, stays: bool, back: int | None
) -> None:
    """As optimisers have loops of two rounds ask."""
    ways = ("%loop", "%done") if stays else ("%done", "%loop")
    text = f"""
define void @f(ptr %p) {{
entry:
  br label %loop
loop:
  %flag = phi i1 [ {first}, %entry ], [ {later}, %loop ]
  store i1 %flag, ptr %p
  br i1 %flag, label {ways[0]}, label {ways[1]}
done:
  ret void
}}
"""
    count = backedge_count(loop_of(text)[1])
    assert (constant_value(count) if count is not None else None) == back


# Ten steps, in each of which a loop runs %length times where %n is positive.
STEPS = """outer:
  %t = phi i64 [ 0, %AHEAD ], [ %t.next, %latch ]
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %ahead, label %latch
ahead:
  br label %loop
loop:
  %i = phi i64 [ 0, %ahead ], [ %i.next, %loop ]
  %i.next = add nuw nsw i64 %i, 1
  %i.end = icmp eq i64 %i.next, %length
  br i1 %i.end, label %left, label %loop
left:
  br label %latch
latch:
  %t.next = add nuw nsw i64 %t, 1
  %t.end = icmp eq i64 %t.next, 10
  br i1 %t.end, label %done, label %outer
done:
  ret void
}
"""


@pytest.mark.parametrize(
    ("second", "known"),
    [("zext nneg i32 %n to i64", True), ("sext i32 %n to i64", False), ("zext i32 %m to i64", False)],
)
def test_a_phi_of_one_and_the_same_length(second: str, known: bool) -> None:
    """An optimiser that has a cast on each way to a place makes a phi of them."""
    text = f"""
define void @f(ptr %p, i32 %n, i32 %m, i1 %c) {{
entry:
  br i1 %c, label %a, label %b
a:
  %x = zext i32 %n to i64
  br label %both
b:
  %y = {second}
  br label %both
both:
  %length = phi i64 [ %x, %a ], [ %y, %b ]
  br label %outer
{STEPS.replace("AHEAD", "both")}"""
    outer, inner = loop_of(text)[1].forest.loops  # type: ignore[union-attr]
    assert (hoist_count(inner, outer) is not None) == known


def test_a_maximum_is_as_large_as_the_number_in_it() -> None:
    """The count is asked for where the loop's length is positive, and none where it might not be."""
    text = """
declare i32 @llvm.smax.i32(i32, i32)
define void @f(ptr %p, i32 %n) {
entry:
  %three = mul i32 %n, 3
  %most = call i32 @llvm.smax.i32(i32 %three, i32 LEAST)
  %length = zext i32 %most to i64
  br label %outer
STEPS"""
    for least, known in (("1", True), ("-5", False)):
        asked = text.replace("LEAST", least).replace("STEPS", STEPS.replace("AHEAD", "entry"))
        outer, inner = loop_of(asked)[1].forest.loops  # type: ignore[union-attr]
        found = hoist_count(inner, outer)
        assert (found is not None) == known
        if found is not None:  # and it is none of what 3 n is where n is not positive
            assert "%n" in str(found)


def two_values(bits: int, first: str, second: str, later: str = "false") -> str:
    return f"""
define i64 @f(i{bits} %n) {{
entry:
  br label %h
h:
  %flag = phi i1 [ true, %entry ], [ {later}, %h ]
  %i = phi i{bits} [ {first}, %entry ], [ {second}, %h ]
  %up = add i{bits} %i, 3
  br i1 %flag, label %h, label %x
x:
  ret i64 0
}}
"""


@pytest.mark.parametrize("bits", [4, 32, 64])
@pytest.mark.parametrize("first", [0, 1, 5, -1, -8, 7])
@pytest.mark.parametrize("second", [0, 1, 5, -1, -8, 7])
def test_a_counter_of_two_rounds(bits: int, first: int, second: int) -> None:
    _, loop = loop_of(two_values(bits, str(first), str(second)))
    found = affine_of(loop, loop.header.phis[1])
    assert found is not None and not found.down
    size = 1 << bits
    start, step = constant_value(found.start), constant_value(found.step)
    assert start == first % size and step is not None and (start + step) % size == second % size
    ends = -(size // 2), size // 2 - 1
    assert not found.nsw or ends[0] <= first + signed(step, bits) <= ends[1]
    assert not found.nuw or first % size + step < size
    moved = affine_of(loop, loop.header.instructions[2])
    assert moved is not None and constant_value(moved.start) == (first + 3) % size
    assert affine_of(loop, loop.header.phis[0]) is None


def test_two_values_without_two_rounds() -> None:
    _, loop = loop_of(two_values(64, "0", "1", later="true"))
    assert affine_of(loop, loop.header.phis[1]) is None
    _, loop = loop_of(two_values(64, "0", "%n"))
    found = affine_of(loop, loop.header.phis[1])
    assert found is not None and isinstance(found.step, SymValue) and found.nsw and found.nuw
    _, loop = loop_of(two_values(64, "3", "%n"))
    found = affine_of(loop, loop.header.phis[1])
    assert found is not None and not found.nsw and not found.nuw
