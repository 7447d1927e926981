"""Lanes of vectors that hold nothing: the optimiser computes ``a * b`` of two floats in a register as a product of
vectors of which only one lane counts; the others are poison.

In the reverse sweep the adjoint of such a lane is zero, and zero times poison would be poison: there the product is
guarded as for partials that may be infinite.
"""

from __future__ import annotations

from enzyme.ir.types import VectorType
from enzyme.ir.values import (
    ConstantAggregate,
    ConstantInt,
    ConstantToken,
    Freeze,
    Function,
    InsertElement,
    Instruction,
    Load,
    Phi,
    Select,
    ShuffleVector,
    Value,
)

Lanes = frozenset[int]
_NONE: Lanes = frozenset()


def idle_lanes(function: Function) -> dict[Value, Lanes]:
    """For the vectors of a function, the lanes that may be poison (least fixed point; no entry: none)."""
    found: dict[Value, Lanes] = {}
    vectors = [inst for inst in function.instructions() if isinstance(inst.type, VectorType)]
    changed = True
    while changed:
        changed = False
        for inst in vectors:
            lanes = _made(inst, found)
            if lanes != found.get(inst, _NONE):
                found[inst] = lanes
                changed = True
    return found


def _idle(value: Value, found: dict[Value, Lanes]) -> Lanes:
    type = value.type
    if not isinstance(type, VectorType):
        return _NONE
    if isinstance(value, ConstantToken):
        return frozenset(range(type.count)) if _undefined(value) else _NONE
    if isinstance(value, ConstantAggregate):
        return frozenset(i for i, element in enumerate(value.elements) if _undefined(element))
    return found.get(value, _NONE)


def _undefined(value: Value) -> bool:
    return isinstance(value, ConstantToken) and value.keyword in ("poison", "undef")


def _made(inst: Instruction, found: dict[Value, Lanes]) -> Lanes:
    assert isinstance(inst.type, VectorType)
    match inst:
        case ShuffleVector():
            lanes = mask_lanes(inst.operands[2])
            first = inst.operands[0].type
            if lanes is None or not isinstance(first, VectorType):
                return _NONE
            left, right = (_idle(o, found) for o in inst.operands[:2])
            both = left | {lane + first.count for lane in right}
            return frozenset(i for i, lane in enumerate(lanes) if lane is None or lane in both)
        case InsertElement():
            at = inst.operands[2]
            before = _idle(inst.operands[0], found)
            return before - {at.value} if isinstance(at, ConstantInt) else before
        case Load() | Freeze():
            return _NONE
        case Phi() | Select():
            sources = inst.operands[1:] if isinstance(inst, Select) else inst.operands
        case _:
            sources = inst.operands
    lanes_of = (_idle(s, found) for s in sources if isinstance(s.type, VectorType) and s.type.count == inst.type.count)
    return frozenset().union(*lanes_of)


def mask_lanes(mask: Value) -> list[int | None] | None:
    """The lanes a shuffle mask picks; None for undefined ones. None when the mask is not a constant list."""
    elements = getattr(mask, "elements", None)
    if elements is not None:
        assert isinstance(mask.type, VectorType)
        lanes = [e.value if isinstance(e, ConstantInt) else None for e in elements]
        return lanes * mask.type.count if getattr(mask, "splat", False) else lanes
    keyword = getattr(mask, "keyword", None)
    if keyword == "zeroinitializer" and isinstance(mask.type, VectorType):
        return [0] * mask.type.count
    if keyword in ("poison", "undef") and isinstance(mask.type, VectorType):
        return [None] * mask.type.count
    return None
