"""Integers that carry several numbers, or numbers beside integers: ``{float, float}`` or ``{float, int}`` in 64 bits.

The adjoint of such an integer is a vector with a lane for every number (and an idle lane for what is none). Shifts by
whole bytes, masks and disjoint sums only move numbers between integers: :func:`moved_lanes` says which lane of which
operand becomes which lane of the result, or that the instruction does more than that.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.analysis.zero_bytes import is_zero
from enzyme.gradient.carried import number_lanes
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import IntType, Type, VectorType
from enzyme.ir.values import Cast, ConstantInt, ConstantToken, Instruction, Value


@dataclass(frozen=True)
class Lane:
    """A number at byte ``source`` of ``operand`` that is at byte ``target`` of the result."""

    operand: Value
    source: int
    target: int
    type: Type


def moved_lanes(subject: Subject, inst: Instruction) -> list[Lane] | None:
    """The numbers an instruction on integers moves; None when it does anything else with one of them."""
    if not isinstance(inst.type, IntType) or inst.type.bits % 8:
        return None
    mask: int | None = None
    shift = 0
    operands = [inst.operands[0]]
    amount = inst.operands[1] if len(inst.operands) > 1 else None
    if isinstance(inst, Cast):
        if inst.opcode not in ("trunc", "zext"):
            return None
    elif inst.opcode in ("shl", "lshr"):
        if not isinstance(amount, ConstantInt) or amount.value % 8:
            return None
        shift = amount.value // 8 if inst.opcode == "shl" else -(amount.value // 8)
    elif inst.opcode == "and":
        if not isinstance(amount, ConstantInt):
            return None
        mask = amount.value
    elif inst.opcode in ("or", "xor", "add"):
        operands = list(inst.operands)
    else:
        return None
    return _lanes(subject, inst, operands, shift, mask)


def _lanes(
    subject: Subject, inst: Instruction, operands: list[Value], shift: int, mask: int | None
) -> list[Lane] | None:
    found: list[Lane] = []
    size = subject.module.datalayout.size_of(inst.type)
    for operand in operands:
        if not isinstance(operand.type, IntType) or operand.type.bits % 8:
            return None
        if isinstance(operand, (ConstantInt, ConstantToken)):
            continue
        lanes = number_lanes(subject, operand)
        if lanes is None:
            return None
        others = [o for o in operands if o is not operand]
        for source, type in lanes:
            width = subject.module.datalayout.size_of(type)
            target = source + shift
            if target <= -width or target >= size:
                continue
            if target < 0 or target + width > size:
                return None
            if mask is not None:
                bits = (mask >> (8 * target)) & ((1 << (8 * width)) - 1)
                if bits == 0:
                    continue
                if bits != (1 << (8 * width)) - 1:
                    return None
            if len(operands) == 2 and (not others or not all(is_zero(o, target, width) for o in others)):
                return None
            found.append(Lane(operand, source, target, type))
    return found


def take_lane(build: Builder, adjoint: Value, offset: int, width: int) -> Value:
    """The adjoint of the number at byte ``offset`` of an integer."""
    return build.extract_element(adjoint, offset // width) if isinstance(adjoint.type, VectorType) else adjoint


def put_lane(build: Builder, adjoint: Value, lane: Value, offset: int, width: int) -> Value:
    """``adjoint`` of an integer with that of the number at byte ``offset`` set."""
    return build.insert_element(adjoint, lane, offset // width) if isinstance(adjoint.type, VectorType) else lane
