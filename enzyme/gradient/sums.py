"""Sums that a loop's body makes in memory, and what else may stand beside them where its iterations are run otherwise.

A reverse sweep adds to shadows. What one iteration adds does not depend on what another one has added, so that
iterations may be run in another order (see nests.py), or many of them before anything is added (see strips.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from enzyme.analysis.loops import Loop
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Freeze
from enzyme.ir.types import FloatType, IntType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Compare,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    UnaryOp,
    Value,
)

_ARITHMETIC = (BinaryOp, Cast, Compare, DebugRecord, Freeze, GetElementPtr, Phi, Select, UnaryOp)
_FUSED = ("llvm.fmuladd.", "llvm.fma.")
_PURE_CALLS = tuple(
    f"llvm.{name}."
    for name in "fmuladd fma fabs copysign sqrt minnum maxnum minimum maximum smax smin umax umin abs".split()
)


@dataclass(frozen=True)
class Sum:
    """``load + amount`` (or minus) written back to where the load was; nothing else is written in between."""

    load: Load
    add: BinaryOp
    store: Store

    @property
    def amount(self) -> Value:
        left, right = self.add.operands
        return right if left is self.load else left

    def to(self, build: Builder, old: Value, amount: Value) -> Value:
        """The sum of other numbers."""
        new = build.insert(self.add.clone([old if each is self.load else amount for each in self.add.operands]))
        new.name = None
        return new

    def read(self, build: Builder, pointer: Value) -> Value:
        """What is to be added to, from elsewhere."""
        old = build.insert(_ordinary(self.load.clone([pointer])))
        old.name = None
        return old

    def write(self, build: Builder, value: Value, pointer: Value) -> None:
        build.insert(_ordinary(self.store.clone([value, pointer])))

    def emit(self, build: Builder, pointer: Value, amount: Value) -> None:
        """The sum made elsewhere."""
        self.write(build, self.to(build, self.read(build, pointer), amount), pointer)


def _ordinary(access: Instruction) -> Instruction:
    """An access that was atomic, so that no optimiser would make one of two (see windows.py), as it should be made."""
    assert isinstance(access, (Load, Store))
    access.flags, access.ordering = tuple(each for each in access.flags if each != "atomic"), ""
    return access


def find_sums(body: Block) -> Iterator[Sum]:
    """What is added to memory, where nothing is written between reading it and writing it back."""
    places = {inst: place for place, inst in enumerate(body.instructions)}
    stores = [inst for inst in body.instructions if isinstance(inst, Store)]
    for store in stores:
        add = store.value
        if not isinstance(add, BinaryOp) or add.opcode not in ("fadd", "fsub") or len(add.users) != 1:
            continue
        operands = add.operands if add.opcode == "fadd" else add.operands[:1]
        loads = [op for op in operands if isinstance(op, Load) and op.pointer is store.pointer]
        loads = [load for load in loads if load.block is body and add.block is body and len(load.users) == 1]
        if loads and add.operands[0] is not add.operands[1]:
            load = loads[0]
            if not any(places[load] < places[other] < places[store] for other in stores):
                yield Sum(load, add, store)


def is_plain(block: Block, unordered: bool = False) -> bool:
    """Whether all of a block but its end is arithmetic and plain accesses of numbers, or ``unordered`` ones."""
    for inst in block.instructions:
        if isinstance(inst, (Load, Store)):
            plain = not inst.ordering or (unordered and inst.ordering == "unordered")
            if not isinstance(inst.accessed, (FloatType, IntType)) or not plain or "volatile" in inst.flags:
                return False
        elif isinstance(inst, CallBase):
            if not is_arithmetic(inst):
                return False
        elif inst is not block.terminator and not isinstance(inst, _ARITHMETIC):
            return False
    return True


def is_simple_access(inst: Load | Store) -> bool:
    """Whether an access is neither volatile nor atomic."""
    return not inst.ordering and "volatile" not in inst.flags


def is_fused(value: Value | None) -> TypeGuard[CallBase]:
    """Whether a value is a product and a sum in one operation, or in one or two."""
    return isinstance(value, CallBase) and (value.callee_name or "").startswith(_FUSED)


def summands(value: Value) -> list[Value]:
    """What may be a sum that an instruction adds a number to; none if it does not add."""
    if isinstance(value, BinaryOp) and value.opcode in ("fadd", "add"):
        return list(value.operands)
    if isinstance(value, BinaryOp) and value.opcode in ("fsub", "sub"):
        return [value.operands[0]]
    return [value.args[2]] if is_fused(value) else []


def is_arithmetic(call: CallBase) -> bool:
    """Whether a call is to an intrinsic that does no more than to compute a number, as one instruction or few."""
    return (call.callee_name or "").startswith(_PURE_CALLS)


def adds_in_any_order(phi: Phi, loop: Loop, latch: Block) -> bool:
    """Whether iterations do nothing with a number but to add to it, in any order."""
    if not isinstance(phi.type, FloatType):
        return True
    value: Value = phi.value_from(latch)
    user: Instruction = phi
    while value is not phi:
        if not isinstance(value, BinaryOp) or not {"reassoc", "fast"} & set(value.fast_math):
            return False
        before = next((each for each in _added_to(value) if _is_sum_of(each, phi, loop)), None)
        if before is None or not _is_for(value, user, loop):
            return False
        user, value = value, before
    return _is_for(phi, user, loop)


def _is_for(value: Instruction, user: Instruction, loop: Loop) -> bool:
    """Whether just one instruction of a loop takes a value, once: others would see sums of some of the numbers."""
    once = sum(each is value for each in user.operands) == 1
    return once and all(each is user for each in value.users if loop.contains(each))


def _added_to(value: BinaryOp) -> tuple[Value, ...]:
    return {"fadd": tuple(value.operands), "fsub": tuple(value.operands[:1])}.get(value.opcode, ())


def _is_sum_of(value: Value, phi: Phi, loop: Loop, depth: int = 8) -> bool:
    if value is phi or not depth or not isinstance(value, BinaryOp) or not loop.contains(value):
        return value is phi
    return any(_is_sum_of(each, phi, loop, depth - 1) for each in _added_to(value))
