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
from typing import TYPE_CHECKING

from enzyme.gradient.calls import facts
from enzyme.gradient.runtime_gpu import ADDED_IN_WARPS, CLEARED, ROOM, add_in_warp_text, add_text
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

SHARED, LOCAL = 3, 5
"""Address spaces: memory of a block, of one thread. In space 0 are addresses in any."""
_MATCHES = 70
"""The first architecture whose threads can ask whether others of their warp have the same."""
_OF_A_BLOCK = re.compile(r"\.(ctaid|ntid|nctaid)\.[xyz]$")


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
    if space == 0 and one_place and str(type) in ADDED_IN_WARPS:
        build.call(engine.define(f"enzyme.rt.add.warp.{type}", add_in_warp_text(str(type))), [address, amount])
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
    known = architecture(sweep.engine, sweep.subject.function)
    return known >= _MATCHES and _hangs_on_none(pointer, set())


def architecture(engine: Engine, function: Function) -> int:
    """What a function is for: 70 for sm_70; 0 where nothing says what the program is for."""
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
    texts = {"malloc": ("enzyme.rt.room", ROOM), "calloc": ("enzyme.rt.cleared", CLEARED)}
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
    if sweep.engine.on_gpu and isinstance(callee, Function) and callee in sweep.engine.with_barriers:
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


def functions_with_barriers(module: Module) -> frozenset[Function]:
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
