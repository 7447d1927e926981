"""What a loop reads and stores for iterations that are run again, in memory that is seen elsewhere.

The body of a loop that becomes a function (iterations.py) may run again only if that changes nothing but scratch, and
reads nothing that has been overwritten since. A loop that stores a result for each element does the first,
``y[i] = f(x[i])``, and where ``y`` may be ``x``, or is, the second too. But such a result is stored once in each
iteration, where the counter says, and nothing more is done with it there: it can be handed to the loop, which stores it
when the iteration has ended. So can a number that is read there be read by the loop before the iteration begins: it is
handed on, and kept by itself, in place of all that is made of it.

The same goes for what is added to numbers in memory, as forces are to particles and elements to a system of equations:
``f[j[i]] += ...``. What is added is handed to the loop, which adds it when the iteration has ended. Where to, it finds
by itself where only the counter and a table say, which it reads first; else the iteration hands it the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import MemoryLocation
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.replay import is_scratch
from enzyme.gradient.sums import is_fused, summands
from enzyme.gradient.wide_bodies import is_of_integers
from enzyme.ir.types import I32, I64, FloatType, IntType, Type, VectorType
from enzyme.ir.values import (
    INT_DIVISIONS,
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
    Select,
    Store,
    Value,
)
from enzyme.rules.scalar import lookup_instruction

_DEPTH = 6
_OF_COUNTERS = (BinaryOp, Cast, Compare, Select)
_MOST = 16
"""Loads, and stores, of one loop that it takes: each becomes a parameter or a result of the function."""
_LONGEST = 128
"""Bytes of a copy."""


@dataclass(frozen=True)
class EdgeAccesses:
    """``first``: what the loop reads before each iteration; ``last``: what it stores behind it, or copies from a local
    array of a few numbers. Both in the order of the program. ``steps``: what it does beside: it reads sums in memory,
    adds to them, and makes their addresses."""

    first: tuple[Load, ...] = ()
    last: tuple[Instruction, ...] = ()
    steps: frozenset[Instruction] = frozenset()
    scattered: bool = False
    """Whether a table, or the iteration, says where sums are."""


def edge_accesses(alias: AliasAnalysis, loop: Loop, sums: bool = False) -> EdgeAccesses:
    """What a loop whose iterations end at one place (:func:`iterations.why_no_iteration`) can read before each of them,
    where it may be overwritten later, or what is stored goes into the same block, and store behind it; and, if
    ``sums``, add to numbers in memory."""
    loop, touching = _touching(alias, loop)
    found = {inst: _sum_of(alias, loop, inst) if sums else [] for inst in touching}
    stores = [inst for inst in touching if _is_result(alias, loop, inst) or found[inst]]
    last: list[Instruction] = []
    tables: dict[Load, None] = {}
    steps: set[Instruction] = set()
    scattered = False
    for store in reversed(stores[-_MOST:]):
        known, total = _is_result(alias, loop, store), found[store]
        late = {store, *last, *steps, *total}
        if total and isinstance(store, Store):
            address = _Address(alias, loop, touching)
            address.take(store.pointer)
            waits = all(_may_wait(alias, loop, inst, touching, late) for inst in (store, total[-1]))
            if waits and all(each.type in (I32, I64) for each in address.handed):
                last.insert(0, store)
                tables.update(dict.fromkeys(address.tables))
                steps |= {*total, *address.steps}
                scattered = scattered or not known
                continue
        if known and _may_wait(alias, loop, store, touching, late - set(total)):
            last.insert(0, store)
    first: set[Load] = set()
    stored = {each for inst in last if isinstance(inst, Store) for each in alias.underlying_objects(inst.pointer)}
    for load in (inst for inst in touching if isinstance(inst, Load) and inst not in steps):
        address = _Address(alias, loop, touching)
        if len(first) == _MOST or not _is_at_edge(alias, loop, load, load.type, address if scattered else None):
            continue
        beside = not stored.isdisjoint(alias.underlying_objects(load.pointer))
        if (beside or _may_change(alias, loop, load)) and _is_early(alias, loop, load, touching):
            first.add(load)
            tables.update(dict.fromkeys(address.tables))
            steps |= address.steps
    entries = {(table.pointer, table.type) for table in tables}
    for inst in touching:
        if isinstance(inst, Load) and (inst.pointer, inst.type) in entries and _is_met(alias, loop, inst):
            if inst not in tables and _is_early(alias, loop, inst, touching):
                tables[inst] = None
    ahead = (inst for inst in touching if isinstance(inst, Load) and (inst in first or inst in tables))
    return EdgeAccesses(tuple(ahead), tuple(last), frozenset(steps), scattered)


def _touching(alias: AliasAnalysis, loop: Loop) -> tuple[Loop, list[Instruction]]:
    """The same loop as the alias analysis knows it, and what in it reads or writes memory."""
    mine = alias.pointers.forest.loop_of(loop.header)
    assert mine is not None and mine.header is loop.header
    every = (inst for block in mine.order for inst in block.instructions)
    return mine, [i for i in every if not is_dropped(i) and (alias.effect(i).reads or alias.effect(i).writes)]


def read_before(alias: AliasAnalysis, loop: Loop) -> dict[Load, Load]:
    """Loads of a loop that find what another has found that is always executed before: in between is a call that may
    set errno, say, and a compiler cannot know that this is not what is read."""
    loop, touching = _touching(alias, loop)
    seen: dict[tuple[Value, Type], list[Load]] = {}
    for inst in touching:
        if isinstance(inst, Load) and not inst.ordering and "volatile" not in inst.flags:
            seen.setdefault((inst.pointer, inst.type), []).append(inst)
    found: dict[Load, Load] = {}
    for first, *others in seen.values():
        if others and is_plain(loop, first.pointer) and _is_early(alias, loop, first, touching):
            for load in others:
                if alias.pointers.domtree.instruction_dominates(first, load) and _is_early(alias, loop, load, touching):
                    found[load] = first
    return found


def is_product_added(value: Value) -> TypeGuard[CallBase]:
    """Whether a value is a product and a sum that may be rounded one after the other."""
    return isinstance(value, CallBase) and (value.callee_name or "").startswith("llvm.fmuladd.")


def _adds_to(value: Value, pointer: Value, depth: int = _DEPTH) -> list[Instruction]:
    """How a value is a sum of the number at an address and others: the additions, and the load; empty if it is none.
    Nothing else uses any of them."""
    if not isinstance(value, Instruction) or len(value.users) != 1 or depth == 0:
        return []
    if isinstance(value, Load):
        plain = not value.ordering and "volatile" not in value.flags
        return [value] if value.pointer is pointer and plain else []
    if is_fused(value) and not is_product_added(value):
        return []
    for part in summands(value):
        found = _adds_to(part, pointer, depth - 1)
        if found:
            return [value, *found]
    return []


def _sum_of(alias: AliasAnalysis, loop: Loop, inst: Instruction) -> list[Instruction]:
    """For a store, in each iteration, of a sum of what is there and other numbers: the additions, and the load."""
    if not isinstance(inst, Store) or inst.ordering or "volatile" in inst.flags or not _is_met(alias, loop, inst):
        return []
    if not isinstance(inst.value.type, (FloatType, IntType)):
        return []
    found = _adds_to(inst.value, inst.pointer)
    inside = all(each.block in loop.blocks and _is_met(alias, loop, each) for each in found)
    return found if inside else []


@dataclass
class _Address:
    """How a loop finds where a sum is: the ``tables`` that it reads for it, the ``steps`` from there, and what is
    computed inside of the iteration, which has to be ``handed`` to it."""

    alias: AliasAnalysis
    loop: Loop
    touching: list[Instruction]
    tables: list[Load] = field(default_factory=list)
    steps: set[Instruction] = field(default_factory=set)
    handed: list[Value] = field(default_factory=list)

    def take(self, pointer: Value) -> bool:
        """Look at an address, or a part of one; whether the loop finds it by itself."""
        if is_plain(self.loop, pointer):
            return True
        if isinstance(pointer, (GetElementPtr, Select)) or _compares_integers(pointer):
            assert isinstance(pointer, Instruction)
            self.steps.add(pointer)
            taken = [self.take(operand) for operand in pointer.operands]
            return all(taken)
        tables: list[Load] = []
        steps: set[Instruction] = set()
        known = self._is_looked_up(pointer, tables, steps, _DEPTH)
        if known:
            self.tables += tables
            self.steps |= steps
        else:
            self.handed.append(pointer)
        return known

    def _is_looked_up(self, value: Value, tables: list[Load], steps: set[Instruction], depth: int) -> bool:
        """Whether an index is made of entries of tables, counters and what is there before the loop."""
        if is_plain(self.loop, value):
            return True
        if depth == 0 or not isinstance(value, Instruction) or value.type.scalar.is_float:
            return False
        if isinstance(value, Load):
            inner = _Address(self.alias, self.loop, self.touching)
            found = value.type.is_int and _is_at_edge(self.alias, self.loop, value, value.type, inner)
            tables += inner.tables
            steps |= inner.steps
            if not found or not _is_early(self.alias, self.loop, value, self.touching):
                return False
            tables.append(value)
            return True
        whole = is_of_integers(value) if isinstance(value, CallBase) else isinstance(value, _OF_COUNTERS)
        if not whole or not _is_met(self.alias, self.loop, value):
            return False
        steps.add(value)
        parts = value.args if isinstance(value, CallBase) else value.operands
        return all(self._is_looked_up(part, tables, steps, depth - 1) for part in parts)


def _compares_integers(value: Value) -> bool:
    return isinstance(value, Compare) and value.operands[0].type.is_int


def _may_wait(
    alias: AliasAnalysis, loop: Loop, inst: Instruction, touching: list[Instruction], late: set[Instruction]
) -> bool:
    """Whether a store, or the load of a sum, may be made when all but what is ``late`` as well has been made."""
    behind = (each for each in _behind(alias, loop, inst, touching) if each not in late)
    return all(_returns(each) and not _meets(alias, each, inst) for each in behind)


def is_plain(loop: Loop, value: Value, depth: int = _DEPTH) -> bool:
    """Whether a value is made of header phis and what is there before the loop, by a little integer arithmetic."""
    if not isinstance(value, Instruction) or value.block not in loop.blocks:
        return True
    if isinstance(value, Phi):
        return value.block is loop.header and not value.type.scalar.is_float
    if depth == 0 or value.opcode in INT_DIVISIONS or value.type.scalar.is_float:
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


def _is_at_edge(
    alias: AliasAnalysis, loop: Loop, inst: Load | Store, type: Type, address: _Address | None = None
) -> bool:
    """Whether an access is made once in each iteration, of a number, where the counter says, or a table."""
    if inst.ordering or "volatile" in inst.flags or not isinstance(type, (FloatType, IntType, VectorType)):
        return False
    if type.scalar.is_pointer or not _is_met(alias, loop, inst):
        return False
    return is_plain(loop, inst.pointer) or (address is not None and address.take(inst.pointer))


def _is_met(alias: AliasAnalysis, loop: Loop, inst: Instruction) -> bool:
    """Whether each iteration comes to an instruction once."""
    assert inst.block is not None and loop.latch is not None and loop.forest is not None
    return loop.forest.loop_of(inst.block) is loop and alias.pointers.domtree.dominates(inst.block, loop.latch)


def _behind(alias: AliasAnalysis, loop: Loop, inst: Instruction, others: list[Instruction]) -> Iterator[Instruction]:
    """Which of ``others`` may run after an instruction in the same iteration."""
    return (each for each in others if each is not inst and alias.overwrites.may_follow(loop, inst, each))


def _may_change(alias: AliasAnalysis, loop: Loop, load: Load) -> bool:
    """Whether anything of the array that is read may be overwritten later: an iteration that reads of it otherwise is
    given all of it. What goes by a table may be errno for all that is known here: the loop reads it as well."""
    type = load.type if is_plain(loop, load.pointer) else None
    whole = MemoryLocation(load.pointer, None, None, load, whole=True, type=type)
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
    """Whether an instruction touches what a store writes, or writes what a load or a copy reads."""
    effect = alias.effect(store)
    for access in (*effect.writes, *effect.reads):
        if access.location is None:
            return True
        touched = alias.mod_ref(inst, access.location)
        if touched.may_write or (touched.may_read and access in effect.writes):
            return True
    return False
