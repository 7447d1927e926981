"""What many threads do at once to the derivatives of a program for GPUs.

Threads of a kernel run one and the same derivative. What several of them read, a parameter say, gets sums from all of
them: additions to a shadow are atomic, unless the address is known to be, or turns out as the program runs to be, in
memory of the thread's own. All else of a shadow is as exclusive as its primal: where a thread may store without
another one's looking on, it may clear the shadow, too.

Barriers separate what threads of a block do; they separate the same in the reverse sweep, in opposite order. Arrays
that the threads of a block share have shadows there, which all of them clear first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from enzyme.gradient.calls import facts
from enzyme.gradient.shuffles import halved
from enzyme.ir.barriers import is_barrier, waits
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, PointerType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    AtomicRMW,
    CallBase,
    Cast,
    CompareExchange,
    Function,
    GetElementPtr,
    Instruction,
    Value,
)
from enzyme.llvm.block_lists import OF_DERIVATIVE
from enzyme.llvm.kept_blocks import OF_TAPE
from enzyme.rules.scalar import lookup_instruction
from enzyme.support.diagnostics import ActivityError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine
    from enzyme.gradient.primal import PrimalCopy
    from enzyme.gradient.reverse import ReverseSweep

GLOBAL, SHARED, LOCAL = 1, 3, 5
"""Address spaces: memory of all threads, of a block, of one thread. In space 0 are addresses in any of them."""

_ADD = """
define internal void @enzyme.rt.add.{T}(ptr %to, {T} %amount) nounwind alwaysinline {{
entry:
  %own = call i1 @llvm.nvvm.isspacep.local(ptr %to)
  br i1 %own, label %alone, label %together
alone:
  %old = load {T}, ptr %to, align {A}
  %sum = fadd nsz {T} %old, %amount
  store {T} %sum, ptr %to, align {A}
  br label %done
together:
  %before = atomicrmw fadd ptr %to, {T} %amount syncscope("device") monotonic, align {A}
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
entry:
  %own = call i1 @llvm.nvvm.isspacep.local(ptr %to)
  br i1 %own, label %alone, label %together
alone:
  %old = load {T}, ptr %to, align {A}
  %sum = fadd nsz {T} %old, %amount
  store {T} %sum, ptr %to, align {A}
  br label %done
together:
  %active = call i32 @llvm.nvvm.activemask()
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
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
"""

# What another thread of the warp has, by parts of 32 bits.
_FROM_OTHER = {
    "float": """
  %other.{N} = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float {HAS}, i32 {N}, i32 31)
  %total.{N} = fadd nsz float {HAS}, %other.{N}""",
    "double": """
  %bits.{N} = bitcast double {HAS} to i64
  %low.{N} = trunc i64 %bits.{N} to i32
  %above.{N} = lshr i64 %bits.{N}, 32
  %high.{N} = trunc i64 %above.{N} to i32
  %low.of.{N} = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %low.{N}, i32 {N}, i32 31)
  %high.of.{N} = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %high.{N}, i32 {N}, i32 31)
  %wide.low.{N} = zext i32 %low.of.{N} to i64
  %wide.high.{N} = zext i32 %high.of.{N} to i64
  %raised.{N} = shl i64 %wide.high.{N}, 32
  %of.{N} = or i64 %raised.{N}, %wide.low.{N}
  %other.{N} = bitcast i64 %of.{N} to double
  %total.{N} = fadd nsz double {HAS}, %other.{N}""",
}
_MATCHES = 70
"""The first architecture whose threads can ask whether others of their warp have the same."""

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
_ROOM = (
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
_ROOM = _ROOM.replace("{MESSAGE}", _FULL).replace("{LENGTH}", str(len(_FULL) + 1))

_CLEARED = (
    _ROOM
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
    _ROOM
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

_OF_A_BLOCK = re.compile(r"\.(ctaid|ntid|nctaid)\.[xyz]$")
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
    more: dict[str, str] = {}
    if stop in text:
        text, more["stop"] = text.replace(stop, ""), _STOP

    def add(found: re.Match[str]) -> str:
        _, type, place, _, _, amount = found.groups()
        more[type] = add_text(type)
        return f"  call void @enzyme.rt.add.{type}(ptr {place}, {type} {amount})\n"

    def grow(found: re.Match[str]) -> str:
        number, array, size = found.groups()
        more["stop"] = _REGROW
        before = f"  %before.{number} = mul i64 %have, %stride.{number}\n"  # what it had room for
        return f"{before}  %grown.{number} = call ptr @enzyme.rt.regrow(ptr {array}, i64 %before.{number}, i64 {size})"

    text = _GROWN.sub(grow, _SUM.sub(add, text))
    text = _DECLARED.sub("", text)
    if "call ptr @malloc(" in text and "ptr @enzyme.rt.room(i64 %size)" not in text:
        text = text.replace("call ptr @malloc(", "call ptr @enzyme.rt.room(")
        more.setdefault("stop", _ROOM)
        if more["stop"] is _STOP:
            more["stop"] = _ROOM
    return _joined([*more.values(), text])  # what is called stands in front


def _joined(texts: Iterable[str]) -> str:
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
    return _ADD.format(T=type, A={"half": 2, "bfloat": 2, "float": 4}.get(type, 8))


def _add_in_warp_text(type: str) -> str:
    steps, has = "", "%amount"
    for distance in (16, 8, 4, 2, 1):
        steps += _FROM_OTHER[type].format(N=distance, HAS=has)
        has = f"%total.{distance}"
    return _ADD_IN_WARP.format(T=type, A=4 if type == "float" else 8, STEPS=steps)


def is_shared(engine: Engine, pointer: Value) -> bool:
    """Whether other threads may add to the shadow of what a pointer of the program leads to."""
    if not engine.on_gpu:
        return False
    while isinstance(pointer, (GetElementPtr, Cast)):
        pointer = pointer.operands[0]
    return not isinstance(pointer, Alloca)


def add_together(engine: Engine, build: Builder, address: Value, amount: Value, one_place: bool = False) -> None:
    """Add to a number, or to each of a vector, in memory that other threads may add to. ``one_place``: threads next to
    this one are likely to add to the same."""
    type = amount.type
    if isinstance(type, VectorType):
        size = engine.module.datalayout.size_of(type.element)
        for lane in range(type.count):
            add_together(
                engine, build, build.offset(address, lane * size), build.extract_element(amount, lane), one_place
            )
        return
    space = address.type.addrspace if isinstance(address.type, PointerType) else 0
    if space == 0 and one_place and str(type) in _FROM_OTHER:
        build.call(engine.define(f"enzyme.rt.add.warp.{type}", _add_in_warp_text(str(type))), [address, amount])
    elif space == 0:
        build.call(engine.define(f"enzyme.rt.add.{type}", add_text(str(type))), [address, amount])
    elif space == LOCAL:
        align = engine.module.datalayout.abi_align(type)
        build.store(build.fadd(build.load(type, address, align), amount, ("nsz",)), address, align)
    else:
        build.insert(AtomicRMW("fadd", address, amount, _manner(engine, type)))


def _manner(engine: Engine, type: Type) -> str:
    return f'syncscope("device") monotonic, align {engine.module.datalayout.abi_align(type)}'


def is_one_place(sweep: ReverseSweep, pointer: Value) -> bool:
    """Whether the threads of a warp are likely to have the same address: it does not hang on their numbers. A guess,
    which is looked at as the program runs."""
    known = _architecture(sweep.engine, sweep.subject.function)
    return known >= _MATCHES and _hangs_on_none(pointer, set())


def _architecture(engine: Engine, function: Function) -> int:
    """70 for sm_70; 0 where nothing says what the program is for."""
    words = (engine.config.cpu, *engine.module.fn_attributes(function))
    found = next((m for word in words if (m := re.fullmatch(r'(?:"target-cpu"=")?sm_(\d+)[af]?"?', word))), None)
    return int(found[1]) if found is not None else 0


def _hangs_on_none(value: Value, seen: set[Value]) -> bool:
    if not isinstance(value, Instruction) or value in seen:
        return True
    seen.add(value)
    if isinstance(value, CallBase):
        name = value.callee_name or ""
        return name.startswith("llvm.nvvm.read.ptx.sreg.") and _OF_A_BLOCK.search(name) is not None
    if isinstance(value, (AtomicRMW, CompareExchange)):
        return False
    return all(_hangs_on_none(each, seen) for each in value.operands)


def finish(engine: Engine) -> None:
    """What has been made calls what a GPU has: doubles are handed on in halves, and blocks of derivatives come from
    functions that say so where the GPU's heap has no room; it has no ``calloc``."""
    if not engine.on_gpu:
        return
    halved(engine, engine.made)
    texts = {"malloc": ("enzyme.rt.room", _ROOM), "calloc": ("enzyme.rt.cleared", _CLEARED)}
    for function in list(engine.made):
        for inst in list(function.instructions()) if not (function.name or "").startswith("enzyme.rt.") else ():
            name = inst.callee_name if isinstance(inst, CallBase) else None
            if name == "calloc" or (name == "malloc" and {OF_TAPE, OF_DERIVATIVE} & set(inst.attrs)):  # type: ignore[attr-defined]
                inst.callee = engine.define(*texts[name])  # type: ignore[attr-defined]


def clear_shared(engine: Engine, build: Builder, copy: PrimalCopy, names: frozenset[str]) -> None:
    """After the shadows of arrays that the threads of a block share have been cleared, all threads wait. A shadow that
    all blocks share cannot be cleared by a derivative that each thread begins when it likes."""
    alone = next((name for name in sorted(names & engine.globals.twinned) if not _is_of_block(engine, name)), None)
    if engine.on_gpu and alone is not None and not copy.request.nested:
        raise copy.subject.refuse(
            None,
            f"global variable '{alone}' is used with active data by all threads",
            "nobody says when its shadow is zero: each thread begins its derivative when it likes",
            "pass it as an argument with a shadow, or name its shadow, which the program clears: "
            f"void *__enzyme_register_shadow_{alone}[] = {{&{alone}, &its_shadow}};",
            ActivityError,
        )
    shared = [name for name in sorted(names) if _is_of_block(engine, name)]
    if not engine.on_gpu or not shared:
        return
    barrier = next((inst for inst in copy.subject.function.instructions() if waits(inst)), None)
    if barrier is None:
        raise copy.subject.refuse(
            None,
            f"threads share '{shared[0]}', and the function that is differentiated has no barrier",
            "the shadow of what threads share is cleared by all of them, and they have to wait for one another then",
            "differentiate the function with the barriers (__syncthreads), not a part of it",
        )
    assert isinstance(barrier, CallBase)
    again(build, barrier, barrier.args)


def _is_of_block(engine: Engine, name: str) -> bool:
    variable = engine.module.globals.get(name)
    return variable is not None and isinstance(variable.type, PointerType) and variable.type.addrspace == SHARED


def again(build: Builder, barrier: CallBase, args: list[Value]) -> None:
    """The same barrier, here."""
    made = build.call(barrier.callee, args)
    assert isinstance(made, CallBase)
    made.attrs = tuple(dict.fromkeys((*made.attrs, "convergent")))


def refuse_inner_barriers(sweep: ReverseSweep, call: CallBase) -> None:
    """Refuse a call of a function with barriers, whose caller cannot see what other threads may have changed."""
    callee = call.callee
    if sweep.engine.on_gpu and isinstance(callee, Function) and callee in _with_barriers(sweep.engine.module):
        raise sweep.subject.refuse(
            call,
            f"cannot differentiate a call to '{callee.name}', in which threads wait for one another",
            "what other threads change there is followed in the function that is differentiated only",
            "let the compiler inline it (-O1 or more, __forceinline__)",
        )


def refuse_unknown_waits(sweep: ReverseSweep, call: CallBase) -> None:
    """Refuse a call of which nobody knows that threads do not wait there: in the reverse sweep they would not."""
    if sweep.engine.on_gpu and _is_unknown(sweep.engine.module, call):
        name = call.callee_name
        raise sweep.subject.refuse(
            call,
            f"threads may wait for one another in {f'a call to {name!r}' if name else 'inline assembly'}",
            "it is marked convergent, and what it does is not known: nothing can do the same in the reverse sweep",
            "use __syncthreads or __syncwarp, or declare the function inactive where threads do not wait: "
            "void *__enzyme_inactivefn[] = {(void *)f};",
        )


def _is_unknown(module: Module, call: CallBase) -> bool:
    """Whether it is not known what a call does, and threads may wait for one another there."""
    callee = call.callee
    if isinstance(callee, Function) and not callee.is_declaration:
        return False
    words = module.fn_attributes(call)
    silent = "noreturn" in words or '"enzyme_inactive"' in words or "nosync" in words
    known = facts(call) is not None or lookup_instruction(call) is not None
    return not silent and not known and ("convergent" in words or call.callee_name is None)


def _with_barriers(module: Module) -> frozenset[Function]:
    """The functions in which threads wait, and those that call them."""

    def waits_there(inst: Instruction) -> bool:
        return is_barrier(inst) or (isinstance(inst, CallBase) and _is_unknown(module, inst))

    held = {f for f in module.functions.values() if any(map(waits_there, f.instructions()))}
    more = True
    while more:
        more = False
        for function in module.functions.values():
            calls = (inst.callee for inst in function.instructions() if isinstance(inst, CallBase))
            if function not in held and any(callee in held for callee in calls):
                held.add(function)
                more = True
    return frozenset(held)


def is_atomic_sum(engine: Engine, inst: Instruction) -> bool:
    """Whether an instruction adds a number to one in memory that other threads may add to."""
    return (
        engine.on_gpu
        and isinstance(inst, AtomicRMW)
        and inst.operation in ("fadd", "fsub")
        and isinstance(inst.type, FloatType)
    )
