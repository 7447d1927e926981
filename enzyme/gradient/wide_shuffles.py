"""Shuffles of narrow lanes that only move whole wider ones, as shuffles of those.

Code written with x86 intrinsics moves doubles by shuffles of 32-bit integers. Half of a double is no number, so a lane
that is moved has to be as wide as the number it may be.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I32, IntType, VectorType
from enzyme.ir.values import ConstantAggregate, ConstantInt, ConstantToken, ShuffleVector, Value

_WIDEST = 64
_ANY = -1


def widen_shuffles(module: Module) -> None:
    """Rewrite such shuffles in every function."""
    for function in list(module.functions.values()):
        for inst in list(function.instructions()) if not function.is_declaration else ():
            if isinstance(inst, ShuffleVector) and isinstance(inst.type.scalar, IntType):
                _widen(inst)


def _widen(inst: ShuffleVector) -> None:
    first, second, constant = inst.operands
    lanes = _lanes(constant)
    bits = inst.type.scalar.bits  # type: ignore[attr-defined]
    before = bits
    assert isinstance(first.type, VectorType)
    count = first.type.count
    while lanes is not None and bits < _WIDEST and count % 2 == 0:
        wider = _pairs(lanes)
        if wider is None:
            break
        lanes, bits, count = wider, 2 * bits, count // 2
    if bits == before or lanes is None:
        return
    assert inst.block is not None
    build = Builder(inst.block, before=inst)
    through = VectorType(count, IntType(bits))
    moved = build.insert(
        ShuffleVector(build.cast("bitcast", first, through), build.cast("bitcast", second, through), _mask(lanes))
    )
    inst.replace_all_uses_with(build.cast("bitcast", moved, inst.type))
    inst.erase()


def _lanes(mask: Value) -> list[int] | None:
    """The lanes chosen, -1 where any will do."""
    if isinstance(mask, ConstantToken) and isinstance(mask.type, VectorType):
        return [0 if mask.keyword == "zeroinitializer" else _ANY] * mask.type.count
    if not isinstance(mask, ConstantAggregate):
        return None
    return [lane.value if isinstance(lane, ConstantInt) else _ANY for lane in mask.elements]


def _pairs(lanes: Sequence[int]) -> list[int] | None:
    """The same of lanes twice as wide; None where a half moves alone."""
    if len(lanes) % 2:
        return None
    made: list[int] = []
    for low, high in zip(lanes[::2], lanes[1::2], strict=True):
        lane = low if low != _ANY else high - 1 if high != _ANY else _ANY
        if lane != _ANY and (lane % 2 or high not in (lane + 1, _ANY)):
            return None
        made.append(_ANY if lane == _ANY else lane // 2)
    return made


def _mask(lanes: Sequence[int]) -> Value:
    parts = [ConstantToken(I32, "poison") if lane == _ANY else ConstantInt(I32, lane) for lane in lanes]
    return ConstantAggregate(VectorType(len(parts), I32), parts)
