"""Functions in IR that give memory to the threads of a warp of a GPU that are at one place (tape_threads.py).

What gives a block says where it begins, the thread's number among those that share it, how many these are, and how many
bytes each of them has: as many as that one asked for that needs most.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from zlib import crc32

from enzyme.gradient.runtime_arrays import LEAST_ROOM
from enzyme.gradient.runtime_gpu import ROOM, halved_text, joined

_SHARE = "{ ptr, i64, i64, i64 }"
_INLINE = "convergent nounwind alwaysinline"
_HEADER = 32
"""Bytes in front of a block: what the allocator gave, and how many threads still hold it."""
_ALIGNED = 128

TAKE = joined(
    [
        ROOM,
        halved_text("idx"),
        f"""
define internal {_SHARE} @enzyme.rt.take(i64 %size, i32 %kind) convergent noinline nounwind {{
entry:
  %here = call i32 @llvm.nvvm.activemask()
  %active = call i32 @llvm.nvvm.match.any.sync.i32(i32 %here, i32 %kind)
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %first = call i32 @llvm.cttz.i32(i32 %active, i1 true)
  %many.short = call i32 @llvm.ctpop.i32(i32 %active)
  %many = zext i32 %many.short to i64
  %mine.bit = shl i32 1, %lane
  %below = sub i32 %mine.bit, 1
  %before = and i32 %active, %below
  %rank.short = call i32 @llvm.ctpop.i32(i32 %before)
  %rank = zext i32 %rank.short to i64
  %up = add i64 %size, 15
  %parts.wide = lshr i64 %up, 4
  %parts = trunc i64 %parts.wide to i32
  br label %look
look:
  %rest = phi i32 [ %active, %entry ], [ %fewer, %look ]
  %most = phi i32 [ 0, %entry ], [ %more, %look ]
  %from = call i32 @llvm.cttz.i32(i32 %rest, i1 true)
  %other = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %active, i32 %parts, i32 %from, i32 31)
  %more = call i32 @llvm.umax.i32(i32 %most, i32 %other)
  %lower = sub i32 %rest, 1
  %fewer = and i32 %rest, %lower
  %looked = icmp eq i32 %fewer, 0
  br i1 %looked, label %found, label %look
found:
  %most.wide = zext i32 %more to i64
  %each = shl i64 %most.wide, 4
  %asks = icmp eq i32 %lane, %first
  br i1 %asks, label %ask, label %told
ask:
  %together = mul i64 %each, %many
  %bytes = add i64 %together, {_HEADER + _ALIGNED}
  %raw = call ptr @enzyme.rt.room(i64 %bytes)
  %raw.bits = ptrtoint ptr %raw to i64
  %behind = add i64 %raw.bits, {_HEADER + _ALIGNED - 1}
  %begin.bits = and i64 %behind, -{_ALIGNED}
  %begin = inttoptr i64 %begin.bits to ptr
  %raw.at = getelementptr i8, ptr %begin, i64 -16
  store ptr %raw, ptr %raw.at
  %count.at = getelementptr i8, ptr %begin, i64 -8
  store i32 %many.short, ptr %count.at
  br label %told
told:
  %known = phi i64 [ 0, %found ], [ %begin.bits, %ask ]
  %number = bitcast i64 %known to double
  %of = call double @enzyme.rt.shfl.idx(i32 %active, double %number, i32 %first, i32 31)
  call void @llvm.nvvm.bar.warp.sync(i32 %active)
  %bits = bitcast double %of to i64
  %block = inttoptr i64 %bits to ptr
  %with.block = insertvalue {_SHARE} poison, ptr %block, 0
  %with.rank = insertvalue {_SHARE} %with.block, i64 %rank, 1
  %with.many = insertvalue {_SHARE} %with.rank, i64 %many, 2
  %share = insertvalue {_SHARE} %with.many, i64 %each, 3
  ret {_SHARE} %share
}}
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
""",
    ]
)
"""A block for the threads of the warp that are here for arrays of one kind (:func:`kind_of`)."""

TAKE_NEAR = joined(
    [
        TAKE,
        f"""
define internal {_SHARE} @enzyme.rt.take.near(ptr %room, i64 %have, i64 %size, i32 %kind) {_INLINE} {{
entry:
  %fits = icmp ule i64 %size, %have
  br i1 %fits, label %done, label %far
far:
  %share = call {_SHARE} @enzyme.rt.take(i64 %size, i32 %kind)
  %its.block = extractvalue {_SHARE} %share, 0
  %its.rank = extractvalue {_SHARE} %share, 1
  %its.many = extractvalue {_SHARE} %share, 2
  br label %done
done:
  %block = phi ptr [ %room, %entry ], [ %its.block, %far ]
  %rank = phi i64 [ 0, %entry ], [ %its.rank, %far ]
  %many = phi i64 [ 1, %entry ], [ %its.many, %far ]
  %with.block = insertvalue {_SHARE} poison, ptr %block, 0
  %with.rank = insertvalue {_SHARE} %with.block, i64 %rank, 1
  %with.many = insertvalue {_SHARE} %with.rank, i64 %many, 2
  %near = insertvalue {_SHARE} %with.many, i64 %size, 3
  ret {_SHARE} %near
}}
""",
    ]
)
"""The same, or the thread's own room on its stack, where that is enough."""

GIVE = """
define internal void @enzyme.rt.give(ptr %block) noinline nounwind {
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %some
some:
  %count.at = getelementptr i8, ptr %block, i64 -8
  %held = atomicrmw sub ptr %count.at, i32 1 syncscope("device") acq_rel, align 4
  %last = icmp eq i32 %held, 1
  br i1 %last, label %free, label %done
free:
  %raw.at = getelementptr i8, ptr %block, i64 -16
  %raw = load ptr, ptr %raw.at
  call void @free(ptr %raw)
  br label %done
done:
  ret void
}
declare void @free(ptr)
"""
"""A thread holds a block no longer."""

GIVE_NEAR = joined(
    [
        GIVE,
        """
define internal void @enzyme.rt.give.near(ptr %block, ptr %room) nounwind alwaysinline {
entry:
  %own = icmp eq ptr %block, %room
  br i1 %own, label %done, label %far
far:
  call void @enzyme.rt.give(ptr %block)
  br label %done
done:
  ret void
}
""",
    ]
)

# Arrays of so many bytes an entry have one number of entries, and share a block with those of other threads. The number
# is a multiple of 16, so that each array begins where any entry may.
_GROW = """
define internal void @{NAME}(ptr %room, i64 %need, ptr %spacing.at, ptr %block.at{SLOTS}) {INLINE} {{
entry:
  %now = load i64, ptr %room
  %enough = icmp ule i64 %need, %now
  br i1 %enough, label %done, label %more
more:
  %have = load i64, ptr %room
  %twice = shl i64 %have, 1
  %larger = call i64 @llvm.umax.i64(i64 %twice, i64 %need)
  %least = call i64 @llvm.umax.i64(i64 %larger, i64 {LEAST})
  %up = add i64 %least, 15
  %entries = and i64 %up, -16
  %size = mul i64 %entries, {TOGETHER}
  %share = call {SHARE} @enzyme.rt.take(i64 %size, i32 {KIND})
  %block = extractvalue {SHARE} %share, 0
  %rank = extractvalue {SHARE} %share, 1
  %many = extractvalue {SHARE} %share, 2
  %each = extractvalue {SHARE} %share, 3
  %fit = udiv i64 %each, {TOGETHER}
  %count = and i64 %fit, -16
  %rows = mul i64 %count, %many
  %spacing = load i64, ptr %spacing.at
{BEGIN}  br label %test
test:
  %number = phi i64 [ 0, %more ], [ %next, %copy ]
  %some = icmp ult i64 %number, %have
  br i1 %some, label %copy, label %moved
copy:
  %from = mul i64 %number, %spacing
  %to = mul i64 %number, %many
{COPY}  %next = add i64 %number, 1
  br label %test
moved:
  %before = load ptr, ptr %block.at
  call void @enzyme.rt.give(ptr %before)
  store ptr %block, ptr %block.at
  store i64 %many, ptr %spacing.at
  store i64 %count, ptr %room
{STORE}  br label %done
done:
  ret void
}}
declare i64 @llvm.umax.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
_BEGIN = """  %old.{K} = load ptr, ptr %slot.{K}
  %row.{K} = mul i64 %rows, {BEFORE}
  %place.{K} = mul i64 %rank, {SIZE}
  %begin.{K} = add i64 %row.{K}, %place.{K}
  %new.{K} = getelementptr i8, ptr %block, i64 %begin.{K}
"""
_COPY = """  %from.{K} = mul i64 %from, {SIZE}
  %to.{K} = mul i64 %to, {SIZE}
  %source.{K} = getelementptr i8, ptr %old.{K}, i64 %from.{K}
  %target.{K} = getelementptr i8, ptr %new.{K}, i64 %to.{K}
  call void @llvm.memcpy.p0.p0.i64(ptr align {ALIGN} %target.{K}, ptr align {ALIGN} %source.{K}, i64 {SIZE}, i1 false)
"""
_STORE = "  store ptr %new.{K}, ptr %slot.{K}\n"


def kind_of(sizes: Sequence[int]) -> int:
    """What tells arrays with entries of so many bytes from others: threads that ask at the same time for different
    ones, for different places of a program may ask by one function, would not find room side by side."""
    return sizes[0] if len(sizes) == 1 else crc32(repr(tuple(sizes)).encode()) & 0x7FFFFFFF


def grow_name(sizes: Sequence[int]) -> str:
    """The function that gives more room to arrays with entries of so many bytes."""
    return f"enzyme.rt.grow.threads.{'-'.join(map(str, sizes))}"


def grow_text(sizes: Sequence[int]) -> str:
    """Its text. Arguments: the slot of the number of entries there is room for, the number needed, slots of the spacing
    from one entry of the thread's to its next, of the block, and of each array."""
    before = [0, *accumulate(sizes)]
    each = [{"K": k, "SIZE": size, "BEFORE": before[k], "ALIGN": min(size & -size, 8)} for k, size in enumerate(sizes)]
    grow = _GROW.format(
        NAME=grow_name(sizes),
        SHARE=_SHARE,
        INLINE=_INLINE,
        KIND=kind_of(sizes),
        LEAST=LEAST_ROOM,
        TOGETHER=before[-1],
        SLOTS="".join(f", ptr %slot.{k}" for k in range(len(sizes))),
        BEGIN="".join(_BEGIN.format(**words) for words in each),
        COPY="".join(_COPY.format(**words) for words in each),
        STORE="".join(_STORE.format(**words) for words in each),
    )
    return joined([TAKE, GIVE, grow])
