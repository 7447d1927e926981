"""Small functions in IR that derivative code calls; LLVM inlines them. Only those used are put into a module."""

from __future__ import annotations

from enzyme.gradient.runtime_arrays import GROWING, USED, USED_IN_CALLS
from enzyme.gradient.runtime_choices import CHOSEN
from enzyme.gradient.runtime_lists import DEFER, DEFER_ONE

_SCRATCH = """
define internal ptr @enzyme.rt.scratch(ptr %room, i64 %have, i64 %need) nounwind alwaysinline {
entry:
  %fits = icmp ule i64 %need, %have
  br i1 %fits, label %done, label %more
more:
  %block = call ptr @malloc(i64 %need) "enzyme_block"
  br label %done
done:
  %result = phi ptr [ %room, %entry ], [ %block, %more ]
  ret ptr %result
}
declare ptr @malloc(i64)
"""

_UNSCRATCH = """
define internal void @enzyme.rt.unscratch(ptr %block, ptr %room) nounwind alwaysinline {
entry:
  %same = icmp eq ptr %block, %room
  br i1 %same, label %done, label %more
more:
  call void @free(ptr %block) "enzyme_block"
  br label %done
done:
  ret void
}
declare void @free(ptr)
"""

_CHECK = """
@enzyme.rt.plan.message = internal constant [57 x i8] c"enzyme: a recomputed value differs from the one kept for\\00"
define internal void @enzyme.rt.check(i1 %differs, ptr %name) nounwind {
entry:
  br i1 %differs, label %bad, label %done
bad:
  %first = call i32 @puts(ptr @enzyme.rt.plan.message)
  %second = call i32 @puts(ptr %name)
  %flushed = call i32 @fflush(ptr null)
  call void @abort()
  unreachable
done:
  ret void
}
declare i32 @puts(ptr)
declare i32 @fflush(ptr)
declare void @abort()
"""

STOP = """
define internal void @enzyme.rt.stop(ptr %message) cold noreturn nounwind {
entry:
  %first = call i32 @fflush(ptr null)
  %size = call i64 @strlen(ptr %message)
  %written = call i64 @write(i32 2, ptr %message, i64 %size)
  %line = alloca i8
  store i8 10, ptr %line
  %last = call i64 @write(i32 2, ptr %line, i64 1)
  call void @abort()
  unreachable
}
declare i64 @strlen(ptr)
declare i64 @write(i32, ptr, i64)
declare i32 @fflush(ptr)
declare void @abort()
"""

_INSIST = (
    STOP
    + """
define internal void @enzyme.rt.insist(i1 %fine, ptr %message) nounwind {
entry:
  br i1 %fine, label %done, label %bad
bad:
  call void @enzyme.rt.stop(ptr %message)
  unreachable
done:
  ret void
}
"""
)

_LED = (
    STOP
    + """
define internal void @enzyme.rt.led(ptr %primal, ptr %shadow, ptr %message) nounwind {
entry:
  %nowhere = icmp ult ptr %shadow, inttoptr (i64 4096 to ptr)
  %somewhere = icmp uge ptr %primal, inttoptr (i64 4096 to ptr)
  %lost = and i1 %nowhere, %somewhere
  br i1 %lost, label %bad, label %done
bad:
  call void @enzyme.rt.stop(ptr %message)
  unreachable
done:
  ret void
}
"""
)

_WHOLE = (
    STOP
    + """
@enzyme.rt.whole.message = internal constant [51 x i8] c"enzyme: a block copy ends in the midst of a number\\00"
define internal void @enzyme.rt.whole(i64 %bytes, i64 %unit) nounwind {
entry:
  %rest = urem i64 %bytes, %unit
  %even = icmp eq i64 %rest, 0
  br i1 %even, label %done, label %bad
bad:
  call void @enzyme.rt.stop(ptr @enzyme.rt.whole.message)
  unreachable
done:
  ret void
}
"""
)

_BASED = (
    STOP
    + """
@enzyme.rt.based.message = internal constant [59 x i8] c"enzyme: an address in an integer steps from a null pointer\\00"
define internal void @enzyme.rt.based(i1 %nowhere) nounwind "enzyme_inactive" memory(inaccessiblemem: readwrite) {
entry:
  br i1 %nowhere, label %bad, label %done
bad:
  call void @enzyme.rt.stop(ptr @enzyme.rt.based.message)
  unreachable
done:
  ret void
}
"""
)

LARGE = 32 << 20
"""Blocks of so many bytes and more come fresh from the system each time: malloc keeps none of these."""
LARGE_GROWN = 4 << 20
"""Of blocks that grew malloc gives back smaller ones, too."""
# Large pages for such a block, whose pages are the system's own at both ends: a part of a mapping could not be made
# longer in its place. Otherwise each 4096 bytes are a page fault. To an optimiser it touches nothing that the program
# sees. 14 is MADV_HUGEPAGE; a system that has no such pages says so, and nothing is lost.
_ATTRIBUTES = 'nofree nounwind "enzyme_inactive" memory(inaccessiblemem: readwrite)'
_PAGES = f"""
define internal void @enzyme.rt.pages.ask(ptr captures(none) %block, i64 %size) cold noinline {_ATTRIBUTES} {{
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %ask
ask:
  %page.size = call i32 @getpagesize()
  %page = sext i32 %page.size to i64
  %begin = ptrtoint ptr %block to i64
  %inside = urem i64 %begin, %page
  %first = sub i64 %begin, %inside
  %behind = add i64 %inside, %size
  %more = add i64 %behind, %page
  %longer = sub i64 %more, 1
  %over = urem i64 %longer, %page
  %length = sub i64 %longer, %over
  %at = inttoptr i64 %first to ptr
  %ignored = call i32 @madvise(ptr %at, i64 %length, i32 14)
  br label %done
done:
  ret void
}}
define internal void @enzyme.rt.pages(ptr captures(none) %block, i64 %size) alwaysinline {_ATTRIBUTES} {{
entry:
  %large = icmp uge i64 %size, {LARGE}
  br i1 %large, label %ask, label %done
ask:
  call void @enzyme.rt.pages.ask(ptr %block, i64 %size)
  br label %done
done:
  ret void
}}
define internal void @enzyme.rt.pages.grown(ptr captures(none) %block, i64 %size) alwaysinline {_ATTRIBUTES} {{
entry:
  %large = icmp uge i64 %size, {LARGE_GROWN}
  br i1 %large, label %ask, label %done
ask:
  call void @enzyme.rt.pages.ask(ptr %block, i64 %size)
  br label %done
done:
  ret void
}}
declare i32 @getpagesize()
declare i32 @madvise(ptr, i64, i32)
"""

_CAUGHT = (
    STOP
    + """
define internal void @enzyme.rt.caught(ptr %text) nounwind {
entry:
  %none = icmp eq ptr %text, null
  br i1 %none, label %done, label %bad
bad:
  call void @enzyme.rt.stop(ptr %text)
  unreachable
done:
  ret void
}
"""
)

# Blocks the primal frees live on until the reverse sweep is over: a list of what to free then.
# Bytes the allocator gave a block, which may be more than were asked for.
_USABLE = """
define internal i64 @enzyme.rt.usable(ptr %block) nounwind {
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %ask
ask:
  %size = call i64 @{USABLE}(ptr %block)
  br label %done
done:
  %result = phi i64 [ 0, %entry ], [ %size, %ask ]
  ret i64 %result
}
declare i64 @{USABLE}(ptr)
"""

_ZERO = (
    _USABLE
    + """
define internal void @enzyme.rt.zero(ptr %block) nounwind {
entry:
  %size = call i64 @enzyme.rt.usable(ptr %block)
  call void @llvm.memset.p0.i64(ptr %block, i8 0, i64 %size, i1 false)
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
)

# realloc that leaves the old block alone; for a shadow, with zeros to the end; the copy back; realloc of a tangent.
_MOVE = (
    _USABLE
    + """
define internal noalias ptr @enzyme.rt.move(ptr %old, i64 %size) nounwind {
entry:
  %new = call ptr @malloc(i64 %size)
  %have = call i64 @enzyme.rt.usable(ptr %old)
  %moved = call i64 @llvm.umin.i64(i64 %have, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %moved, i1 false)
  ret ptr %new
}
declare ptr @malloc(i64)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
)

_MOVE_SHADOW = (
    _USABLE
    + """
define internal noalias ptr @enzyme.rt.move.shadow(ptr %old, i64 %size) nounwind {
entry:
  %new = call ptr @malloc(i64 %size)
  %room = call i64 @enzyme.rt.usable(ptr %new)
  call void @llvm.memset.p0.i64(ptr %new, i8 0, i64 %room, i1 false)
  %have = call i64 @enzyme.rt.usable(ptr %old)
  %moved = call i64 @llvm.umin.i64(i64 %have, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %moved, i1 false)
  ret ptr %new
}
declare ptr @malloc(i64)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
)

_MOVE_BACK = (
    _USABLE
    + """
define internal void @enzyme.rt.move.back(ptr %old, ptr %new, i64 %size) nounwind {
entry:
  %have = call i64 @enzyme.rt.usable(ptr %old)
  %moved = call i64 @llvm.umin.i64(i64 %have, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %old, ptr %new, i64 %moved, i1 false)
  ret void
}
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
)

_REALLOC_TANGENT = (
    _USABLE
    + """
define internal ptr @enzyme.rt.realloc.tangent(ptr %old, i64 %size) nounwind {
entry:
  %have = call i64 @enzyme.rt.usable(ptr %old)
  %new = call ptr @realloc(ptr %old, i64 %size)
  %moved = call i64 @llvm.umin.i64(i64 %have, i64 %size)
  %tail = getelementptr i8, ptr %new, i64 %moved
  %rest = sub i64 %size, %moved
  call void @llvm.memset.p0.i64(ptr %tail, i8 0, i64 %rest, i1 false)
  ret ptr %new
}
declare ptr @realloc(ptr, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
)

# What Config.count_tape counts: see tape_count.py.
_TAPE_MOVE = """
@enzyme_tape_now = internal global i64 0
@enzyme_tape_peak = internal global i64 0
define internal void @enzyme.rt.tape.move(i64 %bytes) nounwind {
entry:
  %before = atomicrmw add ptr @enzyme_tape_now, i64 %bytes monotonic
  %now = add i64 %before, %bytes
  %peak = atomicrmw max ptr @enzyme_tape_peak, i64 %now monotonic
  ret void
}
"""

_TAPE_TAKE = (
    _USABLE
    + _TAPE_MOVE
    + """
define internal void @enzyme.rt.tape.take(ptr %block) nounwind {
entry:
  %size = call i64 @enzyme.rt.usable(ptr %block)
  call void @enzyme.rt.tape.move(i64 %size)
  ret void
}
"""
)

_TAPE_GIVE = (
    _USABLE
    + _TAPE_MOVE
    + """
define internal void @enzyme.rt.tape.give(ptr %block) nounwind {
entry:
  %size = call i64 @enzyme.rt.usable(ptr %block)
  %less = sub i64 0, %size
  call void @enzyme.rt.tape.move(i64 %less)
  ret void
}
"""
)

# Where the old block was its own shadow, so is the one that it was moved to.
_REALLOC_AT_RUN_TIME = (
    _REALLOC_TANGENT
    + """
define internal ptr @enzyme.rt.realloc.at_run_time(ptr %old, i64 %size, i1 %inactive, ptr %primal) nounwind {
entry:
  br i1 %inactive, label %moved, label %own
moved:
  ret ptr %primal
own:
  %new = call ptr @enzyme.rt.realloc.tangent(ptr %old, i64 %size)
  ret ptr %new
}
"""
)

_MOVE_AT_RUN_TIME = (
    _MOVE_SHADOW
    + """
define internal ptr @enzyme.rt.move.at_run_time(ptr %old, i64 %size, i1 %inactive, ptr %primal) nounwind {
entry:
  br i1 %inactive, label %moved, label %own
moved:
  ret ptr %primal
own:
  %new = call ptr @enzyme.rt.move.shadow(ptr %old, i64 %size)
  ret ptr %new
}
"""
)

_FIXED = {
    "used": USED,
    "used.called": USED_IN_CALLS,
    "tape.move": _TAPE_MOVE,
    "tape.take": _TAPE_TAKE,
    "tape.give": _TAPE_GIVE,
    "based": _BASED,
    "caught": _CAUGHT,
    "pages": _PAGES,
    "scratch": _SCRATCH,
    "unscratch": _UNSCRATCH,
    "check": _CHECK,
    "insist": _INSIST,
    "stop": STOP,
    "led": _LED,
    "whole": _WHOLE,
    "defer": DEFER,
    "defer.one": DEFER_ONE,
    "zero": _ZERO,
    "move": _MOVE,
    "move.shadow": _MOVE_SHADOW,
    "move.back": _MOVE_BACK,
    "move.at_run_time": _MOVE_AT_RUN_TIME,
    "realloc.tangent": _REALLOC_TANGENT,
    "realloc.at_run_time": _REALLOC_AT_RUN_TIME,
}

# The adjoint of a copy of n numbers: what the copy received goes to where it came from, and is cleared. A struct may be
# assigned to itself, and only then do the two overlap: nothing is done, so that "noalias" holds for what is.
_ACCUMULATE = """
define internal void @enzyme.rt.accumulate.{T}(ptr noalias %to, ptr noalias %from, i64 %count) nounwind alwaysinline {{
entry:
  %empty = icmp eq i64 %count, 0
  %same = icmp eq ptr %to, %from
  %none = or i1 %empty, %same
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds {T}, ptr %to, i64 %i
  %source = getelementptr inbounds {T}, ptr %from, i64 %i
  %adjoint = load {T}, ptr %at, align {A}
  store {T} {Z}, ptr %at, align {A}
  %old = load {T}, ptr %source, align {A}
  %sum = fadd {T} %old, %adjoint
  store {T} %sum, ptr %source, align {A}
  %next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %next, %count
  br i1 %end, label %done, label %loop
done:
  ret void
}}
"""

# The same for ranges that may overlap (memmove): each element is read before the sums reach it.
_ACCUMULATE_MOVE = """
define internal void @enzyme.rt.accumulatemove.{T}(ptr %to, ptr %from, i64 %count) nounwind {{
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %which
which:
  %up = icmp uge ptr %to, %from
  %last = sub i64 %count, 1
  %begin = select i1 %up, i64 0, i64 %last
  %step = select i1 %up, i64 1, i64 -1
  br label %loop
loop:
  %n = phi i64 [ 0, %which ], [ %n.next, %loop ]
  %i = phi i64 [ %begin, %which ], [ %i.next, %loop ]
  %at = getelementptr inbounds {T}, ptr %to, i64 %i
  %source = getelementptr inbounds {T}, ptr %from, i64 %i
  %adjoint = load {T}, ptr %at, align {A}
  store {T} {Z}, ptr %at, align {A}
  %old = load {T}, ptr %source, align {A}
  %sum = fadd {T} %old, %adjoint
  store {T} %sum, ptr %source, align {A}
  %n.next = add nuw nsw i64 %n, 1
  %i.next = add nsw i64 %i, %step
  %end = icmp eq i64 %n.next, %count
  br i1 %end, label %done, label %loop
done:
  ret void
}}
"""

ZEROS = {
    "float": "0.0",
    "double": "0.0",
    "half": "0xH0000",
    "bfloat": "0xR0000",
    "x86_fp80": "0xK" + "0" * 20,
    "fp128": "0xL" + "0" * 32,
}


def runtime_text(name: str, triple: str = "") -> str:
    """The IR text that defines ``enzyme.rt.<name>`` for a target."""
    if name in _FIXED:
        size = "malloc_size" if "apple" in triple else "_msize" if "windows" in triple else "malloc_usable_size"
        return _FIXED[name].replace("{USABLE}", size)
    kind, _, type = name.partition(".")
    if kind in GROWING:
        return GROWING[kind](type)
    if kind in CHOSEN:
        return CHOSEN[kind](type)
    template = {"accumulate": _ACCUMULATE, "accumulatemove": _ACCUMULATE_MOVE}[kind]
    return template.format(T=type, A=1, Z=ZEROS[type])
