"""Products of a square root and what it is the root of, derived without the root's own partial.

With ``r`` the root of ``s``, ``r r`` is ``s``, and ``s r`` and ``r r r`` are ``s`` to the power of one and a half, as
distances between bodies come in the laws that pull them. The reverse sweep went by the root, whose partial ``0.5 / r``
is a division, with an adjoint that ``s`` is a factor of. Both together are a product: of ``r r`` the partial by ``s``
is 1, of the others ``1.5 r``. It goes to ``s`` at once. A root of which nothing else is made is not undone at all.

What is left is finite where the product is smooth: at ``s = 0`` it was zero times an infinite partial.

That is in reverse mode. A tangent of the root is there for all that is made of it.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.ir.values import BinaryOp, CallBase, Instruction, Value
from enzyme.rules.expr import Binary, Const, Expr, Operand, Result
from enzyme.rules.scalar import lookup_instruction

_Partials = list[tuple[int, Value, Expr]]

OF_ROOT = Binary("div", Const(0.5), Result(0))
"""The partial of a square root."""


def is_root(value: Value) -> bool:
    """Whether a value is the square root of something."""
    rule = lookup_instruction(value) if isinstance(value, CallBase) else None
    return rule is not None and rule.partials == (OF_ROOT,)


def of_roots(inst: Instruction, partials: _Partials, active: Callable[[Value], bool]) -> _Partials:
    """The partials of an instruction; of a product of a root and what it is the root of, the one of the latter."""
    match partials:
        case [(0, left, Operand(1)), (1, right, Operand(0)), *rest]:
            pass
        case _:
            return partials
    for index, root, other in ((0, left, right), (1, right, left)):
        if not (is_root(root) and active(root) and root.type is inst.type):
            continue
        assert isinstance(root, CallBase)
        below = root.args[0]
        if root.block is not inst.block or not active(below):
            continue
        if other is root:
            return [(index, below, Const(1.0)), *rest]
        if other is below or _is_square(other, root):
            return [(index, below, Binary("mul", Const(1.5), Operand(index))), *rest]
    return partials


def _is_square(value: Value, root: Value) -> bool:
    """Whether a value is the product of a root with itself, computed beside it."""
    return (
        isinstance(value, BinaryOp)
        and value.opcode == "fmul"
        and value.block is root.block  # type: ignore[attr-defined]
        and all(operand is root for operand in value.operands)
    )
