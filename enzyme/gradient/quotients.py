"""The partial of a quotient of a constant, as products.

The derivative of ``c / y`` is ``-(d / y) r``, where ``d`` comes in and ``r`` is the quotient: each such quotient, and
each reciprocal is one, puts a division into the chain that adjoints go along. Where ``c`` is a power of two, it is
``-d r (r / c)``, and ``r / c`` is exact, so that what is left are products.

They are multiplied from the left: as before, nothing overflows in between that would not in the end. Where ``y`` is
zero, infinite or NaN, ``r`` is infinite, zero or NaN, and so is the partial as it was before; that a zero which comes
in gives zero there is up to :func:`enzyme.gradient.apply.scaled`, for these products, too.
"""

from __future__ import annotations

import math

from enzyme.ir.values import BinaryOp, ConstantAggregate, ConstantFloat, Instruction, Value
from enzyme.rules.expr import Binary, Const, Expr, Neg, Result

_RANGE = 2.0**10
"""Powers of two up to here, and one over here, are exact in every format."""


def without_division(inst: Instruction, partials: list[tuple[int, Value, Expr]]) -> list[tuple[int, Value, Expr]]:
    """The partials of an instruction; of a quotient of a power of two by what is active, as products."""
    if not (isinstance(inst, BinaryOp) and inst.opcode == "fdiv" and [index for index, *_ in partials] == [1]):
        return partials
    power = _power_of_two(inst.operands[0])
    if power is None:
        return partials
    other: Expr = Result() if power == 1.0 else Binary("mul", Result(), Const(1.0 / power))
    return [(1, partials[0][1], Neg(Binary("mul", Result(), other)))]


def _power_of_two(value: Value) -> float | None:
    """A constant that is a power of two, or the negative of one, and the same in all lanes."""
    if isinstance(value, ConstantAggregate) and value.elements:
        powers = {_power_of_two(each) for each in value.elements}
        return powers.pop() if len(powers) == 1 else None
    if not isinstance(value, ConstantFloat):
        return None
    number = value.value
    exact = math.isfinite(number) and abs(math.frexp(number)[0]) == 0.5 and 1 / _RANGE <= abs(number) <= _RANGE
    return number if exact else None
