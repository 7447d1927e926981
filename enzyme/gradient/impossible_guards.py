"""Guards of an earlier derivative that never hold.

Where a partial may be infinite, a zero that is multiplied by it is to stay zero, and a derivative that is to be
differentiated itself asks for both: whether what comes in is zero, and whether the partial, or a number that it is made
of, is not finite (apply.py). Often what comes in has been multiplied by that same number: ``1 / sqrt(x)`` hands
``-r * r`` to its root, whose partial is ``r / 2``. Where ``r`` is infinite or NaN, a product with it is so, too, and no
zero. Such a guard would be asked in each iteration, kept on the tape for the next reverse sweep, and waited for.
"""

from __future__ import annotations

from enzyme.ir.module import Module
from enzyme.ir.types import I1
from enzyme.ir.values import BinaryOp, Compare, ConstantFloat, ConstantInt, Instruction, Select, UnaryOp, Value

_DEPTH = 6


def drop_impossible_guards(module: Module) -> None:
    """Have choices by such guards take what they always take."""
    for function in list(module.functions.values()):
        if function.is_declaration or (function.body_text is not None and "fcmp uno" not in function.body_text):
            continue
        for inst in list(function.instructions()):
            if isinstance(inst, BinaryOp) and inst.opcode == "and" and inst.type is I1 and _never_holds(inst):
                _take(inst)


def _never_holds(guard: BinaryOp) -> bool:
    one, other = guard.operands
    for zero, wild in ((one, other), (other, one)):
        factor, number = _compared_with_zero(zero), _not_finite(wild)
        if factor is not None and number is not None and _is_product(factor, number):
            return True
    return False


def _compared_with_zero(value: Value) -> Value | None:
    """What is asked to be zero."""
    return _against_zero(value, "oeq")


def _not_finite(value: Value) -> Value | None:
    """What is asked to be infinite or NaN: then only, taken off itself, it gives NaN."""
    difference = _against_zero(value, "uno")
    if isinstance(difference, BinaryOp) and difference.opcode == "fsub":
        left, right = difference.operands
        return left if left is right else None
    return None


def _against_zero(value: Value, predicate: str) -> Value | None:
    if not isinstance(value, Compare) or value.predicate != predicate or value.opcode != "fcmp":
        return None
    left, right = value.operands
    return left if isinstance(right, ConstantFloat) and right.value == 0.0 else None


def _is_product(value: Value, number: Value, depth: int = _DEPTH) -> bool:
    """Whether a value is a product with a number: then it is infinite or NaN where that is."""
    if value is number:
        return True
    if depth == 0:
        return False
    if isinstance(value, UnaryOp) and value.opcode == "fneg":
        return _is_product(value.operands[0], number, depth - 1)
    if isinstance(value, BinaryOp) and value.opcode == "fmul":
        return any(_is_product(each, number, depth - 1) for each in value.operands)
    return False


def _take(guard: Instruction) -> None:
    """Replace a guard by what it is, and the choices that hang on it."""
    for user in list(guard.users):
        if isinstance(user, Select) and user.operands[0] is guard:
            user.replace_all_uses_with(user.operands[2])
            user.erase()
    if guard.users:
        guard.replace_all_uses_with(ConstantInt(I1, 0))
    guard.erase()
