"""Functions in IR that give room to arrays of which nobody knows how long they will be (tape.py): one by one, several
in one step, or side by side in one block."""

from __future__ import annotations

from collections.abc import Collection, Iterable

LEAST_ROOM = 64
"""Entries that an array has room for at first, which is doubled as it grows."""
LEAST_IN_CALLS = 8
"""The same of functions that are called, whose arrays stay until the calls are reversed: there may be many of these."""

CALLED = "called"
"""A word of the names of such functions: arrays are those of a function that is called."""

# What functions for arrays that grow begin with: is there room, and if not, for how many entries is there to be.
_ROOM = """(ptr %room, i64 %need{REMEMBERS}{PARAMETERS}) nounwind alwaysinline {{
entry:
  %now = load i64, ptr %room
  %enough = icmp ule i64 %need, %now
  br i1 %enough, label %done, label %more
more:
{FIRST}  %have = load i64, ptr %room
{LAST}  %twice = shl i64 %have, 1
  %larger = call i64 @llvm.umax.i64(i64 %twice, i64 %need)
  %entries = call i64 @llvm.umax.i64(i64 %larger, i64 {LEAST})
  store i64 %entries, ptr %room
"""

_LAST = "load atomic i64, ptr %used monotonic, align 8"
_REMEMBERED = f"""  %last = {_LAST}
  %least = call i64 @llvm.umax.i64(i64 %last, i64 {{LEAST}})
"""

# How many entries a call used, for the next call of the same function: arrays begin with room for so many.
USED = f"""
define internal void @enzyme.rt.used(ptr %used, i64 %entries) nounwind alwaysinline {{
entry:
  %many = icmp ugt i64 %entries, {LEAST_ROOM}
  br i1 %many, label %ask, label %done
ask:
  %last = {_LAST}
  %other = icmp ne i64 %last, %entries
  br i1 %other, label %write, label %done
write:
  store atomic i64 %entries, ptr %used monotonic, align 8
  br label %done
done:
  ret void
}}
"""

# The same of functions that are called: a call that used few follows one that used many. What differs little is not
# written, for threads that call it would wait for one another.
USED_IN_CALLS = f"""
define internal void @enzyme.rt.used.called(ptr %used, i64 %entries) nounwind alwaysinline {{
entry:
  %last = {_LAST}
  %more = icmp ugt i64 %entries, %last
  %four = shl i64 %entries, 2
  %fewer = icmp ult i64 %four, %last
  %other = or i1 %more, %fewer
  br i1 %other, label %write, label %done
write:
  store atomic i64 %entries, ptr %used monotonic, align 8
  br label %done
done:
  ret void
}}
"""

# Room in several arrays for as many entries as they need, in one step: what is doubled together is asked for once.
_GROW = (
    "\ndefine internal void @enzyme.rt.grow.{N}"
    + _ROOM
    + """{EACH}
  br label %done
done:
  ret void
}}
declare ptr @realloc(ptr, i64)
declare i64 @llvm.umax.i64(i64, i64)
{DECLARED}
"""
)

_GROW_EACH = """
  %size.{K} = mul i64 %entries, %stride.{K}
  %array.{K} = load ptr, ptr %slot.{K}
  {GIVE}
  %grown.{K} = call ptr @realloc(ptr %array.{K}, i64 %size.{K}) "enzyme_block"
  {TAKE}
  {PAGES}
  store ptr %grown.{K}, ptr %slot.{K}
"""

# The same where each array has a room on the stack at first, as many entries as there is room for in the beginning.
_OUTGROW = (
    "\ndefine internal void @enzyme.rt.outgrow.{N}"
    + _ROOM
    + """  %array.0 = load ptr, ptr %slot.0
  %first = icmp eq ptr %array.0, %place.0
  br i1 %first, label %leave, label %again
leave:
{LEAVE}
  br label %done
again:
{AGAIN}
  br label %done
done:
  ret void
}}
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
{DECLARED}
"""
)

# Room for more in one of several arrays that share a block: those behind it move. The block's record has its address
# and its size, and for each array where it begins in the block and how many bytes it takes.
_ROOM_IN_BLOCK = """
define internal void @enzyme.rt.{NAME}(ptr %record, ptr %block, i64 %count, i64 %which, i64 %bytes) {ATTRIBUTES} {{
entry:
  %up = add i64 %bytes, 63
  %rounded = and i64 %up, -64
  %twice = shl i64 %which, 1
  %behind.me = add i64 %twice, 3
  %size.at = getelementptr i64, ptr %record, i64 %behind.me
  %had = load i64, ptr %size.at
  %more = sub i64 %rounded, %had
  %total.at = getelementptr i64, ptr %record, i64 1
  %total = load i64, ptr %total.at
  %longer = add i64 %total, %more
  {GIVE}
  %grown = call ptr @realloc(ptr %block, i64 %longer) "enzyme_block"
  {TAKE}
  {PAGES}
  store ptr %grown, ptr %record
  store i64 %longer, ptr %total.at
  store i64 %rounded, ptr %size.at
  br label %next
next:
  %above = phi i64 [ %count, %entry ], [ %each, %move ]
  %each = sub i64 %above, 1
  %is.behind = icmp sgt i64 %each, %which
  br i1 %is.behind, label %move, label %done
move:
  %each.twice = shl i64 %each, 1
  %begin.number = add i64 %each.twice, 2
  %length.number = add i64 %each.twice, 3
  %begin.at = getelementptr i64, ptr %record, i64 %begin.number
  %length.at = getelementptr i64, ptr %record, i64 %length.number
  %begin = load i64, ptr %begin.at
  %length = load i64, ptr %length.at
  %later = add i64 %begin, %more
  %from = getelementptr i8, ptr %grown, i64 %begin
  %to = getelementptr i8, ptr %grown, i64 %later
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %length, i1 false)
  store i64 %later, ptr %begin.at
  br label %next
done:
  ret void
}}
declare ptr @realloc(ptr, i64)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
{DECLARED}
"""

_TOGETHER = (
    "\ndefine internal void @enzyme.rt.{NAME}"
    + _ROOM
    + """{EACH}
{PLACED}
  br label %done
done:
  ret void
}}
{DECLARED}declare void @enzyme.rt.{ROOM}(ptr, ptr, i64, i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
)

# Before the first of them grows, there is one block for what all of them used in the last call: had each got its own
# room when it asks, those behind it would have moved.
_FIRST = """  %nothing.yet = load ptr, ptr %record
  %is.first = icmp eq ptr %nothing.yet, null
  br i1 %is.first, label %first, label %later
first:
  call void @enzyme.rt.{RESERVE}({GIVEN})
  %room.now = load i64, ptr %room
  %enough.now = icmp ule i64 %need, %room.now
  br i1 %enough.now, label %done, label %later
later:
"""

_RESERVE = """
define internal void @enzyme.rt.reserve.{FORM}(ptr %record{PARAMETERS}) cold noinline nounwind memory({MEMORY}) {{
entry:
{SIZES}
  %block = call ptr @malloc(i64 {TOTAL}) "enzyme_block"
  {PAGES}
  store ptr %block, ptr %record
  %total.at = getelementptr i64, ptr %record, i64 1
  store i64 {TOTAL}, ptr %total.at
{PLACES}
  ret void
}}
declare ptr @malloc(i64)
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
{DECLARED}"""

_RESERVE_LOOP = """
  %had.{M} = load i64, ptr %room.{M}
  %last.{M} = load atomic i64, ptr %used.{M} monotonic, align 8
  %entries.{M} = call i64 @llvm.umax.i64(i64 %last.{M}, i64 {LEAST})
  store i64 %entries.{M}, ptr %room.{M}
"""

_RESERVE_SIZE = """
  %bytes.{K} = mul i64 %entries.{M}, %stride.{K}
  %up.{K} = add i64 %bytes.{K}, 63
  %size.{K} = and i64 %up.{K}, -64
  %end.{K} = add i64 {BEGIN}, %size.{K}
"""

_RESERVE_PLACE = """
  %begin.at.{K} = getelementptr i64, ptr %record, i64 {BEGIN_AT}
  %length.at.{K} = getelementptr i64, ptr %record, i64 {LENGTH_AT}
  store i64 {BEGIN}, ptr %begin.at.{K}
  store i64 %size.{K}, ptr %length.at.{K}
  %array.{K} = getelementptr i8, ptr %block, i64 {BEGIN}
  %copied.{K} = mul i64 %had.{M}, %stride.{K}
  call void @llvm.memcpy.p0.p0.i64(ptr %array.{K}, ptr %place.{K}, i64 %copied.{K}, i1 false)
  store ptr %array.{K}, ptr %slot.{K}
"""

# One of the arrays that a loop lets grow: what it has on the stack goes with it.
_TOGETHER_EACH = """
  %length.at.{K} = getelementptr i64, ptr %record, i64 {LENGTH}
  %length.{K} = load i64, ptr %length.at.{K}
  %new.{K} = icmp eq i64 %length.{K}, 0
  %size.{K} = mul i64 %entries, %stride.{K}
  %had.{K} = mul i64 %have, %stride.{K}
  %copied.{K} = select i1 %new.{K}, i64 %had.{K}, i64 0
  %block.{K} = load ptr, ptr %record
  call void @enzyme.rt.{ROOM}(ptr %record, ptr %block.{K}, i64 {COUNT}, i64 {K}, i64 %size.{K})
  %grown.{K} = load ptr, ptr %record
  %begin.at.{K} = getelementptr i64, ptr %record, i64 {BEGIN}
  %begin.{K} = load i64, ptr %begin.at.{K}
  %first.{K} = getelementptr i8, ptr %grown.{K}, i64 %begin.{K}
  call void @llvm.memcpy.p0.p0.i64(ptr %first.{K}, ptr %place.{K}, i64 %copied.{K}, i1 false)
"""

# Where an array is then, if it is in the block.
_TOGETHER_PLACED = """
  %now.length.at.{K} = getelementptr i64, ptr %record, i64 {LENGTH}
  %now.length.{K} = load i64, ptr %now.length.at.{K}
  %outside.{K} = icmp eq i64 %now.length.{K}, 0
  %now.begin.at.{K} = getelementptr i64, ptr %record, i64 {BEGIN}
  %now.begin.{K} = load i64, ptr %now.begin.at.{K}
  %now.{K} = getelementptr i8, ptr %whole, i64 %now.begin.{K}
  %was.{K} = load ptr, ptr %slot.{K}
  %is.{K} = select i1 %outside.{K}, ptr %was.{K}, ptr %now.{K}
  store ptr %is.{K}, ptr %slot.{K}
"""

_ASK_PAGES = "call void @enzyme.rt.pages.grown(ptr %grown.{K}, i64 %{SIZE}.{K})"
_PAGES_DECLARED = "declare void @enzyme.rt.pages.grown(ptr, i64)"

_OUTGROW_LEAVE = """
  %size.{K} = mul i64 %entries, %stride.{K}
  %had.{K} = mul i64 %have, %stride.{K}
  %block.{K} = call ptr @malloc(i64 %size.{K}) "enzyme_block"
  call void @llvm.memcpy.p0.p0.i64(ptr %block.{K}, ptr %place.{K}, i64 %had.{K}, i1 false)
  store ptr %block.{K}, ptr %slot.{K}
"""

_OUTGROW_AGAIN = """
  %longer.{K} = mul i64 %entries, %stride.{K}
  %old.{K} = load ptr, ptr %slot.{K}
  %grown.{K} = call ptr @realloc(ptr %old.{K}, i64 %longer.{K}) "enzyme_block"
  {PAGES}
  store ptr %grown.{K}, ptr %slot.{K}
"""


def _room_of(words: Collection[str]) -> dict[str, str]:
    """What :data:`_ROOM` is given: whether there is to be room for as many entries as the last call used."""
    remembers, least = "remembered" in words, _least(words)
    return {
        "FIRST": "",
        "REMEMBERS": ", ptr %used" if remembers else "",
        "LAST": _REMEMBERED.format(LEAST=least) if remembers else "",
        "LEAST": "%least" if remembers else str(least),
    }


def _least(words: Collection[str]) -> int:
    """How many entries arrays have room for at first."""
    return LEAST_IN_CALLS if CALLED in words else LEAST_ROOM


def _grow_text(form: str) -> str:
    """``form``: how many arrays, and what there is more: what the last call used is asked, large pages are asked for,
    what the allocator gives is counted ("3", "3.counted", "3.remembered.paged", ...)."""
    number, *words = form.split(".")
    counted, paged = "counted" in words, "paged" in words
    give, take = ("call void @enzyme.rt.tape.{}(ptr %{}.{{K}})",) * 2 if counted else ("", "")
    each = _GROW_EACH.replace("{GIVE}", give.format("give", "array")).replace("{TAKE}", take.format("take", "grown"))
    each = each.replace("{PAGES}", _ASK_PAGES.replace("{SIZE}", "size") if paged else "")
    declared = "declare void @enzyme.rt.tape.give(ptr)\ndeclare void @enzyme.rt.tape.take(ptr)\n" if counted else ""
    return _GROW.format(
        N=form,
        **_room_of(words),
        PARAMETERS="".join(f", ptr %slot.{k}, i64 %stride.{k}" for k in range(int(number))),
        EACH="".join(each.format(K=k) for k in range(int(number))),
        DECLARED=declared + (_PAGES_DECLARED if paged else ""),
    )


def _outgrow_text(form: str) -> str:
    """``form``: how many arrays, and what :func:`_grow_text` takes, but that nothing is counted ("3.paged")."""
    number, *words = form.split(".")
    paged = "paged" in words
    again = _OUTGROW_AGAIN.replace("{PAGES}", _ASK_PAGES.replace("{SIZE}", "longer") if paged else "")
    return _OUTGROW.format(
        N=form,
        **_room_of(words),
        PARAMETERS="".join(f", ptr %slot.{k}, i64 %stride.{k}, ptr %place.{k}" for k in range(int(number))),
        LEAVE="".join(_OUTGROW_LEAVE.format(K=k) for k in range(int(number))),
        AGAIN="".join(again.format(K=k) for k in range(int(number))),
        DECLARED=_PAGES_DECLARED if paged else "",
    )


def _room_text(form: str) -> str:
    """``form``: whether large pages are asked for, and whether what the allocator gives is counted ("paged.counted", or
    less)."""
    words = form.split(".")
    counted, paged = "counted" in words, "paged" in words
    declared = "declare void @enzyme.rt.tape.give(ptr)\ndeclare void @enzyme.rt.tape.take(ptr)\n" if counted else ""
    return _ROOM_IN_BLOCK.format(
        NAME=".".join(["room", *filter(None, words)]),
        ATTRIBUTES="cold noinline nounwind"
        + ("" if counted else " memory(argmem: readwrite, inaccessiblemem: readwrite)"),
        GIVE="call void @enzyme.rt.tape.give(ptr %block)" if counted else "",
        TAKE="call void @enzyme.rt.tape.take(ptr %grown)" if counted else "",
        PAGES="call void @enzyme.rt.pages.grown(ptr %grown, i64 %longer)" if paged else "",
        DECLARED=declared + (_PAGES_DECLARED if paged else ""),
    )


def _together_text(form: str) -> str:
    """``form``: how many arrays share the block, the first of those that are to grow, how many these are, and what
    :func:`_grow_text` takes ("5.2.1.paged"). Where it is to be asked what the last call used, how many arrays each loop
    of the nest has comes behind that ("5.2.1.remembered.1-1-2-1")."""
    number, first, own, *words = form.split(".")
    every, mine = range(int(number)), range(int(first), int(first) + int(own))
    begin, declared, asked = "", "", mine
    given = [f"ptr %slot.{k}" for k in every]
    if "remembered" in words:
        arrays = words.pop(words.index("remembered") + 1)
        asked = every
        given += _loops_parameters(arrays)
        reserve = ".".join(["reserve", arrays, *(word for word in words if word in ("paged", CALLED))])
        everything = ", ".join(["ptr %record", *_arrays_parameters(every), *given])
        begin = _FIRST.format(RESERVE=reserve, GIVEN=everything)
        types = ", ".join(each.split()[0] for each in everything.split(", "))
        declared = f"declare void @enzyme.rt.{reserve}({types})\n"
    room = ".".join(["room", *(word for word in words if word not in ("remembered", CALLED))])
    places = ({"K": k, "BEGIN": 2 + 2 * k, "LENGTH": 3 + 2 * k} for k in every)
    grown = ({"K": k, "BEGIN": 2 + 2 * k, "LENGTH": 3 + 2 * k, "COUNT": number, "ROOM": room} for k in mine)
    return _TOGETHER.format(
        NAME=f"together.{form}",
        **{**_room_of(words), "FIRST": begin},
        PARAMETERS=", " + ", ".join(["ptr %record", *_arrays_parameters(asked), *given]),
        EACH="".join(_TOGETHER_EACH.format(**each) for each in grown),
        PLACED="\n  %whole = load ptr, ptr %record" + "".join(_TOGETHER_PLACED.format(**each) for each in places),
        ROOM=room,
        DECLARED=declared,
    )


def _arrays_parameters(arrays: Iterable[int]) -> list[str]:
    return [each for k in arrays for each in (f"i64 %stride.{k}", f"ptr %place.{k}")]


def _loops_parameters(arrays: str) -> list[str]:
    """Of the loops of a nest that have so many arrays each ("1-1-2-1")."""
    return [each for m in range(arrays.count("-") + 1) for each in (f"ptr %room.{m}", f"ptr %used.{m}")]


def _reserve_text(form: str) -> str:
    """``form``: how many arrays each loop of a nest has, whether large pages are asked for, and whether the function is
    one that is called ("1-1-2-1.paged.called")."""
    arrays, *words = form.split(".")
    paged = "paged" in words
    loop_of = [m for m, each in enumerate(arrays.split("-")) for _ in range(int(each))]
    begins = ["0", *(f"%end.{k}" for k in range(len(loop_of)))]
    numbers = [
        {"K": k, "M": m, "BEGIN": begins[k], "BEGIN_AT": 2 + 2 * k, "LENGTH_AT": 3 + 2 * k}
        for k, m in enumerate(loop_of)
    ]
    loops = "".join(_RESERVE_LOOP.format(M=m, LEAST=_least(words)) for m in range(loop_of[-1] + 1))
    slots = [f"ptr %slot.{k}" for k in range(len(loop_of))]
    parameters = [*_arrays_parameters(range(len(loop_of))), *slots, *_loops_parameters(arrays)]
    return _RESERVE.format(
        FORM=form,
        PARAMETERS=", " + ", ".join(parameters),
        MEMORY="argmem: readwrite, inaccessiblemem: readwrite",
        SIZES=loops + "".join(_RESERVE_SIZE.format(**each) for each in numbers),
        TOTAL=begins[-1],
        PAGES=f"call void @enzyme.rt.pages.grown(ptr %block, i64 {begins[-1]})" if paged else "",
        PLACES="".join(_RESERVE_PLACE.format(**each) for each in numbers),
        DECLARED=_PAGES_DECLARED if paged else "",
    )


GROWING = {
    "grow": _grow_text,
    "outgrow": _outgrow_text,
    "room": _room_text,
    "together": _together_text,
    "reserve": _reserve_text,
}
"""By the first word of a function's name, what makes its text of the others."""
