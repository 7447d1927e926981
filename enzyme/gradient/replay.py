"""Calls that are made again in the reverse sweep, in place of a tape: the combined derivative runs both ways there.

The forward sweep makes the plain call. That is right where to run the function again, when the reverse sweep comes to
the call, gives what it gave and does no harm: it has no effects beside its result and memory that is scratch, it reads
scratch only where it has written it before, and nothing overwrites what else it reads. What is written is scratch when
it is a local of this function or a block that it allocates, and its address is given to nobody.

The functions are those that the engine has made of the bodies of loops (:mod:`enzyme.gradient.iterations`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.covered import CoveredReads
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.memory_objects import MemoryObject
from enzyme.analysis.modref import FunctionSummary
from enzyme.analysis.pointer_alias import MemoryLocation
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.deferred import freed_position
from enzyme.gradient.primal import REPLAYED, PrimalCopy, is_dropped, is_static_alloca
from enzyme.gradient.subject import Subject
from enzyme.gradient.whole_blocks import WRITTEN_FIRST, fills_block
from enzyme.ir.types import DOUBLE, PTR, Type
from enzyme.ir.values import (
    Alloca,
    AtomicRMW,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    CompareExchange,
    ConstantInt,
    ExtractElement,
    Fence,
    Freeze,
    Function,
    GetElementPtr,
    InsertElement,
    Instruction,
    Invoke,
    Load,
    OtherInstruction,
    Phi,
    Select,
    ShuffleVector,
    Store,
    UnaryOp,
    Value,
    zero,
)
from enzyme.rules.known import known_call, known_callee
from enzyme.rules.scalar import lookup_instruction

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_HARMLESS = (
    Phi, Load, Alloca, BinaryOp, UnaryOp, Cast, Compare, Select, GetElementPtr, Freeze, ExtractElement, InsertElement,
    ShuffleVector,
)  # fmt: skip
ARRAY = '"enzyme_array"'
"""The attribute of pointers to arrays that the loop around goes through, which no single number is."""
_OF_ARRAY = 8
"""Bytes that such an array has at least."""
AT_ONCE = "enzyme_at_once"
"""The attribute of functions that are to be reversed at once, in the forward sweep (at_once.py), if calls of them are
not to be replayed."""


def is_marked(subject: Subject, callee: Function) -> bool:
    """Whether calls of a function are to be replayed."""
    return f'"{REPLAYED}"' in subject.module.fn_attributes(callee)


def is_for_once(subject: Subject, callee: Function) -> bool:
    """Whether calls of a function are to be reversed at once, and not replayed."""
    return f'"{AT_ONCE}"' in subject.module.fn_attributes(callee)


def why_not(engine: Engine, copy: PrimalCopy, inst: CallBase, callee: Function) -> str:
    """Why a call cannot be made again in the reverse sweep; "" if it can."""
    subject = copy.subject
    inside = why_effects(engine, callee, subject.function)
    if inside:
        return inside
    summary = engine.effects_of(callee)
    assert summary is not None
    others = _changing(engine, summary)
    if others and (copy.request.mode == "split" or _visible_writes_behind(subject, inst)):
        return f"it reads {others}, which may be overwritten"
    written = [i for i in sorted(summary.writes_args) if i < len(inst.args)]
    for position in written:
        found = why_not_scratch(engine, copy, inst, callee, position)
        if found:
            return found
    for position in sorted(summary.reads_args - summary.writes_args):
        if position >= len(inst.args):
            return "it takes a variable number of arguments"
        pointer = inst.args[position]
        type = _read_as(engine, callee, position)
        place = MemoryLocation(pointer, extent(inst, position), None, inst, whole=True, type=type)
        changed = subject.overwrites(place, copy.puts_off)[0] or copy.unstable_reason_of(pointer)
        if changed:
            return f"what {_shown(callee, position)} points to may be overwritten: {changed}"
    return ""


def why_effects(engine: Engine, callee: Function, caller: Function) -> str:
    """What a function does beside reading memory, writing to what it is given and returning a number."""
    if callee.result_type.is_pointer or callee.function_type.vararg:
        return f"'{callee.name}' returns a pointer or takes a variable number of arguments"
    summary = engine.effects_of(callee)
    if summary is None:
        return f"'{callee.name}' may be replaced when the program is linked"
    if summary.writes_other or summary.writes_globals:
        return "it writes memory that it is not given"
    if summary.frees_args or summary.frees_other:
        return "it frees memory that it did not allocate"
    if summary.captures:
        return "it keeps an address that it is given"
    reached = _reached(callee)
    if any(called is callee or called is caller for at in reached for called in _called(at)):
        return "it may call itself"
    return next((why for at in reached for inst in at.instructions() if (why := why_once(inst, own_blocks=True))), "")


def calls_itself(function: Function) -> bool:
    """Whether a function may run while a call of it has not ended."""
    return any(called is function for at in _reached(function) for called in _called(at))


def _reached(function: Function) -> list[Function]:
    """A function, and those that it calls, directly or through others."""
    found = {function: None}
    work = [function]
    while work:
        new = [called for called in _called(work.pop()) if called not in found]
        found.update(dict.fromkeys(new))
        work += new
    return list(found)


def _called(function: Function) -> Iterator[Function]:
    for inst in function.instructions():
        called = inst.callee if isinstance(inst, CallBase) else None
        if isinstance(called, Function) and not called.is_declaration:
            yield called


def why_once(inst: Instruction, own_blocks: bool = False) -> str:
    """Why an instruction must not be executed a second time; "" where it may. ``own_blocks``: memory that is allocated
    goes to nobody else, and what is freed is of that, so that each time has its own."""
    if isinstance(inst, (Load, Store)):
        if inst.ordering or "volatile" in inst.flags:
            return "it has a volatile or atomic access"
        return "it stores a pointer" if isinstance(inst, Store) and inst.value.type.scalar.is_pointer else ""
    if isinstance(inst, (AtomicRMW, CompareExchange, Fence, Invoke)) or (
        isinstance(inst, OtherInstruction) and not inst.type.is_vector
    ):
        return f"'{inst.opcode}' must not be repeated"
    if not isinstance(inst, CallBase) or is_dropped(inst):
        return ""
    callee = inst.callee
    if isinstance(callee, Function) and not callee.is_declaration:
        return ""
    name = inst.callee_name
    if name is None:
        return "it calls through a pointer"
    if lookup_instruction(inst) is not None or name.startswith(("llvm.memcpy.", "llvm.memset.", "llvm.memmove.")):
        return ""
    known = known_callee(name, inst.callee_type)
    if declares_scope(inst) or (known is not None and (known.effect.none or known.noreturn)):
        return ""
    if known is not None and (known.free is not None or known.allocation is not None):
        return "" if own_blocks else "it allocates or frees memory"
    return f"'{name}' must not be called twice"


def _changing(engine: Engine, summary: FunctionSummary) -> str:
    """Memory that a function reads, is not given, and that may change; "" if there is none."""
    if summary.reads_other:
        return "memory through pointers that it loads"
    variables = [variable for variable in summary.reads_globals if not variable.is_constant]
    return f"the global variable '{variables[0].name}'" if variables else ""


def _read_as(engine: Engine, callee: Function, position: int) -> Type | None:
    """The type of the numbers that a function, with those that it calls, reads of what a parameter points to, where all
    are of one; what is copied from there in pieces of eight bytes counts as doubles."""
    types: set[Type | None] = set()
    seen = {(callee, position)}
    work = [(callee, position)]
    while work:
        function, index = work.pop()
        inner = engine.subject(function.name or "")
        for inst in function.instructions():
            pointers = [inst.pointer] if isinstance(inst, Load) else inst.args if isinstance(inst, CallBase) else []
            for at, pointer in enumerate(pointers):
                if not pointer.type.is_pointer or not inner.alias.points_into(pointer, function.args[index]):
                    continue
                called = inst.callee if isinstance(inst, CallBase) else None
                if isinstance(inst, CallBase) and at == 1 and _copies_eights(inst):
                    types.add(DOUBLE)
                elif not isinstance(called, Function) or called.is_declaration or at >= len(called.args):
                    types.add(inst.type if isinstance(inst, Load) and inst.type.is_float else None)
                elif (called, at) not in seen:
                    seen.add((called, at))
                    work.append((called, at))
    return types.pop() if len(types) == 1 else None


def _copies_eights(call: CallBase) -> bool:
    """Whether a call copies a number of bytes that is a multiple of eight."""
    if not (call.callee_name or "").startswith(("llvm.memcpy.", "llvm.memmove.")):
        return False
    length = call.args[2]
    if isinstance(length, BinaryOp) and length.opcode in ("shl", "mul"):
        factor = length.operands[1]
        shifted = length.opcode == "shl"
        return isinstance(factor, ConstantInt) and (factor.value >= 3 if shifted else factor.value % 8 == 0)
    return isinstance(length, ConstantInt) and length.value % 8 == 0


def _shown(callee: Function, position: int) -> str:
    name = callee.args[position].name
    return f"%{name}" if name else f"argument {position + 1}"


def is_scratch(alias: AliasAnalysis, memory: MemoryObject) -> bool:
    """Whether memory is a local of the function, or a block it allocates, whose address is given to nobody."""
    if isinstance(memory.value, Alloca):
        known = is_static_alloca(memory.value)
    else:
        known = memory.kind == "allocation"
    if not known:
        return False
    given = alias.captures(memory)
    return not given.captured and not given.returned


def why_not_scratch(engine: Engine, copy: PrimalCopy, inst: CallBase, callee: Function, position: int) -> str:
    """Why what a call writes to through an argument is no scratch that it writes before it reads it; "" if it is."""
    return _why_seen(copy, inst, callee, position) or _why_exposed(engine, copy.subject, inst, callee, position)


def is_read_behind(copy: PrimalCopy, call: CallBase, pointer: Value) -> bool:
    """Whether anything that may run after a call, but the call itself, reads what a pointer leads to."""
    subject, place = copy.subject, _whole(pointer, call)
    return any(
        subject.alias.mod_ref(inst, place).may_read
        for inst in runs_behind(subject, call)
        if inst is not call and not _is_dropped_or_frees(inst)
    )


def runs_behind(subject: Subject, inst: Instruction) -> Iterator[Instruction]:
    """What may run after an instruction."""
    cfg = subject.cfg
    assert inst.block is not None
    reach = cfg.reach[cfg.index[inst.block]]
    for block in cfg.blocks:
        reached = reach >> cfg.index[block] & 1
        for other in block.instructions:
            if reached or (block is inst.block and cfg.position(other) > cfg.position(inst)):
                yield other


def _is_dropped_or_frees(inst: Instruction) -> bool:
    return isinstance(inst, CallBase) and (is_dropped(inst) or freed_position(known_call(inst)) is not None)


def _why_seen(copy: PrimalCopy, inst: CallBase, callee: Function, position: int) -> str:
    subject = copy.subject
    objects = subject.alias.underlying_objects(inst.args[position])
    for memory in objects:
        if not is_scratch(subject.alias, memory):
            return f"it writes what {_shown(callee, position)} points to, which is seen elsewhere"
        if copy.request.mode == "split" and isinstance(memory.value, Alloca) and memory.value not in copy.heap_allocas:
            return "stack memory is gone when the reverse sweep runs"
    for writer, _ in subject.alias.overwrites.later_writers(inst):
        if not isinstance(writer, CallBase) or copy.puts_off(writer):
            continue
        freed = freed_position(known_call(writer))
        if freed is not None and objects & subject.alias.underlying_objects(writer.args[freed]):
            return f"what {_shown(callee, position)} points to is freed before the reverse sweep"
    for other, actual in enumerate(inst.args):
        if other != position and actual.type.is_pointer and objects & subject.alias.underlying_objects(actual):
            return f"{_shown(callee, position)} and {_shown(callee, other)} may point into the same memory"
    return ""


def _why_exposed(engine: Engine, subject: Subject, inst: CallBase, callee: Function, position: int) -> str:
    if WRITTEN_FIRST in callee.args[position].attrs:
        return ""
    covered = _covered_reads(engine, callee)
    fills = fills_block(FunctionForms(subject.dominators, subject.loops, covered.layout), inst, position)
    if covered.exposed(callee.args[position], fills) is None:
        return ""
    return f"what it reads of {_shown(callee, position)} may come from an earlier run"


def _covered_reads(engine: Engine, function: Function) -> CoveredReads:
    """What a function reads and has written; it asks the same of what it calls, where that does not call itself."""
    found = engine.covered.get(function)
    if found is None:
        inner = engine.subject(function.name or "")
        found = engine.covered[function] = CoveredReads(
            inner.alias,
            inner.dominators,
            inner.loops,
            inner.module.datalayout,
            lambda called: _covered_reads(engine, called) if not calls_itself(called) else None,
        )
    return found


def _visible_writes_behind(subject: Subject, inst: CallBase) -> bool:
    """Whether anything but scratch may be written from this call on."""
    finder = subject.alias.overwrites
    for writer, accesses in finder.later_writers(inst):
        for access in accesses:
            if access.kind in ("stack", "errno"):
                continue
            if access.location is None or not _is_scratch_pointer(subject, access.location.pointer):
                return True
        assert isinstance(writer, Instruction)
    return False


def _is_scratch_pointer(subject: Subject, pointer: Value) -> bool:
    return pointer.type is PTR and all(is_scratch(subject.alias, m) for m in subject.alias.underlying_objects(pointer))


def drop_unused(engine: Engine, copy: PrimalCopy, calls: list[CallBase], reloaded: Container[Value]) -> None:
    """Take replayed calls whose results nobody asks for out of a combined derivative's forward sweep, where nothing but
    such calls reads the scratch that they write. ``reloaded`` are the loads that the reverse sweep may make again."""
    candidates = {copy.of(call): call for call in calls}
    live = _live(copy.target, candidates)
    for made, call in candidates.items():
        if made in live or not _is_alone(engine, copy, call, live, reloaded, candidates):
            continue
        assert isinstance(made, Instruction)
        if not made.type.is_void:
            made.replace_all_uses_with(zero(made.type))
        made.erase()
        engine.dropped.add((copy.target.name or "", call.callee_name or ""))


def unasked(function: Function) -> frozenset[int]:
    """Parameters of a combined derivative, numbers, of which only its function's own result is made. They need not be
    looked up: any number does, as nothing traps on numbers."""
    live = _live(function, ())
    asked = {operand for inst in live if isinstance(inst, Instruction) for operand in inst.operands}
    return frozenset(a.index for a in function.args if a.type.scalar.is_float and a not in asked)


def _live(function: Function, calls: Container[Value]) -> set[Value]:
    """What a function needs for its effects and its result, if ``calls`` have no effects."""
    live: set[Value] = set()
    work: list[Value] = []
    for inst in function.instructions():
        harmless = isinstance(inst, _HARMLESS)
        known = isinstance(inst, CallBase) and (inst in calls or lookup_instruction(inst) is not None)
        if not (harmless or known) or "volatile" in inst.flags:
            work.append(inst)
    while work:
        value = work.pop()
        if value not in live:
            live.add(value)
            if isinstance(value, Instruction):
                work += [operand for operand in value.operands if isinstance(operand, Instruction)]
    return live


def _is_alone(
    engine: Engine,
    copy: PrimalCopy,
    call: CallBase,
    live: set[Value],
    reloaded: Container[Value],
    candidates: Mapping[Value, CallBase],
) -> bool:
    """Whether nothing that may run after the call reads what it writes. The reverse sweep makes the other calls again
    before this one, so what they only read has to be there; what they write, they write before they read it."""
    subject = copy.subject
    written = [
        a
        for position, a in enumerate(call.args)
        if a.type.is_pointer and subject.alias.mod_ref(call, _whole(a, call, extent(call, position))).may_write
    ]
    if not written:
        return True
    others = set(candidates.values())
    cfg = subject.cfg
    for block in cfg.blocks:
        if not cfg.reach[cfg.index[call.block]] >> cfg.index[block] & 1 and block is not call.block:  # type: ignore[index]
            continue
        for inst in block.instructions:
            twin = copy.values.get(inst)
            if isinstance(inst, CallBase) and inst in others:
                if any(_only_reads(engine, subject, inst, a) for a in written):
                    return False
                continue
            if twin is None or (isinstance(inst, Load) and twin not in live and twin not in reloaded):
                continue
            if _is_dropped_or_frees(inst):
                continue
            if any(subject.alias.mod_ref(inst, _whole(a, inst)).may_read for a in written):
                return False
    return True


def _only_reads(engine: Engine, subject: Subject, call: CallBase, scratch: Value) -> bool:
    """Whether a replayed call reads scratch that it does not write."""
    callee = call.callee
    summary = engine.effects_of(callee) if isinstance(callee, Function) else None
    objects = subject.alias.underlying_objects(scratch)
    return summary is None or any(
        call.args[i].type.is_pointer and objects & subject.alias.underlying_objects(call.args[i])
        for i in summary.reads_args - summary.writes_args
    )


def extent(call: CallBase, position: int) -> int | None:
    """How many bytes an array has at least that a call is given; None where nothing is known."""
    callee = call.callee
    known = isinstance(callee, Function) and position < len(callee.args) and ARRAY in callee.args[position].attrs
    return _OF_ARRAY if known else None


def _whole(pointer: Value, inst: Instruction, size: int | None = None) -> MemoryLocation:
    return MemoryLocation(pointer, size, None, inst, whole=True)
