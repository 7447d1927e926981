"""Scalar rules put to work: from the partials of a row, the tangent of a result and the adjoints of operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, Type, VectorType
from enzyme.ir.values import Instruction, Value, zero
from enzyme.rules.emit import IRExprBuilder
from enzyme.rules.expr import Binary, Const, Expr, Leaf, Neg, emit
from enzyme.rules.rule import ScalarRule


def scaled(
    build: Builder,
    factor: Value,
    partial: Expr,
    leaf: Callable[[Leaf], Value],
    type: Type,
    flags: Sequence[str],
    module: Module,
    singular: bool,
    shared: dict[Expr, Value],
) -> Value:
    """``factor * partial``, with the multiplications by one and minus one left out and 1/y made a division.

    Where the partial may be infinite or NaN at a finite operand, a zero factor gives zero.
    """
    maker = IRExprBuilder(Builder(build.block, flags, build.before), module)

    def make(tree: Expr) -> Value:
        return emit(tree, maker, leaf, type, shared)

    match partial:
        case Const(1.0):
            return factor
        case Const(-1.0):
            return build.fneg(factor, flags)
        case Neg(inner):
            return build.fneg(scaled(build, factor, inner, leaf, type, flags, module, singular, shared), flags)
        case Binary("div", Const(1.0), below):
            product = build.fdiv(factor, make(below), flags)
        case _:
            product = build.fmul(factor, make(partial), flags)
    if singular and not {"nnan", "fast"} & set(flags):
        product = build.select(build.fcmp("oeq", factor, zero(type), ()), zero(type), product)
    return product


def operand_values(inst: Instruction) -> Sequence[Value]:
    """The operands a rule's ``X(i)`` speaks of: arguments of a call, operands of an instruction."""
    args = getattr(inst, "args", None)
    return args if args is not None else inst.operands


def convert(build: Builder, value: Value, to: Type) -> Value:
    """A tangent or adjoint in another floating-point format (the derivative of fpext and fptrunc)."""
    return build.float_cast(value, to)


def rule_type(inst: Instruction) -> Type:
    """The floating-point type a rule computes in: that of the result."""
    return inst.type


def is_float(type: Type) -> bool:
    """A floating-point scalar or vector."""
    return isinstance(type, FloatType) or (isinstance(type, VectorType) and isinstance(type.element, FloatType))


def active_partials(rule: ScalarRule, inst: Instruction, active: Callable[[Value], bool]) -> list[tuple[int, Value, Expr]]:
    """(index, operand, partial) for the operands that carry a derivative."""
    found = []
    for index, operand in enumerate(operand_values(inst)):
        partial = rule.partials[index] if index < len(rule.partials) else None
        if partial is not None and is_float(operand.type) and active(operand):
            found.append((index, operand, partial))
    return found
