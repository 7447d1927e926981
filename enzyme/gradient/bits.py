"""Logic on the bits of floating-point numbers: and, or, xor of integers, or vectors of them, whose lanes are numbers.

What a lane of one operand does to the number in the same lane of the other:

======  ======  ======================================================
and     ones    the number itself (a mask lets it through)
and     all but the sign   its magnitude
and     zero, sign         no number, or only its sign: no derivative
and     ones, then zeros in the end of the mantissa   the number, rounded
or      zero    the number itself
or      sign    its magnitude with a minus
or      ones    no number
xor     zero    the number itself
xor     sign    the number with a minus
======  ======  ======================================================

In every lane one of the two has to be such a pattern. Mostly that is known, because a mask comes of a comparison and a
sign of a constant; where it is not, as for masks that the program keeps in memory, the running program looks, and stops
with a message where two numbers are mixed. A number that gets another exponent (frexp on bits) is scaled by a power of
two: see :class:`enzyme.analysis.bit_patterns.Significand`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from enzyme.analysis.bit_patterns import (
    ANY,
    NONE,
    Pattern,
    Significand,
    constant_lanes,
    cut_for_significand,
    only_signs,
    patterns,
    rounds,
    significand,
)
from enzyme.gradient.apply import is_float
from enzyme.gradient.carried import adjoint_type, number_lanes
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, FloatType, IntType, Type, VectorType
from enzyme.ir.values import BinaryOp, Call, Cast, Constant, ConstantAggregate, ConstantInt, Instruction, Value, zero

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

Bits = Callable[[Value], Value]

_WITH_SIGN = frozenset(("half", "bfloat", "float", "double", "fp128"))
_EFFECTS: dict[str, dict[Pattern, str]] = {
    "and": {Pattern.ONES: "same", Pattern.MAGNITUDE: "magnitude"},
    "or": {Pattern.ZERO: "same", Pattern.SIGN: "negative magnitude"},
    "xor": {Pattern.ZERO: "same", Pattern.SIGN: "negate"},
}
_MEANT = {
    "and": ANY & ~Pattern.OTHER,
    "or": Pattern.ZERO | Pattern.SIGN | Pattern.ONES,
    "xor": Pattern.ZERO | Pattern.SIGN,
}
MIXED = "enzyme: two numbers are mixed by '{}' of their bits, which has no derivative: {}"


@dataclass(frozen=True)
class BitLogic:
    """An and, or, xor of lanes of ``format``; ``found`` says what the lanes of the two operands may be, ``numbers``
    which lanes count."""

    operation: str
    type: Type
    format: FloatType
    numbers: tuple[int, ...]
    found: tuple[Pattern, Pattern]
    scaled: Significand | None

    @property
    def checked(self) -> bool:
        """Whether only the running program knows that one side is a mask or a sign."""
        meant = _MEANT[self.operation]
        return self.scaled is None and not (self.found[0] in meant or self.found[1] in meant)


def bit_logic(subject: Subject, inst: Instruction) -> BitLogic | None:
    """What such an instruction does to numbers; None when it does what has no derivative."""
    if not isinstance(inst, BinaryOp) or inst.opcode not in _EFFECTS:
        return None
    type = adjoint_type(subject, inst)
    format = type.scalar
    if not isinstance(format, FloatType) or format.kind not in _WITH_SIGN or not is_float(type):
        return None
    lanes = number_lanes(subject, inst) or []
    numbers = tuple(offset * 8 // format.bits for offset, _ in lanes)
    scaled = significand(inst)
    if scaled is not None and scaled.width == format.bits:
        return BitLogic(inst.opcode, type, format, numbers, (NONE, NONE), scaled)
    left, right = inst.operands
    if rounds(inst, format.bits):  # lets the number through, as a mask of ones does
        found = [Pattern.ONES if isinstance(operand, Constant) else ANY for operand in inst.operands]
        return BitLogic(inst.opcode, type, format, numbers, (found[0], found[1]), None)
    logic = BitLogic(
        inst.opcode, type, format, numbers, (patterns(left, format.bits), patterns(right, format.bits)), None
    )
    constant = any(constant_lanes(operand, format.bits) is not None for operand in inst.operands)
    if logic.checked and (constant or (_computed(left) and _computed(right))):
        return None
    return logic


def _computed(value: Value) -> bool:
    """Whether a value is the bits of a number that has just been computed, which is no mask."""
    while isinstance(value, Cast) and value.opcode == "bitcast":
        value = value.operands[0]
    if not isinstance(value.type.scalar, FloatType):
        return False
    return isinstance(value, (BinaryOp, Call)) or (isinstance(value, Cast) and value.opcode != "bitcast")


def passed_by(subject: Subject, inst: Instruction) -> bool:
    """Whether the derivative passes ``inst`` by: it cuts a mantissa out of a number for :class:`Significand`, or only
    the signs of what it makes are looked at."""
    if inst.opcode == "and" and cut_for_significand(inst):
        return True
    format = adjoint_type(subject, inst).scalar if inst.opcode in _EFFECTS else None
    return isinstance(format, FloatType) and only_signs(inst, format.bits)


def through(build: Builder, logic: BitLogic, index: int, amount: Value, operands: Sequence[Value], bits: Bits) -> Value:
    """The part of ``amount``, an adjoint or tangent in ``logic.type``, that goes between the result and operand
    ``index``. ``bits`` gives the primal of an operand."""
    other = logic.found[1 - index]
    effects = _EFFECTS[logic.operation]
    possible = [pattern for pattern in effects if pattern & other]
    cases = [(pattern, _effect(build, logic, effects[pattern], amount, operands[index], bits)) for pattern in possible]
    if not cases:
        return zero(logic.type)
    rest = other not in reduce(or_, possible)
    result = zero(logic.type) if rest else cases.pop()[1]
    for pattern, value in cases:
        mask = _lanes_of(build, logic, bits(operands[1 - index]))
        result = build.select(_is(build, logic, mask, pattern), value, result)
    return result


def _effect(build: Builder, logic: BitLogic, effect: str, amount: Value, number: Value, bits: Bits) -> Value:
    if effect == "same":
        return amount
    if effect == "negate":
        return build.fneg(amount)
    primal = build.bitcast(bits(number), logic.type)
    below = build.fcmp("olt", primal, zero(logic.type), ())
    if effect == "magnitude":
        return build.select(below, build.fneg(amount), amount)
    return build.select(below, amount, build.fneg(amount))


def rescaled(build: Builder, logic: BitLogic, amount: Value, result: Value, number: Value) -> Value:
    """``amount`` times the power of two between a number and its significand; both are given as bits."""
    found = logic.scaled
    assert found is not None
    x, y = build.bitcast(number, logic.type), build.bitcast(result, logic.type)
    below = build.fcmp("olt", x, zero(logic.type), ())
    size = build.select(below, build.fneg(x), x)
    stretched: Value = build.const_float(logic.type, found.scale_of_subnormal)
    if not found.signed:
        stretched = build.select(below, build.fneg(stretched), stretched)
    subnormal = build.fcmp("olt", size, build.const_float(logic.type, found.smallest_normal), ())
    one = build.const_float(logic.type, 1.0)
    factor = build.fdiv(y, build.select(subnormal, one, x))
    return build.fmul(amount, build.select(subnormal, stretched, factor))


def emit_mixed_check(
    engine: Engine, subject: Subject, build: Builder, inst: Instruction, logic: BitLogic, bits: Bits
) -> None:
    """Stop the program where neither operand is a mask or a sign."""
    sides = [_lanes_of(build, logic, bits(operand)) for operand in inst.operands]
    fine: Value | None = None
    for side in sides:
        for pattern in _MEANT[logic.operation]:
            found = _is(build, logic, side, pattern)
            fine = found if fine is None else build.or_(fine, found)
    if logic.operation == "xor":  # the opposite of a mask
        left, right = (_is(build, logic, side, Pattern.ONES) for side in sides)
        assert fine is not None
        fine = build.or_(fine, build.and_(left, right))
    assert fine is not None
    count = logic.type.count if isinstance(logic.type, VectorType) else 1
    if isinstance(fine.type, VectorType):
        if len(logic.numbers) < count:
            idle = [ConstantInt(I1, lane not in logic.numbers) for lane in range(count)]
            fine = build.or_(fine, ConstantAggregate(fine.type, idle))
        fine = build.icmp("eq", build.bitcast(fine, IntType(count)), ConstantInt(IntType(count), -1))
    where = subject.module.line_of(inst, subject.function)
    build.call(engine.runtime("insist"), [fine, engine.message(MIXED.format(logic.operation, where))])


def _lanes_of(build: Builder, logic: BitLogic, value: Value) -> Value:
    lane = IntType(logic.format.bits)
    return build.bitcast(value, VectorType(logic.type.count, lane) if isinstance(logic.type, VectorType) else lane)


def _is(build: Builder, logic: BitLogic, lanes: Value, pattern: Pattern) -> Value:
    sign = 1 << (logic.format.bits - 1)
    bits = {Pattern.ZERO: 0, Pattern.ONES: -1, Pattern.SIGN: sign, Pattern.MAGNITUDE: sign - 1}[pattern]
    return build.icmp("eq", lanes, build.const_int(lanes.type, bits))
