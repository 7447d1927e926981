"""What integers are multiples of: an index in bytes that is eight times something steps from number to number."""

from __future__ import annotations

from math import gcd, lcm

from enzyme.ir.types import IntType
from enzyme.ir.values import BinaryOp, Cast, ConstantInt, Freeze, Phi, Select, Value

_DEPTH = 8  # instructions opened one below the other
_ROUNDS = 8  # for loops whose steps lose divisors


def divisor(value: Value) -> int:
    """A number that divides ``value``, read as a signed integer; 0 when it is zero, 1 when nothing is known.

    Operations that may wrap keep powers of two alone. Around a loop the most is assumed first and taken back until
    it holds, or nothing where that takes long."""
    assumed: dict[Phi, int] = {}
    for _ in range(_ROUNDS):
        before = dict(assumed)
        result = _divisor(value, assumed, _DEPTH)
        for phi in list(assumed):
            assumed[phi] = gcd(assumed[phi], *(_divisor(part, assumed, _DEPTH) for part, _ in phi.incoming))
        if assumed == before:
            return result
    return _divisor(value, None, _DEPTH)


def exact_divisor(value: Value) -> int:
    """What the program divides ``value`` by without a rest, 1 when it does not: where it does so, that is undefined
    unless the rest is zero. The distance between two pointers into an array is divided like this, by the size of an
    element."""
    found = 1
    for user in value.users:
        if isinstance(user, BinaryOp) and "exact" in user.flags and user.operands[0] is value:
            amount = user.operands[1]
            if isinstance(amount, ConstantInt) and amount.value > 0:
                found = lcm(found, amount.value if user.opcode in ("sdiv", "udiv") else 1 << amount.value)
    return found


def _divisor(value: Value, assumed: dict[Phi, int] | None, depth: int) -> int:
    if isinstance(value, ConstantInt):
        return abs(value.value)
    if depth == 0 or not isinstance(value.type, IntType):
        return 1
    if isinstance(value, Phi):
        return assumed.setdefault(value, 0) if assumed is not None else 1
    if isinstance(value, Select):
        return gcd(*(_divisor(part, assumed, depth - 1) for part in value.operands[1:]))
    if isinstance(value, Freeze):
        return 1
    if isinstance(value, Cast):
        inner = _divisor(value.operands[0], assumed, depth - 1)
        if value.opcode == "sext" or (value.opcode == "zext" and "nneg" in value.flags):
            return inner
        return _power_of_two(inner) if value.opcode in ("zext", "trunc") else 1
    if isinstance(value, BinaryOp):
        return _operation(value, assumed, depth)
    return 1


def _operation(value: BinaryOp, assumed: dict[Phi, int] | None, depth: int) -> int:
    assert isinstance(value.type, IntType)
    left, right = (_divisor(part, assumed, depth - 1) for part in value.operands)
    shift = value.operands[1]
    if value.opcode in ("add", "sub"):
        found = gcd(left, right)
    elif value.opcode == "mul":
        found = left * right
    elif value.opcode == "shl" and isinstance(shift, ConstantInt) and 0 <= shift.value < value.type.bits:
        found = left << shift.value
    elif value.opcode in ("or", "xor"):
        return gcd(_power_of_two(left), _power_of_two(right))
    elif value.opcode == "and":
        powers = _power_of_two(left), _power_of_two(right)
        return 0 if 0 in powers else max(powers)
    else:
        return 1
    return found if "nsw" in value.flags else _power_of_two(found)


def _power_of_two(number: int) -> int:
    return number & -number
