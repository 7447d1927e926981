"""The partial of a square, once: ``2 x d`` in place of ``x d + x d``.

A product of a number with itself has two equal partials, and ``x d`` was added to the adjoint of ``x`` twice, one
after the other. Now it is one product with ``x + x``, which does not wait for ``d``, and adding it is fused with that.
Where squares are added up, ``d`` is the same for all of them, and it is ``d + d`` that is multiplied by each number.
Doubling is exact.

That is in reverse mode. A tangent of a square stays ``x t + x t``: it is as much to do.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.gradient.sums import is_fused
from enzyme.ir.values import BinaryOp, Instruction, Phi, Value
from enzyme.rules.expr import Binary, Expr, Operand

_Partials = list[tuple[int, Value, Expr]]


def of_square(operands: Sequence[Value], partials: _Partials) -> _Partials:
    """The partials of an instruction; where two of them are each other's operand, one."""
    match partials:
        case [(0, one, Operand(1) as partial), (1, other, Operand(0)), *rest] if one is other:
            assert operands[0] is operands[1]
            return [(0, one, Binary("add", partial, partial)), *rest]
    return partials


def is_added_up(inst: Instruction) -> bool:
    """Whether a product goes straight into a sum that a loop makes."""
    if is_fused(inst):
        return isinstance(inst.operands[2], Phi)
    (user, *others) = inst.users or (None,)
    if others or not isinstance(user, BinaryOp) or user.opcode not in ("fadd", "fsub"):
        return False
    return any(isinstance(each, Phi) for each in user.operands)
