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

from enzyme.ir.barriers import is_barrier, waits
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, PointerType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    AtomicRMW,
    CallBase,
    Cast,
    Function,
    GetElementPtr,
    GlobalVariable,
    Instruction,
    Value,
)

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

_STOP = """
@enzyme.rt.line = internal constant [4 x i8] c"%s\\0A\\00"
define internal void @enzyme.rt.stop(ptr %message) cold noreturn nounwind {
entry:
  %given = alloca ptr
  store ptr %message, ptr %given
  %written = call i32 @vprintf(ptr @enzyme.rt.line, ptr %given)
  call void @llvm.trap()
  unreachable
}
declare i32 @vprintf(ptr, ptr)
declare void @llvm.trap()
"""

_REGROW = """
define internal ptr @enzyme.rt.regrow(ptr %old, i64 %had, i64 %size) nounwind {
entry:
  %new = call ptr @malloc(i64 %size)
  %none = icmp eq ptr %old, null
  br i1 %none, label %done, label %move
move:
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %had, i1 false)
  call void @free(ptr %old)
  br label %done
done:
  ret ptr %new
}
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

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
        more["regrow"] = _REGROW
        before = f"  %before.{number} = mul i64 %have, %stride.{number}\n"  # what it had room for
        return f"{before}  %grown.{number} = call ptr @enzyme.rt.regrow(ptr {array}, i64 %before.{number}, i64 {size})"

    text = _GROWN.sub(grow, _SUM.sub(add, text))
    if "regrow" in more:
        text = _DECLARED.sub("", text)
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


def is_shared(engine: Engine, pointer: Value) -> bool:
    """Whether other threads may add to the shadow of what a pointer of the program leads to."""
    if not engine.on_gpu:
        return False
    while isinstance(pointer, (GetElementPtr, Cast)):
        pointer = pointer.operands[0]
    return not isinstance(pointer, Alloca)


def add_together(engine: Engine, build: Builder, address: Value, amount: Value) -> None:
    """Add to a number, or to each of a vector, in memory that other threads may add to."""
    type = amount.type
    if isinstance(type, VectorType):
        size = engine.module.datalayout.size_of(type.element)
        for lane in range(type.count):
            add_together(engine, build, build.offset(address, lane * size), build.extract_element(amount, lane))
        return
    space = address.type.addrspace if isinstance(address.type, PointerType) else 0
    if space == 0:
        build.call(engine.define(f"enzyme.rt.add.{type}", add_text(str(type))), [address, amount])
    elif space == LOCAL:
        align = engine.module.datalayout.abi_align(type)
        build.store(build.fadd(build.load(type, address, align), amount, ("nsz",)), address, align)
    else:
        build.insert(AtomicRMW("fadd", address, amount, _manner(engine, type)))


def _manner(engine: Engine, type: Type) -> str:
    return f'syncscope("device") monotonic, align {engine.module.datalayout.abi_align(type)}'


def clear_shared(engine: Engine, build: Builder, copy: PrimalCopy, names: frozenset[str]) -> None:
    """After the shadows of arrays that the threads of a block share have been cleared, all threads wait."""
    shared = [name for name in sorted(names) if is_of_block(engine.module.globals.get(name))]
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


def is_of_block(variable: GlobalVariable | None) -> bool:
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


def _with_barriers(module: Module) -> frozenset[Function]:
    """The functions in which threads wait, and those that call them."""
    held = {f for f in module.functions.values() if any(is_barrier(inst) for inst in f.instructions())}
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
