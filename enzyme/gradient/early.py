"""What values that are made behind an instruction would be, asked in front of it.

Sums, comparisons and addresses are copied to the front, without flags that promise what holds behind branches only.
So are loads of the same block behind the instruction. The instruction, and others in between, may write to memory: then
the program is to ask whether they leave alone what is loaded (:meth:`EarlyCopies.checks`); the copies tell nothing
where they do not.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.tbaa import declares_scope
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Freeze
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I64, PTR, IntType
from enzyme.ir.values import (
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Load,
    Select,
    Store,
    Value,
)

_DEPTH = 16
_BLOCKS = ("llvm.memset.", "llvm.memcpy.", "llvm.memmove.")
_STOPS = frozenset(("udiv", "urem", "sdiv", "srem"))


class EarlyCopies:
    """Copies in front of ``place``, a memset."""

    def __init__(self, place: CallBase, dominators: DominatorTree, alias: AliasAnalysis) -> None:
        self.place, self.dominators, self.alias = place, dominators, alias
        self._known: dict[Value, bool] = {}
        self._made: dict[Value, Value] = {}
        self._loads: list[tuple[Value, int]] = []
        self._writers: list[tuple[Value, Value]] = [(place.args[0], place.args[2])]

    def can(self, value: Value, depth: int = _DEPTH) -> bool:
        """Whether there can be a copy of a value."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._can(value, depth)
        return found

    def _can(self, value: Value, depth: int) -> bool:
        if not isinstance(value, Instruction) or self.dominators.instruction_dominates(value, self.place):
            return True
        if depth == 0 or not (value.type is PTR or isinstance(value.type, IntType)):
            return False
        if isinstance(value, Load):
            return self._can_load(value, depth)
        if isinstance(value, BinaryOp):
            plain = value.opcode not in _STOPS
        else:
            plain = isinstance(value, (Cast, Compare, Select, GetElementPtr))
        return plain and all(self.can(each, depth - 1) for each in value.operands)

    def _can_load(self, load: Load, depth: int) -> bool:
        block = load.block
        if block is None or block is not self.place.block or load.ordering or "volatile" in load.flags:
            return False
        writers: list[tuple[Value, Value]] = []
        for each in block.instructions[block.position(self.place) + 1 : block.position(load)]:
            if self.alias.effect(each).writes and not declares_scope(each):
                found = written(each, self.alias.module.datalayout)
                if found is None or not all(self.can(part, depth - 1) for part in found):
                    return False
                writers.append(found)
        if not self.can(load.pointer, depth - 1):
            return False
        self._writers += [each for each in writers if each not in self._writers]
        return True

    def emit(self, build: Builder) -> Callable[[Value], Value]:
        """What gives the copies."""

        def copy(value: Value) -> Value:
            if not isinstance(value, Instruction) or self.dominators.instruction_dominates(value, self.place):
                return value
            found = self._made.get(value)
            if found is None:
                made = value.clone([copy(each) for each in value.operands])
                made.name, made.flags, made.metadata = None, (), {}
                found = build.insert(made)
                if isinstance(value, Load):
                    self._loads.append((made.operands[0], self.alias.module.datalayout.size_of(value.type)))
                    found = build.insert(Freeze(found))  # it may be nothing that is ever used
                self._made[value] = found
            return found

        self._copy = copy
        return copy

    def checks(self, build: Builder) -> list[Value]:
        """Whether what has been copied is what it is behind all that writes."""
        found: list[Value] = []
        ranges: list[tuple[Value, Value]] = []
        for begin, extent in self._writers if self._loads else ():
            start = build.cast("ptrtoint", self._copy(begin), I64)
            length = self._copy(extent)
            length = length if length.type is I64 else build.cast("zext", length, I64)
            ranges.append((start, build.add(start, length)))
        for pointer, size in dict.fromkeys(self._loads):
            first = build.cast("ptrtoint", pointer, I64)
            end = build.add(first, ConstantInt(I64, size))
            for low, high in ranges:
                found.append(build.or_(build.icmp("ule", end, low), build.icmp("ule", high, first)))
        return found


def is_clearing(inst: Instruction) -> bool:
    """Whether an instruction writes zeros to memory from end to end."""
    if not isinstance(inst, CallBase) or not (inst.callee_name or "").startswith("llvm.memset."):
        return False
    value, volatile = inst.args[1], inst.args[3]
    return all(isinstance(each, ConstantInt) and each.value == 0 for each in (value, volatile))


def written(inst: Instruction, layout: DataLayout) -> tuple[Value, Value] | None:
    """Where an instruction writes, and how many bytes, if that is one place."""
    if isinstance(inst, Store):
        return inst.pointer, ConstantInt(I64, layout.size_of(inst.value.type))
    if isinstance(inst, CallBase) and (inst.callee_name or "").startswith(_BLOCKS):
        return inst.args[0], inst.args[2]
    return None
