"""Functions in IR for lists of blocks that are freed when the reverse sweep is over (deferred.py).

A list is a chain of *pages*, the newest first: the page behind it, how many entries it has, for how many there is room,
and the entries, of 32 bytes each: a block, the number of what frees it (0 for ``free``), and two further arguments of
that. A page has twice the room of the one before it. Where derivatives are differentiated each page has one entry at a
place that is known, for memory of mixed kinds could not be told apart otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

HEAD = 32
ENTRY = 32
FEWEST, MOST = 6, 1022
"""Entries of the first page, and of the longest."""

_DEFER = """
define internal ptr @enzyme.rt.defer(ptr %list, ptr %block, i64 %how, i64 %first, i64 %second) nounwind {
entry:
  %none = icmp eq ptr %list, null
  br i1 %none, label %more, label %ask
ask:
  %used.at = getelementptr inbounds i8, ptr %list, i64 8
  %used = load i64, ptr %used.at, align 8
  %room.at = getelementptr inbounds i8, ptr %list, i64 16
  %room = load i64, ptr %room.at, align 8
  %full = icmp eq i64 %used, %room
  br i1 %full, label %more, label %put
more:
  %had = phi i64 [ 0, %entry ], [ %room, %ask ]
  %twice = shl i64 %had, 1
  %larger = call i64 @llvm.umax.i64(i64 %twice, i64 {FEWEST})
  %entries = call i64 @llvm.umin.i64(i64 %larger, i64 {MOST})
  %bytes = mul i64 %entries, {ENTRY}
  %all = add i64 %bytes, {HEAD}
  %new = call ptr @malloc(i64 %all)
  store ptr %list, ptr %new, align 8
  %new.room.at = getelementptr inbounds i8, ptr %new, i64 16
  store i64 %entries, ptr %new.room.at, align 8
  br label %put
put:
  %page = phi ptr [ %new, %more ], [ %list, %ask ]
  %place = phi i64 [ 0, %more ], [ %used, %ask ]
  %offset = mul i64 %place, {ENTRY}
  %entries.at = getelementptr inbounds i8, ptr %page, i64 {HEAD}
  %at = getelementptr inbounds i8, ptr %entries.at, i64 %offset
  store ptr %block, ptr %at, align 8
  %how.at = getelementptr inbounds i8, ptr %at, i64 8
  store i64 %how, ptr %how.at, align 8
  %first.at = getelementptr inbounds i8, ptr %at, i64 16
  store i64 %first, ptr %first.at, align 8
  %second.at = getelementptr inbounds i8, ptr %at, i64 24
  store i64 %second, ptr %second.at, align 8
  %now = add i64 %place, 1
  %now.at = getelementptr inbounds i8, ptr %page, i64 8
  store i64 %now, ptr %now.at, align 8
  ret ptr %page
}
declare ptr @malloc(i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
"""

_DEFER_ONE = """
define internal ptr @enzyme.rt.defer.one(ptr %list, ptr %block, i64 %how, i64 %first, i64 %second) nounwind {
entry:
  %page = call ptr @malloc(i64 64)
  store ptr %list, ptr %page, align 8
  %at = getelementptr inbounds i8, ptr %page, i64 {HEAD}
  store ptr %block, ptr %at, align 8
  %how.at = getelementptr inbounds i8, ptr %at, i64 8
  %kind = add i64 %how, 0
  store i64 %kind, ptr %how.at, align 8
  %first.at = getelementptr inbounds i8, ptr %at, i64 16
  %one = add i64 %first, 0
  store i64 %one, ptr %first.at, align 8
  %second.at = getelementptr inbounds i8, ptr %at, i64 24
  %two = add i64 %second, 0
  store i64 %two, ptr %second.at, align 8
  ret ptr %page
}
declare ptr @malloc(i64)
"""

_RELEASE = """
define internal void @enzyme.rt.{NAME}(ptr %list) nounwind {
entry:
  br label %test
test:
  %page = phi ptr [ %list, %entry ], [ %next, %empty ]
  %end = icmp eq ptr %page, null
  br i1 %end, label %done, label %open
open:
  %next = load ptr, ptr %page, align 8
{OPENED}
  %block = load ptr, ptr %at, align 8
  %how.at = getelementptr inbounds i8, ptr %at, i64 8
  %how = load i64, ptr %how.at, align 8
  %first.at = getelementptr inbounds i8, ptr %at, i64 16
  %first = load i64, ptr %first.at, align 8
  %second.at = getelementptr inbounds i8, ptr %at, i64 24
  %second = load i64, ptr %second.at, align 8
  switch i64 %how, label %plain [
{CASES}
  ]
plain:
  call void @free(ptr %block) "enzyme_small_block"
  br label %freed
{BODIES}
freed:
  br label %{FOLLOWING}
empty:
  call void @free(ptr %page)
  br label %test
done:
  ret void
}
declare void @free(ptr)
{DECLARED}
"""

_ONE = f"  %at = getelementptr inbounds i8, ptr %page, i64 {HEAD}"

_EACH = f"""
  %used.at = getelementptr inbounds i8, ptr %page, i64 8
  %used = load i64, ptr %used.at, align 8
  br label %look
look:
  %left = phi i64 [ %used, %open ], [ %place, %freed ]
  %none = icmp eq i64 %left, 0
  br i1 %none, label %empty, label %one
one:
  %place = sub i64 %left, 1
  %offset = mul i64 %place, {ENTRY}
  %entries.at = getelementptr inbounds i8, ptr %page, i64 {HEAD}
  %at = getelementptr inbounds i8, ptr %entries.at, i64 %offset
"""


def _filled(text: str, **words: object) -> str:
    for word, value in words.items():
        text = text.replace(f"{{{word}}}", str(value))
    return text


DEFER = _filled(_DEFER, HEAD=HEAD, ENTRY=ENTRY, FEWEST=FEWEST, MOST=MOST)
DEFER_ONE = _filled(_DEFER_ONE, HEAD=HEAD)


def release_text(name: str, cases: Iterable[str], bodies: Iterable[str], declared: Iterable[str], pages: bool) -> str:
    """The function ``enzyme.rt.<name>`` that frees a list: ``cases`` of a switch on the number of what frees, and
    ``bodies`` that go on to ``%freed``, of ``%block``, ``%first`` and ``%second``. ``pages``: whether pages have as
    many entries as they say, and not one."""
    return _filled(
        _RELEASE,
        NAME=name,
        OPENED=_EACH if pages else _ONE,
        CASES="\n".join(cases),
        BODIES="\n".join(bodies),
        DECLARED="\n".join(declared),
        FOLLOWING="look" if pages else "empty",
    )
