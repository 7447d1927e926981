"""Large blocks of a tape are kept for the next call.

``malloc`` gives large blocks back to the system when they are freed, so that each call of a derivative gets fresh pages
for its tape, which the system clears and maps one fault at a time: that often takes longer than to write the tape and
to read it. So a tape's block of 128 KiB and more goes to a list instead, and the next tape that fits takes it.

The calls concerned have the attribute :data:`OF_TAPE`. They stay calls of the allocator, which LLVM knows, until all
else has been done to a program; then they become calls of the functions below. These take and give plain blocks of
``malloc``, so that a block may come from one and go to the other.

There is one list in a process that compiles at run time, and one in each program and shared library that was linked. A
thread that finds another one at the list does not wait, it asks the allocator. Before anything is asked of the system
the smaller blocks on the list are freed, so that tapes take no more memory than they did. Blocks that are large, or
too many, are the system's to take back while they are on the list, should memory be short.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache

from enzyme.llvm.blocks import Attributes, functions, may_move

OF_TAPE = '"enzyme_block"'
"""The attribute of calls that ask for blocks of a tape, or give them back."""
LEAST = 128 << 10
"""Bytes of the smallest block that ``malloc`` may give back to the system each time (mallopt(3), M_MMAP_THRESHOLD)."""
MOST = 64
"""Blocks on the list."""
_LOOSE = 4
"""A block is taken for a tape that needs a quarter of it or more."""
_PAGE = 2 << 20
_PAGES = 32 << 20
"""Bytes of the smallest block that gets large pages, and is the system's to take back whenever it is on the list."""
_HELD = 64 << 20
"""Bytes of smaller blocks on the list that it may not take back: as much as ``malloc`` holds on to, at most."""
_GROWN = 8
"""How many of the blocks that grew last are known."""
LIST = "enzyme.rt.kept.1"
"""The list: whether a thread is at it, how many blocks there are, and their addresses and sizes. Other forms would need
another number."""
_FUNCTION = {"malloc": "take", "calloc": "clear", "realloc": "grow", "free": "give"}

_TYPE = f"{{ i64, i64, [{MOST} x {{ ptr, i64 }}], i64, [{_GROWN} x ptr] }}"
_AT = f"getelementptr inbounds {_TYPE}, ptr @{LIST}, i64 0, i32 2, i64"
_COUNT = f"getelementptr inbounds ({_TYPE}, ptr @{LIST}, i64 0, i32 1)"
_GROWN_LAST = f"getelementptr inbounds ({_TYPE}, ptr @{LIST}, i64 0, i32 3)"
_GROWN_AT = f"getelementptr inbounds {_TYPE}, ptr @{LIST}, i64 0, i32 4, i64"

_ASK = "call void @enzyme.rt.kept.advise(ptr %made, i64 %size, i32 14)"

_TEXT = f"""
@{LIST} = linkonce_odr hidden global {_TYPE} zeroinitializer, align 64

; Whether this thread is the one at the list now.
define internal i1 @enzyme.rt.kept.enter() nounwind {{
  %was = atomicrmw xchg ptr @{LIST}, i64 1 acquire, align 8
  %free = icmp eq i64 %was, 0
  ret i1 %free
}}

define internal void @enzyme.rt.kept.leave() nounwind {{
  store atomic i64 0, ptr @{LIST} release, align 8
  ret void
}}

; Takes a block from the list of at least and at most so many bytes: the smallest, or the largest; of equal ones the
; last.
define internal ptr @enzyme.rt.kept.find(i64 %least, i64 %most, i1 %largest) noinline nounwind {{
entry:
  %count = load i64, ptr {_COUNT}, align 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %best = phi i64 [ -1, %entry ], [ %best.next, %next ]
  %best.key = phi i64 [ -1, %entry ], [ %key.next, %next ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %each, label %end
each:
  %size.at = {_AT} %i, i32 1
  %size = load i64, ptr %size.at, align 8
  %enough = icmp uge i64 %size, %least
  %few = icmp ule i64 %size, %most
  %fits = and i1 %enough, %few
  %not = xor i64 %size, -1
  %key = select i1 %largest, i64 %not, i64 %size
  %as.good = icmp ule i64 %key, %best.key
  %better = and i1 %fits, %as.good
  br label %next
next:
  %best.next = select i1 %better, i64 %i, i64 %best
  %key.next = select i1 %better, i64 %key, i64 %best.key
  %i.next = add i64 %i, 1
  br label %loop
end:
  %none = icmp eq i64 %best, -1
  br i1 %none, label %missed, label %found
found:
  %at = {_AT} %best, i32 0
  %block = load ptr, ptr %at, align 8
  call void @enzyme.rt.kept.remove(i64 %best)
  ret ptr %block
missed:
  ret ptr null
}}

define internal void @enzyme.rt.kept.remove(i64 %which) nounwind {{
  %count = load i64, ptr {_COUNT}, align 8
  %last = sub i64 %count, 1
  %to = {_AT} %which
  %from = {_AT} %last
  %entry = load {{ ptr, i64 }}, ptr %from, align 8
  store {{ ptr, i64 }} %entry, ptr %to, align 8
  store i64 %last, ptr {_COUNT}, align 8
  ret void
}}

; Makes room for a block of so many bytes: frees the smaller ones on the list. malloc takes for large what is larger
; than any block that came straight from the system and was freed (mallopt(3), M_MMAP_THRESHOLD), and from that follows
; how much it gives back of all that is freed. It would not see one that goes to the list, so it is shown one.
define internal void @enzyme.rt.kept.drop(i64 %least) noinline nounwind {{
entry:
  %seen = alloca ptr, align 8
  %like.it = call ptr @malloc(i64 %least)
  store volatile ptr %like.it, ptr %seen, align 8
  %same = load volatile ptr, ptr %seen, align 8
  call void @free(ptr %same)
  %count = load i64, ptr {_COUNT}, align 8
  br label %loop
loop:
  %above = phi i64 [ %count, %entry ], [ %i, %each ], [ %i, %small ]
  %done = icmp eq i64 %above, 0
  br i1 %done, label %end, label %each
each:
  %i = sub i64 %above, 1
  %at = {_AT} %i, i32 0
  %size.at = {_AT} %i, i32 1
  %size = load i64, ptr %size.at, align 8
  %less = icmp ult i64 %size, %least
  br i1 %less, label %small, label %loop
small:
  %block = load ptr, ptr %at, align 8
  call void @enzyme.rt.kept.remove(i64 %i)
  call void @free(ptr %block)
  br label %loop
end:
  ret void
}}

; A block of the list for a tape, or none, and then there is room for a new one.
define internal ptr @enzyme.rt.kept.large(i64 %size) cold noinline nounwind {{
entry:
  %alone = call i1 @enzyme.rt.kept.enter()
  br i1 %alone, label %look, label %none
look:
  %loose = call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 %size, i64 {_LOOSE})
  %most = extractvalue {{ i64, i1 }} %loose, 0
  %over = extractvalue {{ i64, i1 }} %loose, 1
  %limit = select i1 %over, i64 -1, i64 %most
  %block = call ptr @enzyme.rt.kept.find(i64 %size, i64 %limit, i1 false)
  %missed = icmp eq ptr %block, null
  br i1 %missed, label %drop, label %done
drop:
  call void @enzyme.rt.kept.drop(i64 %size)
  br label %done
done:
  call void @enzyme.rt.kept.leave()
  ret ptr %block
none:
  ret ptr null
}}

; malloc.
define internal noalias ptr @enzyme.rt.kept.take(i64 %size) noinline nounwind {{
entry:
  %large = icmp uge i64 %size, {LEAST}
  br i1 %large, label %look, label %new
look:
  %block = call ptr @enzyme.rt.kept.large(i64 %size)
  %missed = icmp eq ptr %block, null
  br i1 %missed, label %new, label %done
new:
  %made = call ptr @malloc(i64 %size)
  %paged = icmp uge i64 %size, {_PAGES}
  br i1 %paged, label %pages, label %as.it.is
pages:
  {_ASK}
  ret ptr %made
as.it.is:
  ret ptr %made
done:
  ret ptr %block
}}

; Tells the system what to do with the large pages of a block: 14 to make some (MADV_HUGEPAGE), 8 that it may take them
; when it needs memory (MADV_FREE), 4 to take them now (MADV_DONTNEED). Systems without refuse, and nothing is lost.
define internal void @enzyme.rt.kept.advise(ptr %block, i64 %size, i32 %what) cold noinline nounwind {{
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %advise
advise:
  %first = ptrtoint ptr %block to i64
  %behind = add i64 %first, %size
  %up = add i64 %first, {_PAGE - 1}
  %from = and i64 %up, {-_PAGE}
  %to = and i64 %behind, {-_PAGE}
  %length = sub i64 %to, %from
  %some = icmp sgt i64 %length, 0
  br i1 %some, label %tell, label %end
tell:
  %at = inttoptr i64 %from to ptr
  %ignored = call i32 @madvise(ptr %at, i64 %length, i32 %what)
  br label %end
end:
  ret void
}}

; A block that became this large step by step has small pages: those of its beginnings.
define internal void @enzyme.rt.kept.note(ptr %block) cold noinline nounwind {{
entry:
  %alone = call i1 @enzyme.rt.kept.enter()
  br i1 %alone, label %write, label %end
write:
  %last = load i64, ptr {_GROWN_LAST}, align 8
  %after = add i64 %last, 1
  %next = and i64 %after, {_GROWN - 1}
  store i64 %next, ptr {_GROWN_LAST}, align 8
  %at = {_GROWN_AT} %next
  store ptr %block, ptr %at, align 8
  call void @enzyme.rt.kept.leave()
  br label %end
end:
  ret void
}}

; Whether a block is one of these; it is none any more then.
define internal i1 @enzyme.rt.kept.noted(ptr %block) nounwind {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %more = icmp ult i64 %i, {_GROWN}
  br i1 %more, label %each, label %no
each:
  %at = {_GROWN_AT} %i
  %one = load ptr, ptr %at, align 8
  %is = icmp eq ptr %one, %block
  br i1 %is, label %yes, label %next
next:
  %i.next = add i64 %i, 1
  br label %loop
yes:
  store ptr null, ptr %at, align 8
  ret i1 true
no:
  ret i1 false
}}

; free. The large pages of a block that goes to the list are the system's to take back.
define internal void @enzyme.rt.kept.give(ptr %block) noinline nounwind {{
entry:
  %size = call i64 @malloc_usable_size(ptr %block)
  %large = icmp uge i64 %size, {LEAST}
  br i1 %large, label %keep, label %free
keep:
  call void @enzyme.rt.kept.keep(ptr %block, i64 %size)
  ret void
free:
  tail call void @free(ptr %block)
  ret void
}}

define internal void @enzyme.rt.kept.keep(ptr %block, i64 %size) cold noinline nounwind {{
entry:
  %alone = call i1 @enzyme.rt.kept.enter()
  br i1 %alone, label %look, label %free
look:
  %count = load i64, ptr {_COUNT}, align 8
  %room = icmp ult i64 %count, {MOST}
  br i1 %room, label %sum, label %full
sum:
  %i = phi i64 [ 0, %look ], [ %i.next, %each ]
  %total = phi i64 [ %size, %look ], [ %total.next, %each ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %each, label %known
each:
  %other.at = {_AT} %i, i32 1
  %other = load i64, ptr %other.at, align 8
  %few = icmp ult i64 %other, {_PAGES}
  %counts = select i1 %few, i64 %other, i64 0
  %total.next = add i64 %total, %counts
  %i.next = add i64 %i, 1
  br label %sum
known:
  %paged = icmp uge i64 %size, {_PAGES}
  %much = icmp ugt i64 %total, {_HELD}
  %offered = or i1 %paged, %much
  br i1 %offered, label %offer, label %enlist
offer:
  %grown = call i1 @enzyme.rt.kept.noted(ptr %block)
  %what = select i1 %grown, i32 4, i32 8
  call void @enzyme.rt.kept.advise(ptr %block, i64 %size, i32 %what)
  br label %enlist
enlist:
  %place = {_AT} %count, i32 0
  %size.at = {_AT} %count, i32 1
  store ptr %block, ptr %place, align 8
  store i64 %size, ptr %size.at, align 8
  %one.more = add i64 %count, 1
  store i64 %one.more, ptr {_COUNT}, align 8
  call void @enzyme.rt.kept.leave()
  ret void
full:
  call void @enzyme.rt.kept.leave()
  br label %free
free:
  call void @free(ptr %block)
  ret void
}}

; realloc. As the next step will be larger yet, the largest block of the list is taken.
define internal noalias ptr @enzyme.rt.kept.grow(ptr %old, i64 %size) noinline nounwind {{
entry:
  %had = call i64 @malloc_usable_size(ptr %old)
  %large = icmp uge i64 %size, {LEAST}
  br i1 %large, label %ask, label %new
ask:
  %enough = icmp ule i64 %size, %had
  br i1 %enough, label %stay, label %enter
stay:
  ret ptr %old
enter:
  %alone = call i1 @enzyme.rt.kept.enter()
  br i1 %alone, label %look, label %new
look:
  %block = call ptr @enzyme.rt.kept.find(i64 %size, i64 -1, i1 true)
  %missed = icmp eq ptr %block, null
  br i1 %missed, label %drop, label %copy
drop:
  call void @enzyme.rt.kept.drop(i64 %size)
  call void @enzyme.rt.kept.leave()
  br label %new
copy:
  call void @enzyme.rt.kept.leave()
  call void @llvm.memcpy.p0.p0.i64(ptr %block, ptr %old, i64 %had, i1 false)
  call void @enzyme.rt.kept.give(ptr %old)
  ret ptr %block
new:
  %made = call ptr @realloc(ptr %old, i64 %size)
  %paged = icmp uge i64 %size, {_PAGES}
  br i1 %paged, label %pages, label %as.it.is
pages:
  {_ASK}
  %fresh = icmp eq i64 %had, 0
  br i1 %fresh, label %as.it.is, label %small.pages
small.pages:
  call void @enzyme.rt.kept.note(ptr %made)
  br label %as.it.is
as.it.is:
  ret ptr %made
}}

; calloc.
define internal noalias ptr @enzyme.rt.kept.clear(i64 %count, i64 %each) noinline nounwind {{
entry:
  %product = call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 %count, i64 %each)
  %size = extractvalue {{ i64, i1 }} %product, 0
  %over = extractvalue {{ i64, i1 }} %product, 1
  %many = icmp uge i64 %size, {LEAST}
  %valid = xor i1 %over, true
  %large = and i1 %many, %valid
  br i1 %large, label %look, label %new
look:
  %block = call ptr @enzyme.rt.kept.large(i64 %size)
  %missed = icmp eq ptr %block, null
  br i1 %missed, label %new, label %zero
zero:
  call void @llvm.memset.p0.i64(ptr %block, i8 0, i64 %size, i1 false)
  ret ptr %block
new:
  %made = tail call ptr @calloc(i64 %count, i64 %each)
  ret ptr %made
}}
"""
_DECLARED = {
    "malloc": "declare noalias ptr @malloc(i64)",
    "calloc": "declare noalias ptr @calloc(i64, i64)",
    "realloc": "declare noalias ptr @realloc(ptr, i64)",
    "free": "declare void @free(ptr)",
    "malloc_usable_size": "declare i64 @malloc_usable_size(ptr)",
    "madvise": "declare i32 @madvise(ptr, i64, i32)",
    "llvm.umul.with.overflow.i64": "declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)",
    "llvm.memcpy.p0.p0.i64": "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    "llvm.memset.p0.i64": "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
}
_DEFINED = re.compile(rf"(?m)^(@{re.escape(LIST)} = )linkonce_odr hidden global (.*) zeroinitializer, align \d+$")
_CALL = re.compile(r"(?<= call )([^@%\n]*@)(malloc|calloc|realloc|free)(?=\(([^\n]*)\)[^\n()]*(#\d+))")


def with_kept_blocks(text: str, large_pages: bool = True) -> str:
    """An optimised program, as LLVM prints it, whose tapes keep their blocks, which have large pages if they may."""
    if OF_TAPE not in text or not re.search(r'target triple = "[^"\n]*-linux', text[:2000]):
        return text
    attributes = Attributes(text)
    marked = {group for group, words in attributes.groups.items() if OF_TAPE in words}
    if not may_move(text, attributes) or f"@{LIST} " in text:
        return text
    pieces = functions(text)
    made = "".join(
        each if attributes.sanitised(each.split("\n", 1)[0]) else _rewritten(each, marked) for each in pieces
    )
    if made == text:
        return text
    known = attributes.heads.keys()
    declared = (line for name, line in _DECLARED.items() if name not in known)
    return "\n".join([made, _TEXT if large_pages else _TEXT.replace(f"  {_ASK}\n", ""), *declared, ""])


def _rewritten(text: str, marked: set[str]) -> str:
    def called(found: re.Match[str]) -> str:
        size = found[3].rsplit(" ", 1)[-1]
        small = found[2] == "malloc" and size.isdecimal() and int(size) < LEAST
        return found[0] if small or found[4] not in marked else f"{found[1]}enzyme.rt.kept.{_FUNCTION[found[2]]}"

    return _CALL.sub(called, text) if any(group in text for group in marked) else text


class _Entry(ctypes.Structure):
    _fields_ = (("block", ctypes.c_void_p), ("size", ctypes.c_size_t))


class _List(ctypes.Structure):
    _fields_ = (
        ("busy", ctypes.c_int64),
        ("count", ctypes.c_int64),
        ("entries", _Entry * MOST),
        ("last_grown", ctypes.c_int64),
        ("grown", ctypes.c_void_p * _GROWN),
    )


@cache
def _of_process() -> _List:
    return _List()


def list_of_process() -> int:
    """The address of the list that all code compiled at run time has."""
    return ctypes.addressof(_of_process())


def of_process(text: str) -> str:
    """A module that does not define the list, but looks for that of the process."""
    return _DEFINED.sub(r"\1external global \2", text)


def kept_sizes() -> list[int]:
    """Bytes of each block on that list."""
    found = _of_process()
    return [each.size for each in found.entries[: found.count]]


FREE_ALL = "enzyme.free.kept"
"""A function that frees the blocks on the list, and says whether it could."""


_FREE_ALL = f"""
define i32 @{FREE_ALL}() {{
entry:
  %alone = call i1 @enzyme.rt.kept.enter()
  br i1 %alone, label %drop, label %end
drop:
  call void @enzyme.rt.kept.drop(i64 -1)
  call void @enzyme.rt.kept.leave()
  br label %end
end:
  %could = zext i1 %alone to i32
  ret i32 %could
}}
"""

FREEING = "\n".join([_TEXT, *_DECLARED.values(), _FREE_ALL])
"""A module that has it."""
