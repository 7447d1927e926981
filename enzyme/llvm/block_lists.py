"""Blocks of derivatives come from lists, and go back to them.

Between the sweeps of a reverse derivative all is alive that the program has freed, with a shadow for each block, and a
frame for each call of a recursive or virtual function. Then all of it is freed at once. That is what allocators are
worst at: glibc's keeps seven blocks of a size at hand, and for all others it looks for neighbours to put them together
with, only to cut them to pieces again in the next call. So blocks go to a list for each size, and the next call takes
them from there. As the reverse sweep frees in the opposite order, it finds each where it was.

There are sizes by 16 bytes up to a kilobyte, and eight for each power of two above. If only small blocks went to
lists, those between them would be allocated anew each time, in what gaps there are: a recursion that halves an array
took up to a fifth longer that way. Blocks of tapes that kept_blocks.py finds too small come from the lists, too.

Each thread has lists of its own, found by the address of its thread block, so that nothing is locked: a thread claims
one of :data:`THREADS` places, once. One that finds none free asks the allocator, as all do when a list is empty, or
when as much lies on the lists as they may hold. For what the allocator is asked for, it gets other blocks back, so that
a thread that needs blocks of other sizes than before does not hold both. When a thread ends, what is on its lists goes
back, and its place is free for another: a thread that claims one asks for that with a key of POSIX threads. There is
one key in a process that compiles at run time, and one in each program and shared library that was linked, which
deletes it when it is unloaded; a program that is linked without threads has none.

The blocks of one derivative may be far apart for another: nodes of a list that lay where leaves of a tree had been took
1.7 times as long as fresh ones, where all are more than the caches hold. So what is on the lists, if it is much, goes
back to the allocator when another derivative begins: many blocks have come back, and one is asked for at another place
in the program than the last time.

All blocks are the allocator's own, so that a block may come from one and go to the other, and the program may free what
it is given. The calls concerned are those of functions in which a derivative asks for blocks or frees them: its calls
have the attribute :data:`OF_DERIVATIVE`. They stay calls of the allocator, which LLVM knows, until all else is done.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache

from enzyme.llvm.blocks import Attributes, functions, may_move
from enzyme.llvm.kept_blocks import OF_TAPE
from enzyme.llvm.pipelines import run_passes

OF_DERIVATIVE = '"enzyme_small_block"'
"""The attribute of calls in derivatives that ask for blocks which may be many, or free them."""
THREADS = 64
_TRIES = 4
"""Places that a thread looks at."""
_UNIT = 16
"""Bytes by which the sizes of small blocks differ: ``n * 16 - 8`` is what a block of glibc's has for its user."""
_FINE = 1024
"""Up to so many bytes, with those 8, there is a list for each size; above eight for each power of two."""
_LARGEST = 14 << 13
"""Those of the last list. For 128 KiB and more ``malloc`` asks the system, and tapes go elsewhere (kept_blocks.py)."""
MOST = _LARGEST - _UNIT // 2
"""Bytes of the largest block that goes to a list."""
_SIZES = _FINE // _UNIT + 1 + 8 * (16 - _FINE.bit_length() + 1) + 14 - 8
HELD = 64 << 20
"""Bytes on the lists of one thread, at most."""
_FEW = 1 << 20
"""Bytes on the lists up to which the allocator gets nothing back."""
_END = 1024
"""So many blocks that come back one after the other are the end of a derivative."""
LISTS = "enzyme.rt.lists.2"
"""For each thread: its address, the bytes on its lists, the last list that may have blocks, how many blocks have come
back since one was asked for, where the last derivative began to ask, and the lists. Behind them is one more than the
number of the key, or zero if there is none yet. Other forms would need another number."""
_NAMES = {"malloc": "take", "calloc": "clear", "free": "give"}

_OF_THREAD = f"{{ ptr, i64, i64, i64, ptr, [{_SIZES} x ptr] }}"
_TABLE = f"{{ [{THREADS} x {_OF_THREAD}], i64 }}"
_KEY_AT = f"getelementptr inbounds {_TABLE}, ptr @{LISTS}, i64 0, i32 1"
_LIST = f"getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 5, i64"
_HELD_AT = f"getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 1"
_LAST_AT = f"getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 2"
_BACK_AT = f"getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 3"
_SITE_AT = f"getelementptr inbounds {_OF_THREAD}, ptr %own, i64 0, i32 4"

_INLINED = f"""
; The lists of this thread, or null.
define internal ptr @enzyme.rt.lists.own() alwaysinline nounwind {{
entry:
  %self = call ptr @llvm.thread.pointer.p0()
  %number = ptrtoint ptr %self to i64
  %mixed = mul i64 %number, -7046029254386353131
  %which = lshr i64 %mixed, {65 - THREADS.bit_length()}
  %at = getelementptr inbounds {_TABLE}, ptr @{LISTS}, i64 0, i32 0, i64 %which
  %owner = load atomic ptr, ptr %at monotonic, align 8
  %mine = icmp eq ptr %owner, %self
  br i1 %mine, label %found, label %look
found:
  ret ptr %at
look:
  %other = call ptr @enzyme.rt.lists.claim(ptr %self, i64 %which)
  ret ptr %other
}}

; The last list whose blocks have no more than so many bytes, with the 8 in front of them, and how many these have.
define internal {{ i64, i64 }} @enzyme.rt.lists.below(i64 %bytes) alwaysinline nounwind {{
entry:
  %fine = icmp ule i64 %bytes, {_FINE}
  br i1 %fine, label %small, label %large
small:
  %units = lshr i64 %bytes, 4
  %of.units = shl i64 %units, 4
  br label %known
large:
  %zeros = call i64 @llvm.ctlz.i64(i64 %bytes, i1 true)
  %power = sub i64 63, %zeros
  %shift = sub i64 %power, 3
  %eighths = lshr i64 %bytes, %shift
  %of.eighths = shl i64 %eighths, %shift
  %octave = sub i64 %power, {_FINE.bit_length() - 1}
  %octave.first = shl i64 %octave, 3
  %first = add i64 %octave.first, {_FINE // _UNIT - 8}
  %place = add i64 %first, %eighths
  br label %known
known:
  %list = phi i64 [ %units, %small ], [ %place, %large ]
  %each = phi i64 [ %of.units, %small ], [ %of.eighths, %large ]
  %half = insertvalue {{ i64, i64 }} undef, i64 %list, 0
  %both = insertvalue {{ i64, i64 }} %half, i64 %each, 1
  ret {{ i64, i64 }} %both
}}

; Takes the first block from a list, whose blocks have so many bytes.
define internal void @enzyme.rt.lists.remove(ptr %own, ptr %list, ptr %block, i64 %bytes) alwaysinline nounwind {{
entry:
  %next = load ptr, ptr %block, align 8
  store ptr %next, ptr %list, align 8
  %held.at = {_HELD_AT}
  %held = load i64, ptr %held.at, align 8
  %less = sub i64 %held, %bytes
  store i64 %less, ptr %held.at, align 8
  ret void
}}

; A block of this thread's lists that has so many bytes, or null, and the bytes that the allocator should be asked for
; then: all that blocks of that list have. A block may have come with 16 bytes more, which glibc does not leave behind.
define internal {{ ptr, i64 }} @enzyme.rt.lists.pop(i64 %size) alwaysinline nounwind {{
entry:
  %few = icmp ule i64 %size, {MOST}
  br i1 %few, label %some, label %none
some:
  %own = call ptr @enzyme.rt.lists.own()
  %without = icmp eq ptr %own, null
  br i1 %without, label %none, label %ask
ask:
  %back.at = {_BACK_AT}
  %back = load i64, ptr %back.at, align 8
  store i64 0, ptr %back.at, align 8
  %begins = icmp uge i64 %back, {_END}
  br i1 %begins, label %begin, label %look
begin:
  %site = call ptr @llvm.returnaddress(i32 0)
  call void @enzyme.rt.lists.begin(ptr %own, ptr %site)
  br label %look
look:
  %fine = icmp ule i64 %size, {_FINE - _UNIT // 2}
  br i1 %fine, label %small, label %large
small:
  %up = add i64 %size, {_UNIT + _UNIT // 2 - 1}
  %units = lshr i64 %up, 4
  %each = shl i64 %units, 4
  %list = {_LIST} %units
  %block = load ptr, ptr %list, align 8
  %empty = icmp eq ptr %block, null
  br i1 %empty, label %next, label %take
next:
  %above = add i64 %units, 1
  %more = add i64 %each, 16
  %exact = sub i64 %each, {_UNIT // 2}
  %list.above = {_LIST} %above
  %other = load ptr, ptr %list.above, align 8
  %no.other = icmp eq ptr %other, null
  br i1 %no.other, label %missed, label %take
large:
  %less = add i64 %size, {_UNIT // 2 - 1}
  %zeros = call i64 @llvm.ctlz.i64(i64 %less, i1 true)
  %shift = sub i64 60, %zeros
  %part = lshr i64 %less, %shift
  %parts = add i64 %part, 1
  %rounded = shl i64 %parts, %shift
  %below = call {{ i64, i64 }} @enzyme.rt.lists.below(i64 %rounded)
  %which = extractvalue {{ i64, i64 }} %below, 0
  %whole = sub i64 %rounded, {_UNIT // 2}
  %list.large = {_LIST} %which
  %block.large = load ptr, ptr %list.large, align 8
  %empty.large = icmp eq ptr %block.large, null
  br i1 %empty.large, label %missed, label %take
take:
  %from = phi ptr [ %list, %small ], [ %list.above, %next ], [ %list.large, %large ]
  %found = phi ptr [ %block, %small ], [ %other, %next ], [ %block.large, %large ]
  %bytes = phi i64 [ %each, %small ], [ %more, %next ], [ %rounded, %large ]
  call void @enzyme.rt.lists.remove(ptr %own, ptr %from, ptr %found, i64 %bytes)
  %made = insertvalue {{ ptr, i64 }} undef, ptr %found, 0
  ret {{ ptr, i64 }} %made
missed:
  %whole.size = phi i64 [ %exact, %next ], [ %whole, %large ]
  call void @enzyme.rt.lists.trade(ptr %own)
  br label %none
none:
  %asked = phi i64 [ %size, %entry ], [ %size, %some ], [ %whole.size, %missed ]
  %nothing = insertvalue {{ ptr, i64 }} {{ ptr null, i64 0 }}, i64 %asked, 1
  ret {{ ptr, i64 }} %nothing
}}

; Clears a block of the lists.
define internal void @enzyme.rt.lists.zero(ptr %block, i64 %size) alwaysinline nounwind {{
entry:
  %short = icmp ule i64 %size, 128
  br i1 %short, label %units, label %long
units:
  %up = add i64 %size, {_UNIT + _UNIT // 2 - 1}
  %whole = and i64 %up, {-_UNIT}
  %last = sub i64 %whole, {_UNIT}
  %last.at = getelementptr inbounds i8, ptr %block, i64 %last
  br label %test
test:
  %offset = phi i64 [ 0, %units ], [ %offset.next, %unit ]
  %more = icmp ult i64 %offset, %last
  br i1 %more, label %unit, label %half
unit:
  %at = getelementptr inbounds i8, ptr %block, i64 %offset
  store <2 x i64> zeroinitializer, ptr %at, align 8
  %offset.next = add i64 %offset, {_UNIT}
  br label %test
half:
  store i64 0, ptr %last.at, align 8
  br label %done
long:
  call void @llvm.memset.p0.i64(ptr %block, i8 0, i64 %size, i1 false)
  br label %done
done:
  ret void
}}
"""
_SHARED = f"""
; The place of this thread, which may be behind others' that are free by now, or else a free one, which it has from now
; on. Or null.
define internal ptr @enzyme.rt.lists.claim(ptr %self, i64 %first) cold noinline nounwind {{
entry:
  br label %loop
loop:
  %tried = phi i64 [ 0, %entry ], [ %tried.next, %next ]
  %turn = udiv i64 %tried, {_TRIES}
  %old = icmp eq i64 %turn, 0
  %more = icmp ult i64 %tried, {2 * _TRIES}
  br i1 %more, label %each, label %none
each:
  %step = urem i64 %tried, {_TRIES}
  %place = add i64 %first, %step
  %which = and i64 %place, {THREADS - 1}
  %at = getelementptr inbounds {_TABLE}, ptr @{LISTS}, i64 0, i32 0, i64 %which
  br i1 %old, label %look, label %try
look:
  %owner = load atomic ptr, ptr %at monotonic, align 8
  %mine = icmp eq ptr %owner, %self
  br i1 %mine, label %found, label %next
try:
  %result = cmpxchg ptr %at, ptr null, ptr %self acquire monotonic, align 8
  %claimed = extractvalue {{ ptr, i1 }} %result, 1
  br i1 %claimed, label %new, label %next
next:
  %tried.next = add i64 %tried, 1
  br label %loop
new:
  call void @enzyme.rt.lists.watch(ptr %at)
  ret ptr %at
found:
  ret ptr %at
none:
  ret ptr null
}}

; One more than the number of the key, or zero where a program is linked without threads.
define internal i64 @enzyme.rt.lists.key() cold noinline nounwind {{
entry:
  %made = alloca i32, align 4
  %key.at = {_KEY_AT}
  %can.make = icmp ne ptr @pthread_key_create, null
  %can.set = icmp ne ptr @pthread_setspecific, null
  %can.delete = icmp ne ptr @pthread_key_delete, null
  %can.both = and i1 %can.make, %can.set
  %can = and i1 %can.both, %can.delete
  br i1 %can, label %look, label %cannot
look:
  %known = load atomic i64, ptr %key.at acquire, align 8
  %none = icmp eq i64 %known, 0
  br i1 %none, label %make, label %done
make:
  %failed = call i32 @pthread_key_create(ptr %made, ptr @enzyme.rt.lists.ended)
  %without = icmp ne i32 %failed, 0
  br i1 %without, label %cannot, label %put
put:
  %key = load i32, ptr %made, align 4
  %number = zext i32 %key to i64
  %after = add i64 %number, 1
  %result = cmpxchg ptr %key.at, i64 0, i64 %after acq_rel acquire, align 8
  %other = extractvalue {{ i64, i1 }} %result, 0
  %first = extractvalue {{ i64, i1 }} %result, 1
  br i1 %first, label %done, label %late
late:
  %deleted = call i32 @pthread_key_delete(i32 %key)
  br label %done
done:
  %one.more = phi i64 [ %known, %look ], [ %after, %put ], [ %other, %late ]
  ret i64 %one.more
cannot:
  ret i64 0
}}

; Has the thread say so when it ends.
define internal void @enzyme.rt.lists.watch(ptr %own) cold noinline nounwind {{
entry:
  %one.more = call i64 @enzyme.rt.lists.key()
  %none = icmp eq i64 %one.more, 0
  br i1 %none, label %done, label %set
set:
  %number = sub i64 %one.more, 1
  %key = trunc i64 %number to i32
  %ignored = call i32 @pthread_setspecific(i32 %key, ptr %own)
  br label %done
done:
  ret void
}}

; A thread has ended: its blocks go back, and another one may have its place.
define internal void @enzyme.rt.lists.ended(ptr %own) cold noinline nounwind {{
entry:
  %freed = call i64 @enzyme.rt.lists.empty(ptr %own)
  %last.at = {_LAST_AT}
  store i64 0, ptr %last.at, align 8
  %back.at = {_BACK_AT}
  store i64 0, ptr %back.at, align 8
  %site.at = {_SITE_AT}
  store ptr null, ptr %site.at, align 8
  store atomic ptr null, ptr %own release, align 8
  ret void
}}

; Frees all blocks on the lists, and gives their bytes.
define internal i64 @enzyme.rt.lists.empty(ptr %own) cold noinline nounwind {{
entry:
  %held.at = {_HELD_AT}
  %held = load i64, ptr %held.at, align 8
  store i64 0, ptr %held.at, align 8
  br label %size
size:
  %which = phi i64 [ 0, %entry ], [ %which.next, %empty ]
  %done = icmp eq i64 %which, {_SIZES}
  br i1 %done, label %end, label %list
list:
  %at = {_LIST} %which
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

; A derivative begins to ask for blocks. If it is another one than before, it does not get that one's.
define internal void @enzyme.rt.lists.begin(ptr %own, ptr %site) cold noinline nounwind {{
entry:
  %site.at = {_SITE_AT}
  %before = load ptr, ptr %site.at, align 8
  store ptr %site, ptr %site.at, align 8
  %same = icmp eq ptr %before, %site
  %held.at = {_HELD_AT}
  %held = load i64, ptr %held.at, align 8
  %few = icmp ule i64 %held, {_FEW}
  %stay = or i1 %same, %few
  br i1 %stay, label %done, label %empty
empty:
  %freed = call i64 @enzyme.rt.lists.empty(ptr %own)
  br label %done
done:
  ret void
}}

; The allocator is about to be asked for a block: if there are many on the lists, it gets one back, of the largest.
define internal void @enzyme.rt.lists.trade(ptr %own) cold noinline nounwind {{
entry:
  %held.at = {_HELD_AT}
  %held = load i64, ptr %held.at, align 8
  %few = icmp ule i64 %held, {_FEW}
  br i1 %few, label %done, label %many
many:
  %last.at = {_LAST_AT}
  %last = load i64, ptr %last.at, align 8
  br label %loop
loop:
  %which = phi i64 [ %last, %many ], [ %which.next, %loop ]
  %list = {_LIST} %which
  %block = load ptr, ptr %list, align 8
  %empty = icmp eq ptr %block, null
  %which.next = sub i64 %which, 1
  br i1 %empty, label %loop, label %found
found:
  store i64 %which, ptr %last.at, align 8
  %has = call i64 @malloc_usable_size(ptr %block)
  %all = add i64 %has, {_UNIT // 2}
  %below = call {{ i64, i64 }} @enzyme.rt.lists.below(i64 %all)
  %bytes = extractvalue {{ i64, i64 }} %below, 1
  call void @enzyme.rt.lists.remove(ptr %own, ptr %list, ptr %block, i64 %bytes)
  call void @free(ptr %block)
  br label %done
done:
  ret void
}}
"""


def _functions(suffix: str, malloc: str, calloc: str, free: str) -> str:
    """What is called in place of the allocator's functions, and asks those named where there is no block."""
    return f"""
define internal noalias ptr @enzyme.rt.lists.take{suffix}(i64 %size) noinline nounwind {{
entry:
  %popped = call {{ ptr, i64 }} @enzyme.rt.lists.pop(i64 %size)
  %block = extractvalue {{ ptr, i64 }} %popped, 0
  %missed = icmp eq ptr %block, null
  br i1 %missed, label %new, label %done
new:
  %asked = extractvalue {{ ptr, i64 }} %popped, 1
  %made = tail call ptr @{malloc}(i64 %asked)
  ret ptr %made
done:
  ret ptr %block
}}

define internal noalias ptr @enzyme.rt.lists.clear{suffix}(i64 %count, i64 %each) noinline nounwind {{
entry:
  %product = call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 %count, i64 %each)
  %size = extractvalue {{ i64, i1 }} %product, 0
  %over = extractvalue {{ i64, i1 }} %product, 1
  br i1 %over, label %as.asked, label %look
look:
  %popped = call {{ ptr, i64 }} @enzyme.rt.lists.pop(i64 %size)
  %block = extractvalue {{ ptr, i64 }} %popped, 0
  %missed = icmp eq ptr %block, null
  br i1 %missed, label %new, label %zero
zero:
  call void @enzyme.rt.lists.zero(ptr %block, i64 %size)
  ret ptr %block
new:
  %asked = extractvalue {{ ptr, i64 }} %popped, 1
  %made = tail call ptr @{calloc}(i64 1, i64 %asked)
  ret ptr %made
as.asked:
  %none = tail call ptr @{calloc}(i64 %count, i64 %each)
  ret ptr %none
}}

define internal void @enzyme.rt.lists.give{suffix}(ptr %block) noinline nounwind {{
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %some
some:
  %has = call i64 @malloc_usable_size(ptr %block)
  %all = add i64 %has, {_UNIT // 2}
  %above = sub i64 %all, {_UNIT}
  %fits = icmp ult i64 %above, {_LARGEST + (1 << 13) - _UNIT}
  br i1 %fits, label %look, label %free
look:
  %own = call ptr @enzyme.rt.lists.own()
  %without = icmp eq ptr %own, null
  br i1 %without, label %free, label %count
count:
  %back.at = {_BACK_AT}
  %back = load i64, ptr %back.at, align 8
  %back.more = add i64 %back, 1
  store i64 %back.more, ptr %back.at, align 8
  %below = call {{ i64, i64 }} @enzyme.rt.lists.below(i64 %all)
  %bytes = extractvalue {{ i64, i64 }} %below, 1
  %held.at = {_HELD_AT}
  %held = load i64, ptr %held.at, align 8
  %more = add i64 %held, %bytes
  %full = icmp ugt i64 %more, {HELD}
  br i1 %full, label %free, label %put
put:
  store i64 %more, ptr %held.at, align 8
  %which = extractvalue {{ i64, i64 }} %below, 0
  %last.at = {_LAST_AT}
  %last = load i64, ptr %last.at, align 8
  %later = call i64 @llvm.umax.i64(i64 %last, i64 %which)
  store i64 %later, ptr %last.at, align 8
  %list = {_LIST} %which
  %next = load ptr, ptr %list, align 8
  store ptr %next, ptr %block, align 8
  store ptr %block, ptr %list, align 8
  ret void
free:
  tail call void @{free}(ptr %block)
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
    "pthread_key_create": "declare extern_weak i32 @pthread_key_create(ptr, ptr)",
    "pthread_key_delete": "declare extern_weak i32 @pthread_key_delete(i32)",
    "pthread_setspecific": "declare extern_weak i32 @pthread_setspecific(i32, ptr)",
    "llvm.thread.pointer.p0": "declare ptr @llvm.thread.pointer.p0()",
    "llvm.returnaddress": "declare ptr @llvm.returnaddress(i32)",
    "llvm.ctlz.i64": "declare i64 @llvm.ctlz.i64(i64, i1)",
    "llvm.umax.i64": "declare i64 @llvm.umax.i64(i64, i64)",
    "llvm.memset.p0.i64": "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    "llvm.umul.with.overflow.i64": "declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)",
}
_TAPES = {
    "enzyme.rt.kept.take": "declare ptr @enzyme.rt.kept.take(i64)",
    "enzyme.rt.kept.clear": "declare ptr @enzyme.rt.kept.clear(i64, i64)",
    "enzyme.rt.kept.give": "declare void @enzyme.rt.kept.give(ptr)",
}
"""What asks for tapes and gives them back (kept_blocks.py)."""
_DEFINED = re.compile(rf"(?m)^(@{re.escape(LISTS)} = )linkonce_odr hidden global (.*) zeroinitializer, align \d+$")
_UNLOAD = re.compile(r"(?m)^@enzyme\.rt\.lists\.unload = .*\n")
_GLOBAL = f"@{LISTS} = linkonce_odr hidden global {_TABLE} zeroinitializer, align 64\n"
_UNLOADED = f"""
; A library whose code is about to go away: threads that end later do not call it.
define weak_odr hidden void @enzyme.rt.lists.unloaded() cold nounwind {{
entry:
  %key.at = {_KEY_AT}
  %known = atomicrmw xchg ptr %key.at, i64 0 acq_rel, align 8
  %none = icmp eq i64 %known, 0
  br i1 %none, label %done, label %some
some:
  %number = sub i64 %known, 1
  %key = trunc i64 %number to i32
  %deleted = call i32 @pthread_key_delete(i32 %key)
  br label %done
done:
  ret void
}}
@enzyme.rt.lists.unload = weak_odr hidden constant ptr @enzyme.rt.lists.unloaded, section ".fini_array", align 8
"""
_CALL = re.compile(r"(?<= call )([^@%\n]*@)(malloc|calloc|free|enzyme\.rt\.kept\.(?:take|clear|give))(?=\(([^\n]*)\))")
_RUNTIME = re.compile(r"define [^\n]*@enzyme\.rt\.kept\.")
_GROUP = re.compile(r" #(\d+)\b")


@cache
def _runtime(text: str) -> str:
    """Functions in IR, with those inside that are always inlined, and no attributes and declarations beside them."""
    declared = [*_DECLARED.values(), *_TAPES.values()]
    made = run_passes(
        "\n".join([_GLOBAL, _INLINED, _SHARED, text.replace("define internal", "define"), *declared]),
        ("always_inliner", "instruction_combine", "simplify_cfg"),
    )
    groups = dict(re.findall(r"(?m)^attributes #(\d+) = \{ (.*) \}$", made))
    pieces = re.findall(r"(?ms)^define .*?^\}\n", made)
    inner = re.sub(r"(?m)^define (?!internal )", "define internal ", "\n".join(pieces))
    return _GROUP.sub(lambda found: f" {groups[found[1]]}", inner)


_PLAIN = _functions("", "malloc", "calloc", "free")
_OF_TAPES = _functions(".tape", *_TAPES)


def with_block_lists(text: str) -> str:
    """An optimised program, as LLVM prints it, whose derivatives have their small blocks from lists."""
    has_tapes = any(name in text for name in _TAPES)
    if not (has_tapes or OF_DERIVATIVE in text) or not re.search(r'target triple = "[^"\n]*-linux', text[:2000]):
        return text
    attributes = Attributes(text)
    marks = [OF_DERIVATIVE, *([OF_TAPE] if has_tapes else [])]  # small blocks of tapes are still the allocator's
    marked = [re.escape(group) for group, words in attributes.groups.items() if any(each in words for each in marks)]
    if not may_move(text, attributes) or f"@{LISTS} " in text:
        return text
    mark = re.compile(rf" call [^\n]*(?:{'|'.join([*marked, '@enzyme.rt.kept.'])})\b")
    made = "".join(
        _CALL.sub(_called, each)
        if mark.search(each)
        and each.startswith("define ")
        and not _RUNTIME.match(each)
        and not attributes.sanitised(each.split("\n", 1)[0])
        else each
        for each in functions(text)
    )
    if made == text:
        return text
    declared = (line for name, line in _DECLARED.items() if name not in attributes.heads)
    runtime = _runtime(_PLAIN + _OF_TAPES if has_tapes else _PLAIN)
    return "\n".join([made, _GLOBAL, _UNLOADED, runtime, *declared, ""])


def _called(found: re.Match[str]) -> str:
    size = found[3].rsplit(" ", 1)[-1]
    if found[2] == "malloc" and size.isdecimal() and int(size) > MOST:
        return found[0]
    suffix = ".tape" if found[2] in _TAPES else ""
    return f"{found[1]}enzyme.rt.lists.{_NAMES.get(found[2]) or found[2].rsplit('.', 1)[1]}{suffix}"


class _OfThread(ctypes.Structure):
    _fields_ = (
        ("owner", ctypes.c_void_p),
        ("held", ctypes.c_size_t),
        ("last", ctypes.c_size_t),
        ("back", ctypes.c_size_t),
        ("site", ctypes.c_void_p),
        ("lists", ctypes.c_void_p * _SIZES),
    )


class _Table(ctypes.Structure):
    _fields_ = (("threads", _OfThread * THREADS), ("key", ctypes.c_size_t))


@cache
def _of_process() -> _Table:
    return _Table()


def lists_of_process() -> int:
    """The address of the lists that all code compiled at run time has."""
    return ctypes.addressof(_of_process())


def take_no_key() -> None:
    """Code that may go away makes none in the process: this is no key's number."""
    _of_process().key = ctypes.c_size_t(-1).value


def of_process(text: str) -> str:
    """A module that does not define the lists, but looks for those of the process, and does not delete their key."""
    return _UNLOAD.sub("", _DEFINED.sub(r"\1external global \2", text))


def bytes_on_lists() -> int:
    """Bytes on the lists of all threads of this process."""
    return sum(each.held for each in _of_process().threads)


def threads_with_lists() -> int:
    """How many threads of this process have lists: they asked for blocks, and have not ended."""
    return sum(each.owner is not None for each in _of_process().threads)


FREE_OWN = "enzyme.free.lists"
"""A function that frees the blocks on the lists of the thread that calls it, and gives their bytes."""
MAKE_KEY = "enzyme.make.lists.key"
"""A function that the process calls once, before there are threads with lists: the key is that of code which stays."""

_FREE_OWN = f"""
define i64 @{FREE_OWN}() {{
entry:
  %own = call ptr @enzyme.rt.lists.own()
  %without = icmp eq ptr %own, null
  br i1 %without, label %none, label %some
none:
  ret i64 0
some:
  %held = call i64 @enzyme.rt.lists.empty(ptr %own)
  ret i64 %held
}}

define i64 @{MAKE_KEY}() {{
entry:
  %one.more = call i64 @enzyme.rt.lists.key()
  ret i64 %one.more
}}
"""

FREEING = "\n".join([_GLOBAL, _INLINED, _SHARED, *_DECLARED.values(), _FREE_OWN])
"""A module that has both."""
