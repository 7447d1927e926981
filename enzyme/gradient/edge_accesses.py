"""What a loop reads and stores for iterations that are run again, in memory that is seen elsewhere.

The body of a loop that becomes a function (iterations.py) may run again only if that changes nothing but scratch, and
reads nothing that has been overwritten since. A loop that stores a result for each element does the first,
``y[i] = f(x[i])``, and where ``y`` may be ``x``, or is, the second too. But such a result is stored once in each
iteration, where the counter says, and nothing more is done with it there: it can be handed to the loop, which stores it
when the iteration has ended. So can a number that is read there be read by the loop before the iteration begins: it is
handed on, and kept by itself, in place of all that is made of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import MemoryLocation
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.replay import is_scratch
from enzyme.ir.types import FloatType, IntType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)
from enzyme.rules.scalar import lookup_instruction

_DEPTH = 6
_DIVISIONS = ("udiv", "sdiv", "urem", "srem")
_MOST = 16
"""Loads, and stores, of one loop that it takes: each becomes a parameter or a result of the function."""
_LONGEST = 128
"""Bytes of a copy."""


@dataclass(frozen=True)
class EdgeAccesses:
    """``first``: what the loop reads before each iteration; ``last``: what it stores behind it, or copies from a local
    array of a few numbers. Both in the order of the program."""

    first: tuple[Load, ...] = ()
    last: tuple[Instruction, ...] = ()


def edge_accesses(alias: AliasAnalysis, loop: Loop) -> EdgeAccesses:
    """What a loop whose iterations end at one place (:func:`iterations.why_no_iteration`) can read before each of them,
    where it may be overwritten later, and store behind it."""
    mine = alias.pointers.forest.loop_of(loop.header)
    assert mine is not None and mine.header is loop.header
    loop = mine
    every = [inst for block in loop.order for inst in block.instructions]
    touching = [i for i in every if not is_dropped(i) and (alias.effect(i).reads or alias.effect(i).writes)]
    stores = [inst for inst in touching if _is_result(alias, loop, inst)]
    last: list[Instruction] = []
    for store in reversed(stores[-_MOST:]):
        behind = [i for i in _behind(alias, loop, store, touching) if i not in last]
        if all(_returns(inst) and not _meets(alias, inst, store) for inst in behind):
            last.insert(0, store)
    loads = [inst for inst in touching if isinstance(inst, Load) and _is_at_edge(alias, loop, inst, inst.type)]
    first = [load for load in loads[:_MOST] if _may_change(alias, load) and _is_early(alias, loop, load, touching)]
    return EdgeAccesses(tuple(first), tuple(last))


def is_plain(loop: Loop, value: Value, depth: int = _DEPTH) -> bool:
    """Whether a value is made of header phis and what is there before the loop, by a little integer arithmetic."""
    if not isinstance(value, Instruction) or value.block not in loop.blocks:
        return True
    if isinstance(value, Phi):
        return value.block is loop.header and not value.type.scalar.is_float
    if depth == 0 or value.opcode in _DIVISIONS or value.type.scalar.is_float:
        return False
    if not isinstance(value, (BinaryOp, Cast, Compare, GetElementPtr)):
        return False
    return all(is_plain(loop, operand, depth - 1) for operand in value.operands)


def is_copy_of_scratch(alias: AliasAnalysis, inst: Instruction) -> bool:
    """Whether an instruction copies a few numbers from a local array of the function."""
    if not isinstance(inst, CallBase) or not (inst.callee_name or "").startswith("llvm.memcpy."):
        return False
    length, volatile = inst.args[2:4]
    if not isinstance(length, ConstantInt) or length.value > _LONGEST or volatile.value:  # type: ignore[attr-defined]
        return False
    source = inst.args[1]
    return isinstance(source, Alloca) and all(is_scratch(alias, each) for each in alias.underlying_objects(source))


def _is_result(alias: AliasAnalysis, loop: Loop, inst: Instruction) -> bool:
    """Whether an instruction stores a result, or several, once in each iteration, where the counter says."""
    if isinstance(inst, Store):
        return _is_at_edge(alias, loop, inst, inst.value.type)
    return (
        isinstance(inst, CallBase)
        and is_copy_of_scratch(alias, inst)
        and _is_met(alias, loop, inst)
        and is_plain(loop, inst.args[0])
    )


def _is_at_edge(alias: AliasAnalysis, loop: Loop, inst: Load | Store, type: Type) -> bool:
    """Whether an access is made once in each iteration, of a number, where the counter says."""
    if inst.ordering or "volatile" in inst.flags or not isinstance(type, (FloatType, IntType, VectorType)):
        return False
    return not type.scalar.is_pointer and _is_met(alias, loop, inst) and is_plain(loop, inst.pointer)


def _is_met(alias: AliasAnalysis, loop: Loop, inst: Instruction) -> bool:
    """Whether each iteration comes to an instruction once."""
    assert inst.block is not None and loop.latch is not None and loop.forest is not None
    return loop.forest.loop_of(inst.block) is loop and alias.pointers.domtree.dominates(inst.block, loop.latch)


def _behind(alias: AliasAnalysis, loop: Loop, inst: Instruction, others: list[Instruction]) -> Iterator[Instruction]:
    """Which of ``others`` may run after an instruction in the same iteration."""
    return (each for each in others if each is not inst and alias.overwrites.may_follow(loop, inst, each))


def _may_change(alias: AliasAnalysis, load: Load) -> bool:
    """Whether anything of the array that is read may be overwritten later: an iteration that reads of it otherwise is
    given all of it."""
    whole = MemoryLocation(load.pointer, None, None, load, whole=True)
    return not alias.overwrite_proof(whole).ok


def _is_early(alias: AliasAnalysis, loop: Loop, load: Load, touching: list[Instruction]) -> bool:
    """Whether a load finds the same at the beginning of its iteration."""
    place = alias.location(load)
    before = (inst for inst in touching if inst is not load and alias.overwrites.may_follow(loop, inst, load))
    return all(_returns(inst) and not alias.mod_ref(inst, place).may_write for inst in before)


def _returns(inst: Instruction) -> bool:
    """Whether what stands behind an instruction is always reached, and nothing outside looks at memory meanwhile."""
    if not isinstance(inst, CallBase) or lookup_instruction(inst) is not None:
        return True
    return (inst.callee_name or "").startswith("llvm.")


def _meets(alias: AliasAnalysis, inst: Instruction, store: Instruction) -> bool:
    """Whether an instruction touches what a store writes, or writes what a copy reads."""
    effect = alias.effect(store)
    for access in (*effect.writes, *effect.reads):
        if access.location is None:
            return True
        touched = alias.mod_ref(inst, access.location)
        if touched.may_write or (touched.may_read and access in effect.writes):
            return True
    return False
