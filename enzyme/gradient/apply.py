"""Scalar rules put to work: from the partials of a row, the tangent of a result and the adjoints of operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, Type, VectorType
from enzyme.ir.values import Instruction, Value, zero
from enzyme.rules.emit import IRExprBuilder
from enzyme.rules.expr import Binary, Const, Expr, Leaf, Neg, emit
from enzyme.rules.rule import ScalarRule


@dataclass
class Shared:
    """Code already built for one instruction at one place: expressions, and quotients of an incoming derivative."""

    trees: dict[Expr, Value] = field(default_factory=dict)
    quotients: dict[tuple[Value, Expr], Value] = field(default_factory=dict)


def scaled(
    build: Builder,
    factor: Value,
    partial: Expr,
    leaf: Callable[[Leaf], Value],
    type: Type,
    flags: Sequence[str],
    module: Module,
    singular: bool,
    shared: Shared,
) -> Value:
    """``factor * partial``, with the multiplications by one and minus one left out and 1/y made a division.

    Where the partial may be infinite or NaN at a finite operand, a zero factor gives zero.
    """
    maker = IRExprBuilder(Builder(build.block, flags, build.before), module)

    quotients = shared.quotients

    def quotient(below: Expr) -> Value:
        """``factor / below``, built once for all partials of an instruction (x/y has 1/y and -(x/y)/y)."""
        key = (factor, below)
        found = quotients.get(key)
        if found is None:
            found = quotients[key] = build.fdiv(factor, make(below), flags)
        return found

    def make(tree: Expr) -> Value:
        return emit(tree, maker, leaf, type, shared.trees)

    match partial:
        case Const(1.0):
            return factor
        case Const(-1.0):
            return build.fneg(factor, flags)
        case Neg(inner):
            return build.fneg(scaled(build, factor, inner, leaf, type, flags, module, singular, shared), flags)
        case Binary("div", Const(1.0), below):
            product = quotient(below)
        case Binary("mul", other, Binary("div", Const(1.0), below)):
            product = build.fmul(quotient(below), make(other), flags)
        case _:
            product = build.fmul(factor, make(partial), flags)
    if singular:
        product = build.select(build.fcmp("oeq", factor, zero(type), ()), zero(type), product)
    return product


def operand_values(inst: Instruction) -> Sequence[Value]:
    """The operands a rule's ``X(i)`` speaks of: arguments of a call, operands of an instruction."""
    args = getattr(inst, "args", None)
    return args if args is not None else inst.operands


def is_float(type: Type) -> bool:
    """A floating-point scalar or vector."""
    return isinstance(type, FloatType) or (isinstance(type, VectorType) and isinstance(type.element, FloatType))


def active_partials(
    rule: ScalarRule, inst: Instruction, active: Callable[[Value], bool]
) -> list[tuple[int, Value, Expr]]:
    """(index, operand, partial) for the operands that carry a derivative."""
    found = []
    for index, operand in enumerate(operand_values(inst)):
        partial = rule.partials[index] if index < len(rule.partials) else None
        if partial is not None and is_float(operand.type) and active(operand):
            found.append((index, operand, partial))
    return found
