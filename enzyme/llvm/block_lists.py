"""Small blocks of derivatives come from lists, and go back to them.

Between the sweeps of a reverse derivative all is alive that the program has freed, with a shadow for each block, and a
frame for each call of a recursive or virtual function. Then all of it is freed at once. That is what allocators are
worst at: glibc's keeps seven blocks of a size at hand, and for all others it looks for neighbours to put them together
with, only to cut them to pieces again in the next call. So small blocks go to a list for each size, and the next call
takes them from there.

Each thread has lists of its own, found by the address of its thread block, so that nothing is locked: a thread claims
one of :data:`THREADS` places, once. One that finds none free asks the allocator, as all do when a list is empty, or
when as much lies on the lists as they may hold. The lists of a thread that has ended are found by the next one that has
its address.

All blocks are the allocator's own, so that a block may come from one and go to the other, and the program may free what
it is given. The calls concerned are those of functions in which a derivative asks for blocks or frees them: its calls
have the attribute :data:`OF_DERIVATIVE`. They stay calls of the allocator, which LLVM knows, until all else is done.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache

from enzyme.llvm.blocks import Attributes, functions, may_move

OF_DERIVATIVE = '"enzyme_small_block"'
"""The attribute of calls in derivatives that ask for blocks which may be many, or free them."""
THREADS = 64
_TRIES = 4
"""Places that a thread looks at."""
_UNIT = 16
"""Bytes by which sizes of blocks differ: ``n * 16 - 8`` is what a block of glibc's has."""
_SIZES = 62
MOST = (_SIZES - 1) * _UNIT - _UNIT // 2
"""Bytes of the largest block that goes to a list."""
HELD = 8 << 20
"""Bytes on the lists of one thread, at most."""
LISTS = "enzyme.rt.lists.1"
"""For each thread: its address, the bytes on its lists, and the lists. Other forms would need another number."""
_NAMES = {"malloc": "take", "calloc": "clear", "free": "give"}

_OF_THREAD = f"{{ ptr, i64, [{_SIZES} x ptr] }}"
_TYPE = f"[{THREADS} x {_OF_THREAD}]"

_TEXT = f"""
@{LISTS} = linkonce_odr hidden global {_TYPE} zeroinitializer, align 64

; The lists of this thread, or null.
define internal ptr @enzyme.rt.lists.own() nounwind {{
entry:
  %self = call ptr @llvm.thread.pointer.p0()
  %number = ptrtoint ptr %self to i64
  %mixed = mul i64 %number, -7046029254386353131
  %which = lshr i64 %mixed, {65 - THREADS.bit_length()}
  %at = getelementptr inbounds {_TYPE}, ptr @{LISTS}, i64 0, i64 %which
  %owner = load atomic ptr, ptr %at monotonic, align 8
  %mine = icmp eq ptr %owner, %self
  br i1 %mine, label %found, label %look
found:
  ret ptr %at
look:
  %other = call ptr @enzyme.rt.lists.claim(ptr %self, i64 %which)
  ret ptr %other
}}

define internal ptr @enzyme.rt.lists.claim(ptr %self, i64 %first) cold noinline nounwind {{
entry:
  br label %loop
loop:
  %tried = phi i64 [ 0, %entry ], [ %tried.next, %next ]
  %more = icmp ult i64 %tried, {_TRIES}
  br i1 %more, label %each, label %none
each:
  %place = add i64 %first, %tried
  %which = and i64 %place, {THREADS - 1}
  %at = getelementptr inbounds {_TYPE}, ptr @{LISTS}, i64 0, i64 %which
  %result = cmpxchg ptr %at, ptr null, ptr %self acquire monotonic, align 8
  %owner = extractvalue {{ ptr, i1 }} %result, 0
  %claimed = extractvalue {{ ptr, i1 }} %result, 1
  %mine = icmp eq ptr %owner, %self
  %is = or i1 %claimed, %mine
  br i1 %is, label %found, label %next
next:
  %tried.next = add i64 %tried, 1
  br label %loop
found:
  ret ptr %at
none:
  ret ptr null
}}

; A block of this thread's lists that has so many bytes, or null.
define internal ptr @enzyme.rt.lists.pop(i64 %size) nounwind {{
entry:
  %few = icmp ule i64 %size, {MOST}
  br i1 %few, label %small, label %none
small:
  %own = call ptr @enzyme.rt.lists.own()
  %without = icmp eq ptr %own, null
  br i1 %without, label %none, label %look
look:
  %up = add i64 %size, {_UNIT + _UNIT // 2 - 1}
  %units = lshr i64 %up, 4
  %list = getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 2, i64 %units
  %block = load ptr, ptr %list, align 8
  %empty = icmp eq ptr %block, null
  br i1 %empty, label %none, label %take
take:
  %next = load ptr, ptr %block, align 8
  store ptr %next, ptr %list, align 8
  %bytes = shl i64 %units, 4
  %held.at = getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 1
  %held = load i64, ptr %held.at, align 8
  %less = sub i64 %held, %bytes
  store i64 %less, ptr %held.at, align 8
  ret ptr %block
none:
  ret ptr null
}}

; malloc.
define internal noalias ptr @enzyme.rt.lists.take(i64 %size) noinline nounwind {{
entry:
  %block = call ptr @enzyme.rt.lists.pop(i64 %size)
  %missed = icmp eq ptr %block, null
  br i1 %missed, label %new, label %done
new:
  %made = tail call ptr @malloc(i64 %size)
  ret ptr %made
done:
  ret ptr %block
}}

; calloc. Whole units are cleared, and the half one at the end.
define internal noalias ptr @enzyme.rt.lists.clear(i64 %count, i64 %each) noinline nounwind {{
entry:
  %product = call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 %count, i64 %each)
  %size = extractvalue {{ i64, i1 }} %product, 0
  %over = extractvalue {{ i64, i1 }} %product, 1
  %asked = select i1 %over, i64 -1, i64 %size
  %block = call ptr @enzyme.rt.lists.pop(i64 %asked)
  %missed = icmp eq ptr %block, null
  br i1 %missed, label %new, label %zero
zero:
  %up = add i64 %size, {_UNIT + _UNIT // 2 - 1}
  %whole = and i64 %up, {-_UNIT}
  %last = sub i64 %whole, {_UNIT}
  %last.at = getelementptr inbounds i8, ptr %block, i64 %last
  br label %test
test:
  %offset = phi i64 [ 0, %zero ], [ %offset.next, %unit ]
  %more = icmp ult i64 %offset, %last
  br i1 %more, label %unit, label %half
unit:
  %at = getelementptr inbounds i8, ptr %block, i64 %offset
  store <2 x i64> zeroinitializer, ptr %at, align 8
  %offset.next = add i64 %offset, {_UNIT}
  br label %test
half:
  store i64 0, ptr %last.at, align 8
  ret ptr %block
new:
  %made = tail call ptr @calloc(i64 %count, i64 %each)
  ret ptr %made
}}

; free.
define internal void @enzyme.rt.lists.give(ptr %block) noinline nounwind {{
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %some
some:
  %has = call i64 @malloc_usable_size(ptr %block)
  %down = add i64 %has, {_UNIT // 2}
  %units = lshr i64 %down, 4
  %small = icmp ult i64 %units, {_SIZES}
  br i1 %small, label %look, label %free
look:
  %own = call ptr @enzyme.rt.lists.own()
  %without = icmp eq ptr %own, null
  br i1 %without, label %free, label %count
count:
  %bytes = shl i64 %units, 4
  %held.at = getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 1
  %held = load i64, ptr %held.at, align 8
  %more = add i64 %held, %bytes
  %full = icmp ugt i64 %more, {HELD}
  br i1 %full, label %free, label %put
put:
  store i64 %more, ptr %held.at, align 8
  %list = getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 2, i64 %units
  %next = load ptr, ptr %list, align 8
  store ptr %next, ptr %block, align 8
  store ptr %block, ptr %list, align 8
  ret void
free:
  tail call void @free(ptr %block)
  ret void
done:
  ret void
}}
"""
_DECLARED = {
    "malloc": "declare noalias ptr @malloc(i64)",
    "calloc": "declare noalias ptr @calloc(i64, i64)",
    "free": "declare void @free(ptr)",
    "malloc_usable_size": "declare i64 @malloc_usable_size(ptr)",
    "llvm.thread.pointer.p0": "declare ptr @llvm.thread.pointer.p0()",
    "llvm.umul.with.overflow.i64": "declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)",
}
_DEFINED = re.compile(rf"(?m)^(@{re.escape(LISTS)} = )linkonce_odr hidden global (.*) zeroinitializer, align \d+$")
_CALL = re.compile(r"(?<= call )([^@%\n]*@)(malloc|calloc|free)(?=\(([^\n]*)\))")


def with_block_lists(text: str) -> str:
    """An optimised program, as LLVM prints it, whose derivatives have their small blocks from lists."""
    if OF_DERIVATIVE not in text or not re.search(r'target triple = "[^"\n]*-linux', text[:2000]):
        return text
    attributes = Attributes(text)
    marked = [re.escape(group) for group, words in attributes.groups.items() if OF_DERIVATIVE in words]
    if not marked or not may_move(text, attributes) or f"@{LISTS} " in text:
        return text
    mark = re.compile(rf" call [^\n]*(?:{'|'.join(marked)})\b")
    pieces = functions(text)
    made = "".join(
        _CALL.sub(_called, each)
        if mark.search(each) and not attributes.sanitised(each.split("\n", 1)[0]) and each.startswith("define ")
        else each
        for each in pieces
    )
    if made == text:
        return text
    declared = (line for name, line in _DECLARED.items() if name not in attributes.heads)
    return "\n".join([made, _TEXT, *declared, ""])


def _called(found: re.Match[str]) -> str:
    size = found[3].rsplit(" ", 1)[-1]
    large = found[2] == "malloc" and size.isdecimal() and int(size) > MOST
    return found[0] if large else f"{found[1]}enzyme.rt.lists.{_NAMES[found[2]]}"


class _OfThread(ctypes.Structure):
    _fields_ = (("owner", ctypes.c_void_p), ("held", ctypes.c_size_t), ("lists", ctypes.c_void_p * _SIZES))


@cache
def _of_process() -> ctypes.Array[_OfThread]:
    return (_OfThread * THREADS)()


def lists_of_process() -> int:
    """The address of the lists that all code compiled at run time has."""
    return ctypes.addressof(_of_process())


def of_process(text: str) -> str:
    """A module that does not define the lists, but looks for those of the process."""
    return _DEFINED.sub(r"\1external global \2", text)


def bytes_on_lists() -> int:
    """Bytes on the lists of all threads of this process."""
    return sum(each.held for each in _of_process())


FREE_OWN = "enzyme.free.lists"
"""A function that frees the blocks on the lists of the thread that calls it, and gives their bytes."""

_FREE_OWN = f"""
define i64 @{FREE_OWN}() {{
entry:
  %own = call ptr @enzyme.rt.lists.own()
  %without = icmp eq ptr %own, null
  br i1 %without, label %none, label %some
none:
  ret i64 0
some:
  %held.at = getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 1
  %held = load i64, ptr %held.at, align 8
  store i64 0, ptr %held.at, align 8
  br label %size
size:
  %which = phi i64 [ 0, %some ], [ %which.next, %empty ]
  %done = icmp eq i64 %which, {_SIZES}
  br i1 %done, label %end, label %list
list:
  %at = getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 2, i64 %which
  %first = load ptr, ptr %at, align 8
  store ptr null, ptr %at, align 8
  br label %test
test:
  %block = phi ptr [ %first, %list ], [ %next, %each ]
  %last = icmp eq ptr %block, null
  br i1 %last, label %empty, label %each
each:
  %next = load ptr, ptr %block, align 8
  call void @free(ptr %block)
  br label %test
empty:
  %which.next = add i64 %which, 1
  br label %size
end:
  ret i64 %held
}}
"""

FREEING = "\n".join([_TEXT, *_DECLARED.values(), _FREE_OWN])
"""A module that has it."""
