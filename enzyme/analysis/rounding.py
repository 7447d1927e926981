"""Rounding to whole numbers by adding a large constant and taking it away again.

A sum with 2^p or 1.5 * 2^p, p the bits of the mantissa, has no room for fractions: ``(x + c) - c`` is x rounded, and so
locally constant, though the two operations by themselves have the derivative one. Vectorised mathematics is full of it,
also with smaller powers of two, which round to fractions of one (a table of 2^(i/128) for the exponential, say).
"""

from __future__ import annotations

from math import frexp

from enzyme.analysis.activity_bits import MANTISSA_BITS
from enzyme.analysis.bit_patterns import constant_elements
from enzyme.ir.types import FloatType
from enzyme.ir.values import BinaryOp, Cast, ConstantFloat, Freeze, Value

_FINEST = 16  # bits behind the point that may be left: below, it is a number with an error that somebody cancels


def rounds(value: Value) -> bool:
    """Whether ``value`` is such a sum, which something takes the constant from again."""
    added = _added(value)
    if added is None or not _is_large(value, added):
        return False
    return any(_added(user) == -added for user in _users(value) if user.type is value.type)


def _users(value: Value) -> list[Value]:
    """Users, through what only passes the bits on."""
    found: list[Value] = []
    for user in value.users:
        if isinstance(user, Freeze) or (isinstance(user, Cast) and user.opcode == "bitcast"):
            found += _users(user)
        elif isinstance(user, Value):
            found.append(user)
    return found


def _added(value: Value) -> float | None:
    """The constant that a sum or difference adds to the other operand."""
    if not isinstance(value, BinaryOp) or value.opcode not in ("fadd", "fsub"):
        return None
    left, right = map(_constant, value.operands)
    if right is not None:
        return right if value.opcode == "fadd" else -right
    return left if value.opcode == "fadd" else None


def _constant(value: Value) -> float | None:
    lanes = {each.value if isinstance(each, ConstantFloat) else None for each in constant_elements(value) or ()}
    return lanes.pop() if len(lanes) == 1 else None


def _is_large(value: Value, constant: float) -> bool:
    format = value.type.scalar
    if not isinstance(format, FloatType) or format.kind not in MANTISSA_BITS:
        return False
    mantissa, exponent = frexp(abs(constant))
    bits = MANTISSA_BITS[format.kind]
    return mantissa in (0.5, 0.75) and bits - _FINEST < exponent <= bits + 2
