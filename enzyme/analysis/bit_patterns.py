"""What is known of the bits of a value, where they are those of floating-point numbers or masks for them.

:func:`patterns` says which patterns lanes may have, of those that mean something to logic on numbers. The lattice is
the subsets of :class:`Pattern`, ordered by inclusion. A mask that comes of a comparison is all zeros or all ones in
every lane; a sign that is cut out of a number is zero or the sign bit. What is not followed may be anything.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Flag
from math import inf, isnan, ldexp

from enzyme.ir.types import FloatType, IntType, Type, VectorType
from enzyme.ir.values import (
    BinaryOp,
    Cast,
    Constant,
    ConstantAggregate,
    ConstantFloat,
    ConstantInt,
    ConstantToken,
    ExtractElement,
    Freeze,
    InsertElement,
    Instruction,
    Phi,
    Select,
    ShuffleVector,
    Value,
    zero,
)

_STEPS = 200


class Pattern(Flag):
    """Patterns of one lane: no bit set, all of them, only the sign, all but the sign, any other."""

    ZERO = 1
    ONES = 2
    SIGN = 4
    MAGNITUDE = 8
    OTHER = 16


NONE = Pattern(0)
ANY = Pattern.ZERO | Pattern.ONES | Pattern.SIGN | Pattern.MAGNITUDE | Pattern.OTHER
MASK = Pattern.ZERO | Pattern.ONES
_BITS = {Pattern.ZERO: 0b00, Pattern.SIGN: 0b10, Pattern.MAGNITUDE: 0b01, Pattern.ONES: 0b11}
_OF_BITS = {bits: pattern for pattern, bits in _BITS.items()}


def pattern_of(bits: int, width: int) -> Pattern:
    """The pattern of a lane of ``width`` bits."""
    bits &= (1 << width) - 1
    sign = 1 << (width - 1)
    return {0: Pattern.ZERO, 2 * sign - 1: Pattern.ONES, sign: Pattern.SIGN, sign - 1: Pattern.MAGNITUDE}.get(
        bits, Pattern.OTHER
    )


def constant_lanes(value: Value, width: int) -> list[int] | None:
    """The bits of a constant number or integer, or vector of them, in lanes of ``width`` bits; None for anything else,
    and where a lane of its own is undefined."""
    while isinstance(value, Cast) and value.opcode == "bitcast":
        value = value.operands[0]
    size = lane_bits(value.type)
    elements = constant_elements(value)
    if size is None or elements is None:
        return None
    whole = 0
    for index, element in enumerate(elements):
        bits = _element_bits(element)
        if bits is None:
            return None
        whole |= (bits & ((1 << size) - 1)) << (size * index)
    if size * len(elements) % width:
        return None
    return [(whole >> at) & ((1 << width) - 1) for at in range(0, size * len(elements), width)]


_CODES = {"double": ("<d", "<Q"), "float": ("<f", "<I")}


def _element_bits(value: Value) -> int | None:
    if isinstance(value, ConstantInt):
        return value.value
    format = value.type
    if not isinstance(value, ConstantFloat) or not isinstance(format, FloatType) or format.kind not in _CODES:
        return None
    if isnan(value.value):
        return int(value.spelling, 16) if format.kind == "double" else None
    number, bits = _CODES[format.kind]
    return int(struct.unpack(bits, struct.pack(number, value.value))[0])


def constant_elements(value: Value) -> list[Value] | None:
    """The constant in every lane of a vector, or the one that a scalar is; also where code that nobody has optimised
    puts a vector together lane by lane."""
    type = value.type
    if not isinstance(type, VectorType):
        return [value] if isinstance(value, Constant) else None
    if isinstance(value, ConstantToken):
        lane = zero(type.element) if value.keyword == "zeroinitializer" else ConstantToken(type.element, value.keyword)
        return [lane] * type.count
    if isinstance(value, ConstantAggregate):
        return list(value.elements) * (type.count if value.splat else 1)
    if isinstance(value, InsertElement) and isinstance(value.operands[2], ConstantInt):
        elements = constant_elements(value.operands[0])
        if elements is None or not isinstance(value.operands[1], Constant):
            return None
        elements[value.operands[2].value] = value.operands[1]
        return elements
    if isinstance(value, ShuffleVector):
        picks = constant_elements(value.operands[2])
        left, right = (constant_elements(operand) for operand in value.operands[:2])
        if picks is None or left is None or right is None:
            return None
        both = [*left, *right, ConstantToken(type.element, "poison")]
        return [both[pick.value if isinstance(pick, ConstantInt) else -1] for pick in picks]
    return None


def lane_bits(type: Type) -> int | None:
    """The width of a number or integer, or of the elements of a vector of them."""
    scalar = type.scalar
    return scalar.bits if isinstance(scalar, (IntType, FloatType)) else None


def patterns(value: Value, width: int) -> Pattern:
    """What the lanes of ``width`` bits of ``value`` may be."""
    return _Search().of(value, width)


def no_number(value: Value) -> bool:
    """Whether the lanes of an integer are constants, masks or signs only."""
    width = lane_bits(value.type)
    return isinstance(value, Constant) or (width is not None and patterns(value, width) in ANY & ~Pattern.OTHER)


def is_masked(value: Value) -> bool:
    """Whether lanes of something else are let through by a mask."""
    width = lane_bits(value.type) or 0
    return (
        isinstance(value, BinaryOp)
        and value.opcode == "and"
        and any(not isinstance(o, Constant) and patterns(o, width) in MASK for o in value.operands)
    )


_LEAST_PRECISION = 7
"""Bits of the mantissa that a rounded number keeps: those of the coarsest format, bfloat."""


def rounds(value: Value, width: int) -> bool:
    """Whether ``value`` is a number of ``width`` bits in every lane with the end of its mantissa cleared: rounded
    towards zero, as C libraries split numbers in two."""
    if not isinstance(value, BinaryOp) or value.opcode != "and" or width not in _MANTISSA:
        return False
    for lanes in (constant_lanes(operand, width) for operand in value.operands):
        if lanes and all(0 < _cleared(lane, width) <= _MANTISSA[width] - _LEAST_PRECISION for lane in lanes):
            return True
    return False


def _cleared(mask: int, width: int) -> int:
    """How many bits a mask clears, where those are the lowest ones; else all of them."""
    low = (1 << width) - 1 - mask
    return low.bit_length() if low & (low + 1) == 0 else width


class _Search:
    """One walk over what a value is made of; after ``_STEPS`` values whatever is left may be anything."""

    def __init__(self) -> None:
        self.steps = 0
        self.open: set[Phi] = set()

    def of(self, value: Value, width: int) -> Pattern:
        constant = _constant(value, width)
        if constant is not None:
            return constant
        self.steps += 1
        size = lane_bits(value.type)
        if self.steps > _STEPS or size is None or not isinstance(value, Instruction):
            return ANY
        if isinstance(value, Cast) and value.opcode == "bitcast":
            return self.of(value.operands[0], width)
        if isinstance(value, Phi):
            if value in self.open:
                return NONE  # a phi of itself and others is what the others are
            self.open.add(value)
            found = self._made(value, size)
            self.open.discard(value)
        else:
            found = self._made(value, size)
        if size == width:
            return found
        # a wider lane that is all zeros or all ones is so in every part
        return found if size > width and size % width == 0 and found in MASK else ANY

    def _made(self, value: Instruction, width: int) -> Pattern:
        """Of an instruction whose own lanes have ``width`` bits."""
        first = value.operands[0] if value.operands else value
        match value:
            case Cast(opcode="sext"):
                inside = lane_bits(first.type)
                wide = MASK if inside == 1 else self.of(first, inside or 0)
                return wide if wide in MASK else ANY
            case BinaryOp(opcode="sub"):
                return MASK if _constants(first, width) == {0} and _is_truth(value.operands[1]) else ANY
            case BinaryOp(opcode="ashr"):
                return MASK if _constants(value.operands[1], width) == {width - 1} else ANY
            case BinaryOp(opcode="shl"):
                top = _constants(value.operands[1], width) == {width - 1}
                return Pattern.ZERO | Pattern.SIGN if top else ANY
            case BinaryOp(opcode="and" | "or" | "xor" as operation):
                return _combined(operation, self.of(first, width), self.of(value.operands[1], width))
            case Freeze() | ExtractElement():
                return self.of(first, width)
            case InsertElement() | ShuffleVector():
                return _union(self.of(o, width) for o in value.operands[:2])
            case Phi():
                return _union(self.of(o, width) for o in value.operands)
            case Select():
                return _union(self.of(o, width) for o in value.operands[1:])
        return ANY


def _is_truth(value: Value) -> bool:
    """Whether an integer is zero or one, extended from a truth value."""
    while isinstance(value, Cast) and value.opcode in ("zext", "sext"):
        inside = value.operands[0]
        if lane_bits(inside.type) == 1:
            return value.opcode == "zext"
        value = inside
    return False


def _union(found: Iterable[Pattern]) -> Pattern:
    total = NONE
    for each in found:
        total |= each
        if total == ANY:
            break
    return total


def _constants(value: Value, width: int) -> set[int]:
    return set(constant_lanes(value, width) or ())


def _constant(value: Value, width: int) -> Pattern | None:
    """Of a constant; None when it is none. Undefined lanes may be taken to be what suits."""
    if isinstance(value, ConstantToken):
        return {"zeroinitializer": Pattern.ZERO, "poison": NONE, "undef": NONE}.get(value.keyword, ANY)
    lanes = constant_lanes(value, width)
    if lanes is not None:
        return _union(pattern_of(bits, width) for bits in lanes)
    if isinstance(value, ConstantAggregate) and lane_bits(value.type) == width:
        return _union(ANY if (found := _constant(each, width)) is None else found for each in value.elements)
    return ANY if isinstance(value, Constant) else None


def _combined(operation: str, left: Pattern, right: Pattern) -> Pattern:
    total = NONE
    for a in left:
        for b in right:
            total |= _pair(operation, a, b)
    return total


def _pair(operation: str, a: Pattern, b: Pattern) -> Pattern:
    x, y = _BITS.get(a), _BITS.get(b)
    if x is not None and y is not None:
        return _OF_BITS[x & y if operation == "and" else x | y if operation == "or" else x ^ y]
    known = x if x is not None else y
    if operation == "and" and known == _BITS[Pattern.ZERO]:
        return Pattern.ZERO
    if operation == "and" and known == _BITS[Pattern.SIGN]:
        return Pattern.ZERO | Pattern.SIGN
    if operation == "or" and known == _BITS[Pattern.ONES]:
        return Pattern.ONES
    return ANY


# --- numbers with another exponent -----------------------------------------------------------------------------------

_MANTISSA = {64: 52, 32: 23}


@dataclass(frozen=True)
class Significand:
    """``(number & mantissa) | exponent`` as frexp does it on bits: the number scaled by a power of two.

    ``signed``: the sign stays, else the result has the sign of ``exponent``, which holds the bits put in."""

    number: Value
    signed: bool
    exponent: int
    width: int

    @property
    def scale_of_subnormal(self) -> float:
        """By how much a number below the normal ones is stretched: its mantissa is not shifted."""
        bias = (1 << (self.width - _MANTISSA[self.width] - 2)) - 1
        field = (self.exponent & ((1 << (self.width - 1)) - 1)) >> _MANTISSA[self.width]
        sign = -1.0 if self.exponent >> (self.width - 1) else 1.0
        return sign * ldexp(1.0, field - 1) if field - 1 <= bias else sign * inf

    @property
    def smallest_normal(self) -> float:
        bias = (1 << (self.width - _MANTISSA[self.width] - 2)) - 1
        return ldexp(1.0, 1 - bias)


def significand(value: Value) -> Significand | None:
    """The exchange of an exponent that ends in ``value``, an integer with lanes as wide as the number."""
    width = lane_bits(value.type) or 0
    if not isinstance(value, BinaryOp) or value.opcode != "or" or width not in _MANTISSA:
        return None
    for inner, put in ((value.operands[0], value.operands[1]), (value.operands[1], value.operands[0])):
        found = _same(constant_lanes(put, width))
        cut = _without_casts(inner)
        if found is None or not isinstance(cut, BinaryOp) or cut.opcode != "and" or lane_bits(cut.type) != width:
            continue
        for number, mask in ((cut.operands[0], cut.operands[1]), (cut.operands[1], cut.operands[0])):
            kept = _same(constant_lanes(mask, width))
            exchanged = _exchange(found, kept, width)
            if exchanged is not None:
                return Significand(number, exchanged, found, width)
    return None


def _exchange(put: int, kept: int | None, width: int) -> bool | None:
    """Whether the sign is kept, where the two constants put an exponent over the one that was there."""
    mantissa, sign = (1 << _MANTISSA[width]) - 1, 1 << (width - 1)
    field = put & ~sign
    highest = sign - 1 - mantissa  # an infinity's
    if put & mantissa or not 0 < field < highest:
        return None
    if kept == mantissa:
        return False
    return True if kept == mantissa | sign and not put & sign else None


def _same(lanes: list[int] | None) -> int | None:
    return lanes[0] if lanes and len(set(lanes)) == 1 else None


def _without_casts(value: Value) -> Value:
    while isinstance(value, Cast) and value.opcode == "bitcast":
        value = value.operands[0]
    return value


def only_signs(value: Value, width: int) -> bool:
    """Whether nothing is looked at of a value but the signs of its lanes, which have no derivative."""
    users = [user for user in value.users if isinstance(user, Instruction)]
    return bool(users) and all(_takes_signs(user, value, width) for user in users)


def _takes_signs(user: Instruction, value: Value, width: int) -> bool:
    if isinstance(user, Cast) and user.opcode == "bitcast":
        return only_signs(user, width)
    if not (isinstance(user, BinaryOp) and user.opcode in ("and", "or", "xor")):
        return False
    other = _constant(user.operands[user.operands[0] is value], width)
    signs = user.opcode == "and" and other is not None and other in Pattern.ZERO | Pattern.SIGN
    return signs or only_signs(user, width)


def cut_for_significand(value: Value) -> bool:
    """Whether a value is a number without its exponent that only gets another: no number by itself."""
    users = [user for user in value.users if isinstance(user, Instruction)]
    return bool(users) and all(
        cut_for_significand(user) if isinstance(user, Cast) and user.opcode == "bitcast" else significand(user)
        for user in users
    )
