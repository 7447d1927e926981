"""Functions in IR that derivative code calls on a GPU (threads.py), and those of elsewhere as a GPU has them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BEGIN = """entry:
  %own = call i1 @llvm.nvvm.isspacep.local(ptr %to)
  br i1 %own, label %alone, label %together
alone:
  %old = load {T}, ptr %to, align {A}
  %sum = fadd nsz {T} %old, %amount
  store {T} %sum, ptr %to, align {A}
  br label %done
together:
"""
"""Whether the memory is the thread's own; if so, nobody else adds to it."""
_ADD = """
define internal void @enzyme.rt.add.{T}(ptr %to, {T} %amount) nounwind alwaysinline {{
{BEGIN}  %before = atomicrmw fadd ptr %to, {T} %amount syncscope("device") monotonic, align {A}
  br label %done
done:
  ret void
}}
declare i1 @llvm.nvvm.isspacep.local(ptr)
"""

# The same where all threads of a warp are likely to add to one number: they add up what they have, and one of them adds
# that. Thousands of additions to one place wait for one another.
_ADD_IN_WARP = """
define internal void @enzyme.rt.add.warp.{T}(ptr %to, {T} %amount) convergent nounwind {{
{BEGIN}  %active = call i32 @llvm.nvvm.activemask()
  %whole = icmp eq i32 %active, -1
  br i1 %whole, label %warp, label %each
warp:
  %where = ptrtoint ptr %to to i64
  %match = call {{i32, i1}} @llvm.nvvm.match.all.sync.i64p(i32 -1, i64 %where)
  %same = extractvalue {{i32, i1}} %match, 1
  br i1 %same, label %up, label %each
up:
{STEPS}
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %one, label %done
one:
  %before.one = atomicrmw fadd ptr %to, {T} %total.1 syncscope("device") monotonic, align {A}
  br label %done
each:
  %before.each = atomicrmw fadd ptr %to, {T} %amount syncscope("device") monotonic, align {A}
  br label %done
done:
  ret void
}}
declare i1 @llvm.nvvm.isspacep.local(ptr)
declare i32 @llvm.nvvm.activemask()
declare {{i32, i1}} @llvm.nvvm.match.all.sync.i64p(i32, i64)
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
"""

# A double that a thread of a warp takes from another one, in two halves: the processor has that for 32 bits.
_HALVED = """
define internal double @enzyme.rt.shfl.{MODE}(i32 %mask, double %number, i32 %lane, i32 %last) convergent nounwind {{
entry:
  %bits = bitcast double %number to i64
  %low = trunc i64 %bits to i32
  %above = lshr i64 %bits, 32
  %high = trunc i64 %above to i32
  %low.of = call i32 @llvm.nvvm.shfl.sync.{MODE}.i32(i32 %mask, i32 %low, i32 %lane, i32 %last)
  %high.of = call i32 @llvm.nvvm.shfl.sync.{MODE}.i32(i32 %mask, i32 %high, i32 %lane, i32 %last)
  %wide.low = zext i32 %low.of to i64
  %wide.high = zext i32 %high.of to i64
  %raised = shl i64 %wide.high, 32
  %of = or i64 %raised, %wide.low
  %other = bitcast i64 %of to double
  ret double %other
}}
declare i32 @llvm.nvvm.shfl.sync.{MODE}.i32(i32, i32, i32, i32)
"""

_FROM_OTHER = {"float": "llvm.nvvm.shfl.sync.bfly.f32", "double": "enzyme.rt.shfl.bfly"}
"""What takes a number from the thread across."""
ADDED_IN_WARPS = tuple(_FROM_OTHER)

_STOP = """
@enzyme.rt.file = internal constant [7 x i8] c"enzyme\\00"
@enzyme.rt.derivative = internal constant [13 x i8] c"a derivative\\00"
define internal void @enzyme.rt.stop(ptr %message) cold noreturn nounwind {
entry:
  call void @__assertfail(ptr %message, ptr @enzyme.rt.file, i32 0, ptr @enzyme.rt.derivative, i64 1)
  unreachable
}
declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn
"""

# A GPU's heap is small until the program asks for more, and then malloc returns null.
ROOM = (
    _STOP
    + """
@enzyme.rt.room.message = internal constant [{LENGTH} x i8] c"{MESSAGE}\\00"
define internal noalias ptr @enzyme.rt.room(i64 %size) nounwind {
entry:
  %block = call ptr @malloc(i64 %size)
  %none = icmp eq ptr %block, null
  %some = icmp ne i64 %size, 0
  %lost = and i1 %none, %some
  br i1 %lost, label %bad, label %done
bad:
  call void @enzyme.rt.stop(ptr @enzyme.rt.room.message)
  unreachable
done:
  ret ptr %block
}
declare ptr @malloc(i64)
"""
)
_FULL = "enzyme: the tape does not fit into the GPU's heap: raise cudaLimitMallocHeapSize, or launch fewer threads"
ROOM = ROOM.replace("{MESSAGE}", _FULL).replace("{LENGTH}", str(len(_FULL) + 1))

CLEARED = (
    ROOM
    + """
define internal noalias ptr @enzyme.rt.cleared(i64 %count, i64 %each) nounwind {
entry:
  %size = mul i64 %count, %each
  %block = call ptr @enzyme.rt.room(i64 %size)
  call void @llvm.memset.p0.i64(ptr %block, i8 0, i64 %size, i1 false)
  ret ptr %block
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
)

_REGROW = (
    ROOM
    + """
define internal ptr @enzyme.rt.regrow(ptr %old, i64 %had, i64 %size) nounwind {
entry:
  %new = call ptr @enzyme.rt.room(i64 %size)
  %none = icmp eq ptr %old, null
  br i1 %none, label %done, label %move
move:
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %had, i1 false)
  call void @free(ptr %old)
  br label %done
done:
  ret ptr %new
}
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
)

_NAME = r"%[\w.]+"
_SUM = re.compile(
    rf"  ({_NAME}) = load (\w+), ptr ({_NAME}), align (\d+)\n"
    rf"  ({_NAME}) = fadd \2 \1, ({_NAME})\n"
    rf"  store \2 \5, ptr \3, align \4\n"
)
_GROWN = re.compile(rf"  %grown\.(\d+) = call ptr @realloc\(ptr ({_NAME}), i64 ({_NAME})\)[^\n]*")
_DECLARED = re.compile(r"declare ptr @realloc\(ptr, i64\)\n")


def for_gpu(text: str, stop: str) -> str:
    """A function of the runtime (IR text) as GPUs have it: they have no ``realloc`` and no files, and sums are those of
    many threads. ``stop`` is the text of what ends a program elsewhere."""
    sums: dict[str, str] = {}

    def add(found: re.Match[str]) -> str:
        _, type, place, _, _, amount = found.groups()
        sums[type] = add_text(type)
        return f"  call void @enzyme.rt.add.{type}(ptr {place}, {type} {amount})\n"

    def grow(found: re.Match[str]) -> str:
        number, array, size = found.groups()
        before = f"  %before.{number} = mul i64 %have, %stride.{number}\n"  # what it had room for
        return f"{before}  %grown.{number} = call ptr @enzyme.rt.regrow(ptr {array}, i64 %before.{number}, i64 {size})"

    stops, text = stop in text, _SUM.sub(add, text.replace(stop, ""))
    text, grown = _GROWN.subn(grow, _DECLARED.sub("", text))
    allocates = "call ptr @malloc(" in text and "ptr @enzyme.rt.room(i64 %size)" not in text
    if allocates:
        text = text.replace("call ptr @malloc(", "call ptr @enzyme.rt.room(")
    needed = _REGROW if grown else ROOM if allocates else _STOP if stops else ""  # each has the next in it
    return joined([needed, *sums.values(), text])  # what is called stands in front


def joined(texts: Iterable[str]) -> str:
    """Texts of modules as one, in which each declaration stands once, and none of what is defined."""
    lines = "\n".join(texts).split("\n")
    defined = {found[1] for line in lines if (found := re.match(r"define .*?@([\w.]+)\(", line))}
    seen: set[str] = set()
    kept = []
    for line in lines:
        declared = re.match(r"declare .*?@([\w.]+)\(", line)
        if declared is not None:
            if declared[1] in seen | defined:
                continue
            seen.add(declared[1])
        kept.append(line)
    return "\n".join(kept)


def add_text(type: str) -> str:
    """The function that adds a number of a type to one in memory that other threads may add to."""
    return _ADD.replace("{BEGIN}", _BEGIN).format(T=type, A={"half": 2, "bfloat": 2, "float": 4}.get(type, 8))


def halved_text(mode: str) -> str:
    """The function that hands a double on."""
    return _HALVED.format(MODE=mode)


def add_in_warp_text(type: str) -> str:
    """The function that adds a number of a type to one that all threads of a warp are likely to add to."""
    steps, has = [], "%amount"
    for distance in (16, 8, 4, 2, 1):
        other = f"%other.{distance} = call {type} @{_FROM_OTHER[type]}(i32 -1, {type} {has}, i32 {distance}, i32 31)"
        steps += [f"  {other}", f"  %total.{distance} = fadd nsz {type} {has}, %other.{distance}"]
        has = f"%total.{distance}"
    text = _ADD_IN_WARP.replace("{BEGIN}", _BEGIN).format(T=type, A=4 if type == "float" else 8, STEPS="\n".join(steps))
    return halved_text("bfly") + text if type == "double" else text
