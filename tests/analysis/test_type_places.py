"""Type analysis: where in an object an address leads, on small IR functions."""

from __future__ import annotations

import pytest

from enzyme.analysis import types_analysis
from enzyme.analysis.index_bounds import greatest, least
from enzyme.analysis.multiples import Multiples
from enzyme.analysis.type_tree import Kind
from enzyme.ir.parser import parse_module
from tests.analysis.type_cases import analyse, kinds, value


@pytest.mark.parametrize("table", ["[2 x ptr]", "{ [2 x ptr], i64 }"])
def test_places_in_a_local_table_of_pointers_stay_apart(table: str) -> None:
    result = analyse(
        f"""
%pack = type {{ i32, i32, [8 x double] }}
%mixed = type {{ double, i32, float }}
define double @f(i64 %i, i64 %j, ptr %k, ptr %l) {{
  %pack = alloca %pack
  %mixed = alloca [2 x %mixed]
  %table = alloca {table}
  call void @llvm.memcpy.p0.p0.i64(ptr %pack, ptr %k, i64 72, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %mixed, ptr %l, i64 32, i1 false)
  %member = getelementptr %pack, ptr %pack, i32 0, i32 2, i64 %j
  store ptr %member, ptr %table
  %second = getelementptr i8, ptr %table, i64 8
  %row = getelementptr %mixed, ptr %mixed, i64 1
  store ptr %row, ptr %second
  %slot = getelementptr ptr, ptr %table, i64 %i
  %place = load ptr, ptr %slot
  %v = load double, ptr %place
  %tag = getelementptr %mixed, ptr %mixed, i64 %j, i32 1
  store i32 7, ptr %tag
  ret double %v
}}"""
    )
    kinds = [(s.offset, s.kind) for s in result.memory_kinds(value(result, "pack"), 72)]
    assert kinds[0][1] == Kind.INT and kinds[1:] and all(kind == Kind.DOUBLE for at, kind in kinds if at >= 8)
    kinds = [(s.offset, s.kind) for s in result.memory_kinds(value(result, "mixed"), 16)]
    assert kinds == [(0, Kind.DOUBLE), (8, Kind.INT), (12, Kind.FLOAT)]


def test_indices_stay_in_the_array_they_start_in() -> None:
    result = analyse(
        """
%record = type { [4 x double], [3 x i32], i32, double }
define double @f(i64 %i) {
  %r = alloca %record
  %m = getelementptr double, ptr %r, i64 %i
  store double 1.0, ptr %m
  %bytes = mul nsw i64 %i, 16
  %b = getelementptr i8, ptr %r, i64 %bytes
  store double 1.0, ptr %b
  %order = getelementptr i8, ptr %r, i64 32
  %o = getelementptr i32, ptr %order, i64 %i
  store i32 7, ptr %o
  %step = shl i64 1, 4
  %two = getelementptr i8, ptr %r, i64 %step
  store double 1.0, ptr %two
  %last = getelementptr i8, ptr %r, i64 48
  %x = load double, ptr %last
  ret double %x
}"""
    )
    assert kinds(result, "r", 56) == [
        *("[0, 8) double", "[8, 16) double", "[16, 24) double", "[24, 32) double"),
        *("[32, 48) int", "[48, 56) double"),
    ]


def divisors(text: str) -> dict[str | None, int]:
    module = parse_module(text)
    multiples = Multiples(module.datalayout)
    return {each.name: multiples.divisor(each, each.block) for each in module.get_function("f").instructions()}


def test_distances_of_pointers_made_of_one_another() -> None:
    found = divisors(
        """
define void @f(ptr %first, ptr %last, i64 %i, i64 %k, i1 %c) {
entry:
  %a = getelementptr inbounds { i32, double, i64 }, ptr %first, i64 %i
  %b = getelementptr inbounds i8, ptr %first, i64 -24
  %wraps = getelementptr { i32, double, i64 }, ptr %first, i64 %i
  %member = getelementptr inbounds { i32, double, i64 }, ptr %a, i64 0, i32 1
  %other = getelementptr inbounds { i32, double, i64 }, ptr %last, i64 %i
  %ia = ptrtoint ptr %a to i64
  %ib = ptrtoint ptr %b to i64
  %iw = ptrtoint ptr %wraps to i64
  %im = ptrtoint ptr %member to i64
  %io = ptrtoint ptr %other to i64
  %a.b = sub i64 %ia, %ib
  %a.w = sub i64 %ia, %iw
  %a.m = sub i64 %ia, %im
  %a.o = sub i64 %ia, %io
  br label %loop
loop:
  %p = phi ptr [ %first, %entry ], [ %p.next, %next ]
  %q = phi ptr [ %first, %entry ], [ %p, %next ]
  %step = select i1 %c, i64 24, i64 8
  br i1 %c, label %next, label %inner
inner:
  %r = phi ptr [ %p, %loop ], [ %r.next, %inner ]
  %r.next = getelementptr inbounds i8, ptr %r, i64 48
  %again = icmp ult ptr %r.next, %last
  br i1 %again, label %inner, label %next
next:
  %s = phi ptr [ %p, %loop ], [ %r.next, %inner ]
  %p.next = getelementptr inbounds i8, ptr %s, i64 %step
  %ip = ptrtoint ptr %p to i64
  %iq = ptrtoint ptr %q to i64
  %ir = ptrtoint ptr %s to i64
  %in = ptrtoint ptr %p.next to i64
  %s.p = sub i64 %ir, %ip
  %p.q = sub i64 %ip, %iq
  %n.p = sub i64 %in, %ip
  %more = icmp ult ptr %p.next, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}"""
    )
    # %q is %p of the round before: how far that is away is what steps from round to round make of it
    expected = {"a.b": 24, "a.w": 8, "a.m": 8, "a.o": 1, "s.p": 48, "p.q": 8, "n.p": 8}
    assert {name: found[name] for name in expected} == expected


def test_exact_divisions_count_where_the_program_hangs_on_them() -> None:
    found = divisors(
        """
define i64 @f(i64 %x, i64 %y, i64 %z, i64 %v) {
entry:
  %here = add i64 %x, 1
  %n = sdiv exact i64 %here, 24
  %bound = icmp sgt i64 %n, 5
  %elsewhere = add i64 %y, 1
  %unused = add i64 %z, 1
  %m = sdiv exact i64 %unused, 24
  %rest = srem i64 %unused, 24
  %none = icmp eq i64 %rest, 0
  %count = select i1 %none, i64 %m, i64 0
  br i1 %bound, label %one, label %two
one:
  %k = sdiv exact i64 %elsewhere, 24
  %zero = icmp eq i64 %k, 0
  br i1 %zero, label %two, label %end
two:
  br label %end
end:
  %at = add i64 %elsewhere, %count
  ret i64 %at
}"""
    )
    assert (found["here"], found["elsewhere"], found["unused"]) == (24, 1, 1)


def test_divisors_of_indices() -> None:
    found = divisors(
        """
define void @f(i64 %i, i32 %k, i1 %c, i64 %end) {
entry:
  %exact = mul nsw i64 %i, 24
  %wraps = mul i64 %i, 24
  %shifted = shl i64 %i, 3
  %sum = add nsw i64 %exact, %shifted
  %narrow = mul nsw i32 %k, 12
  %wide = sext i32 %narrow to i64
  %zero = zext i32 %narrow to i64
  %masked = and i64 %i, -16
  %picked = select i1 %c, i64 %exact, i64 36
  br label %loop
loop:
  %p = phi i64 [ 0, %entry ], [ %p.next, %loop ]
  %q = phi i64 [ 24, %entry ], [ %q.next, %loop ]
  %p.next = add nsw i64 %p, 40
  %q.next = add i64 %q, 24
  %more = icmp slt i64 %p.next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}"""
    )
    expected = {"exact": 24, "wraps": 8, "shifted": 8, "sum": 8, "wide": 12, "zero": 4, "masked": 16, "picked": 12}
    expected |= {"p": 40, "q": 8}
    assert {name: found[name] for name in expected} == expected


def test_bytes_counted_from_the_front_of_an_object() -> None:
    """A loop over a member that is an array, counted from where it begins, leaves the other members alone; one that
    goes on behind it does not."""
    text = """
%T = type { ptr, i64, [4 x double], ptr }
define double @f(ptr %g) {
entry:
  %r = alloca %T
  store ptr %g, ptr %r
  br label %loop
loop:
  %i = phi i64 [ 16, %entry ], [ %next, %skip ]
  %e = getelementptr i8, ptr %r, i64 %i
  %x = load double, ptr %e
  %next = add nuw nsw i64 %i, 8
  %done = icmp eq i64 %next, END
  br i1 %done, label %out, label %skip
skip:
  br label %loop
out:
  %size = getelementptr i8, ptr %r, i64 8
  %n = load i64, ptr %size
  %y = sitofp i64 %n to double
  ret double %y
}"""
    members = [
        "[0, 8) pointer",
        "[8, 16) int",
        *(f"[{at}, {at + 8}) double" for at in (16, 24, 32, 40)),
        "[48, 56) pointer",
    ]
    mixed = [f"[{at}, {at + 8}) conflict(pointer|double)" for at in range(0, 56, 8)]
    for end, expected in ("48", members), ("56", mixed):
        result = analyse(text.replace("END", end))
        assert [str(each) for each in result.memory_at(value(result, "r"), 0, 56)] == expected


def test_bounds_of_counters() -> None:
    module = parse_module(
        """
define void @f(i64 %n) {
entry:
  br label %head
head:
  %up = phi i64 [ 3, %entry ], [ %up.next, %latch ]
  %down = phi i64 [ 9, %entry ], [ %down.next, %latch ]
  %free = phi i64 [ 5, %entry ], [ %free.next, %latch ]
  %wraps = phi i64 [ 5, %entry ], [ %wraps.next, %latch ]
  %sometimes = phi i64 [ 1, %entry ], [ %sometimes.next, %latch ]
  %down.next = add nsw i64 %down, -2
  %less = icmp ult i64 %up, 20
  br i1 %less, label %body, label %done
body:
  %odd = icmp slt i64 %sometimes, 7
  br i1 %odd, label %latch, label %again
again:
  %out = icmp eq i64 %down.next, 1
  br i1 %out, label %done, label %latch
latch:
  %up.next = add i64 %up, 1
  %free.next = add nsw i64 %free, 4
  %wraps.next = add i64 %wraps, 4
  %sometimes.next = add i64 %sometimes, 1
  br label %head
done:
  ret void
}"""
    )
    values = {inst.name: inst for inst in module.get_function("f").instructions() if inst.name}
    low = {name: least(values[name]) for name in ("up", "down", "free", "wraps", "sometimes")}
    assert low == {"up": 3, "down": 0, "free": 5, "wraps": 0, "sometimes": 0}
    high = {name: greatest(values[name]) for name in ("up", "down", "free", "sometimes")}
    assert high == {"up": 20, "down": 9, "free": None, "sometimes": None}


def test_array_behind_members() -> None:
    result = analyse(
        """
define double @f(ptr %p, ptr %q, i64 %i) {
  %n = load i32, ptr %p
  %s = getelementptr i8, ptr %p, i64 8
  %x = load double, ptr %s
  %a = getelementptr { i32, double, [0 x float] }, ptr %p, i64 0, i32 2, i64 %i
  %y = load float, ptr %a
  %b = getelementptr double, ptr %q, i64 %i
  %z = load double, ptr %b
  ret double %x
}"""
    )
    assert result.array_behind(value(result, "p")) == (16, 4)
    assert result.array_behind(value(result, "s")) == (8, 4)
    assert result.array_behind(value(result, "a")) is None
    assert result.array_behind(value(result, "q")) is None


@pytest.mark.parametrize(
    ("member", "behind", "stays"),
    [
        ("[1 x i64]", ", ptr, double", True),
        ("[2 x i64]", ", ptr, double", True),
        ("[1 x [1 x i64]]", ", ptr, double", True),
        ("[2 x [1 x i64]]", ", ptr, double", True),
        ("%one", ", ptr, double", True),
        ("[1 x i64]", "", False),  # as long as the program likes
        ("[1 x i64]", ", [3 x i8]", False),  # padding
        ("%one", "", False),
    ],
)
@pytest.mark.parametrize("through", ["%whole", "i8"])
def test_an_index_stays_in_an_array_of_one_element_that_others_follow(
    member: str, behind: str, stays: bool, through: str
) -> None:
    size = 16 if "2 x" in member else 8
    first = "i32 0, i32 1" if through == "%whole" else "i64 8"
    result = analyse(
        f"""
%one = type {{ [1 x i64] }}
%whole = type {{ ptr, {member}{behind} }}
define void @f(ptr %q, i64 %i, double %x) {{
  %p = alloca %whole
  %m = getelementptr {through}, ptr %p, {first}
  %e = getelementptr i64, ptr %m, i64 %i
  %n = load i64, ptr %e
  %next = getelementptr i8, ptr %p, i64 {8 + size}
  store ptr %q, ptr %next
  ret void
}}"""
    )
    assert result.value_is_pointer(value(result, "n")) != stays


@pytest.mark.parametrize(("apart", "mixed"), [(40000, False), (0, True)])
@pytest.mark.parametrize("behind", [False, True])
def test_members_of_an_object_that_one_function_works_on(
    monkeypatch: pytest.MonkeyPatch, apart: int, mixed: bool, behind: bool
) -> None:
    """Beyond the budget, calls share what is known of a function, but not where that would make members of one object
    the same; ``behind``: what it is given leads to them."""
    monkeypatch.setattr(types_analysis, "CONTEXT_BUDGET", 0)
    monkeypatch.setattr(types_analysis, "SMALL_BUDGET", 0)
    monkeypatch.setattr(types_analysis, "APART_BUDGET", apart)
    places = [0, 24, 40]
    calls = "".join(
        f"""
  %m{at} = getelementptr i8, ptr %p, i64 {at}
  {f"%t{at} = alloca ptr" if behind else ""}
  {f"store ptr %m{at}, ptr %t{at}" if behind else ""}
  call void @work(ptr {f"%t{at}" if behind else f"%m{at}"})"""
        for at in places
    )
    result = analyse(
        f"""
define void @f(ptr %p) {{{calls}
  %q = getelementptr i8, ptr %p, i64 8
  %lengths = load ptr, ptr %q
  %n = load i64, ptr %lengths
  ret void
}}
define void @work(ptr %given) {{
  {"%o = load ptr, ptr %given" if behind else "%o = getelementptr i8, ptr %given, i64 0"}
  %numbers = load ptr, ptr %o
  %x = load double, ptr %numbers
  %q = getelementptr i8, ptr %o, i64 8
  %lengths = load ptr, ptr %q
  store i64 7, ptr %lengths
  ret void
}}""",
    )
    assert result.value_may_carry_float(value(result, "n")) == mixed
