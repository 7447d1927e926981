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


def widen_shuffles(module: Module) -> None:
    """Rewrite such shuffles in every function."""
    for function in list(module.functions.values()):
        for inst in list(function.instructions()) if not function.is_declaration else ():
            if isinstance(inst, ShuffleVector) and isinstance(inst.type.scalar, IntType):
                _widen(inst)


def _widen(inst: ShuffleVector) -> None:
    first, second, _ = inst.operands
    lanes = inst.lanes
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


def _pairs(lanes: Sequence[int | None]) -> list[int | None] | None:
    """The same of lanes twice as wide; None where a half moves alone."""
    if len(lanes) % 2:
        return None
    made: list[int | None] = []
    for low, high in zip(lanes[::2], lanes[1::2], strict=True):
        if low is None:
            low = None if high is None else high - 1
        if low is not None and (low % 2 or high not in (low + 1, None)):
            return None
        made.append(None if low is None else low // 2)
    return made


def _mask(lanes: Sequence[int | None]) -> Value:
    parts = [ConstantToken(I32, "poison") if lane is None else ConstantInt(I32, lane) for lane in lanes]
    return ConstantAggregate(VectorType(len(parts), I32), parts)
