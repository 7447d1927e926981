"""Scalar rules put to work: from the partials of a row, the tangent of a result and the adjoints of operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

from enzyme.gradient.partners import partners
from enzyme.gradient.quotients import without_division
from enzyme.gradient.reciprocals import (
    divides,
    goes_around,
    inverse,
    is_by_the_same,
    multiplied,
    pays,
    reciprocals,
    root_below,
    stands_beside_another,
)
from enzyme.gradient.roots import is_root, of_roots
from enzyme.gradient.squares import is_added_up, of_square
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, Type, VectorType
from enzyme.ir.values import Compare, ConstantFloat, ConstantInt, Instruction, Value, zero
from enzyme.rules.emit import IRExprBuilder
from enzyme.rules.expr import Binary, Const, Expr, IntOperand, Leaf, Neg, Operand, Result, emit
from enzyme.rules.rule import ScalarRule
from enzyme.rules.scalar import lookup_instruction
from enzyme.support.devices import is_gpu

if TYPE_CHECKING:
    from enzyme.gradient.reverse import ReverseSweep, Site


@dataclass
class Shared:
    """Code already built for one instruction at one place: expressions, and quotients of an incoming derivative.
    ``reciprocal``: whether these are products with a reciprocal (reciprocals.py); ``doubled``: whether an incoming
    derivative is doubled, and not the number that it is multiplied by (squares.py)."""

    trees: dict[Expr, Value] = field(default_factory=dict)
    quotients: dict[tuple[Value, Expr], Value] = field(default_factory=dict)
    spreads: dict[tuple[Value, Type], Value] = field(default_factory=dict)
    reciprocal: bool = False
    doubled: bool = False

    def spread(self, build: Builder, value: Value, type: Type) -> Value:
        """A number for each of the lanes that ``type`` has; the number itself for one lane."""
        if value.type is type:
            return value
        assert isinstance(type, VectorType)
        found = self.spreads.get((value, type))
        if found is None:
            found = self.spreads[value, type] = build.splat(value, type)
        return found


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
    again: bool,
) -> Value:
    """``factor * partial``, with the multiplications by one and minus one left out and 1/y made a division, unless the
    reciprocal is there for more. The factor is of ``type``, or a vector of such numbers for several lanes.

    Where the partial may be infinite or NaN at a finite operand, a zero factor gives zero. A zero has a derivative,
    though: in what is differentiated ``again`` the product is left alone where its partial is finite.
    """
    family = "libdevice" if is_gpu(module.triple) else "libm"
    maker = IRExprBuilder(Builder(build.block, flags, build.before), module, family)

    quotients = shared.quotients

    def quotient(below: Expr) -> Value:
        """``factor / below``, built once for all partials of an instruction (x/y has 1/y and -(x/y)/y)."""
        key = (factor, below)
        found = quotients.get(key)
        if found is None:
            if shared.reciprocal:
                found = build.fmul(factor, make(inverse(below)), flags)
            else:
                found = build.fdiv(factor, make(below), flags)
            quotients[key] = found
        return found

    def is_wild(below: Expr) -> Value:
        """Whether the reciprocal of a number is infinite or NaN."""
        if shared.reciprocal:
            return _no_number(build, make(inverse(below)))
        return build.fcmp("ueq", make(below), zero(factor.type), ())

    def make(tree: Expr) -> Value:
        return shared.spread(build, emit(tree, maker, leaf, type, shared.trees), factor.type)

    wild: list[Value] = []
    """Where the partial is infinite or NaN."""
    match partial:
        case Const(1.0):
            return factor
        case Const(-1.0):
            return build.fneg(factor, flags)
        case Neg(inner):
            return build.fneg(scaled(build, factor, inner, leaf, type, flags, module, singular, shared, again), flags)
        case Binary("add", one, other) if shared.doubled and one == other:
            twice = build.fadd(factor, factor, flags)
            product = build.fmul(twice, make(one), flags)
            wild = [_no_number(build, make(one))] if singular and again else []
        case Binary("div", Const(1.0), below):
            product = quotient(below)
            wild = [is_wild(below)] if singular and again else []
        case Binary("div", Const(), below) if shared.reciprocal:
            product = build.fmul(factor, make(Binary("mul", inverse(below), partial.left)), flags)
            wild = [is_wild(below)] if singular and again else []
        case Binary("mul", other, Binary("div", Const(1.0), below)):
            product = build.fmul(quotient(below), make(other), flags)
            if singular and again:
                wild = [is_wild(below), _no_number(build, make(other))]
        case Binary("mul", Result(), Result() | Binary("mul", Result(), Const())):  # the square may overflow
            product = build.fmul(build.fmul(factor, make(partial.left), flags), make(partial.right), flags)
            wild = [_no_number(build, make(Result()))] if singular and again else []
        case _:
            product = build.fmul(factor, make(partial), flags)
            wild = [_no_number(build, make(partial))] if singular and again else []
    if singular:
        nothing = zero(factor.type)
        # The product comes first: so LLVM makes a masked product of it, where a processor has such.
        if not again:
            return build.select(build.fcmp("une", factor, nothing, ()), product, nothing)
        empty = build.and_(build.fcmp("oeq", factor, nothing, ()), reduce(build.or_, wild))
        product = build.select(empty, nothing, product)
    return product


def _no_number(build: Builder, value: Value) -> Value:
    """Whether a value is infinite or NaN: then only, it is not itself."""
    return build.fcmp("uno", build.fsub(value, value, ()), zero(value.type), ())


def operand_values(inst: Instruction) -> Sequence[Value]:
    """The operands a rule's ``X(i)`` speaks of: arguments of a call, operands of an instruction."""
    args = getattr(inst, "args", None)
    return args if args is not None else inst.operands


def is_singular(rule: ScalarRule, operands: Sequence[Value]) -> bool:
    """Whether a partial can be infinite or NaN at finite operands. That of a square, a cube or the like is a product,
    and treated as the program's own products are; higher powers overflow so early that they are not."""
    if rule.regular_powers and isinstance(operands[1], (ConstantFloat, ConstantInt)):
        return operands[1].value not in (1, 2, 3, 4)
    return rule.singular


def rule_leaf(inst: Instruction, primal: Callable[[Value], Value]) -> Callable[[Leaf], Value]:
    """The values that the partials of a rule are made of: operands of the instruction, and its result."""
    operands = operand_values(inst)

    def leaf(node: Leaf) -> Value:
        return primal(operands[node.index] if isinstance(node, (Operand, IntOperand)) else inst)

    return leaf


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


def _is_passed_by(root: Instruction, active: Callable[[Value], bool]) -> bool:
    """Whether ``root`` is a square root, and the derivatives of all that is made of it go to its operand (roots.py)."""
    if not is_root(root):
        return False
    for user in root.users:
        rule = lookup_instruction(user) if isinstance(user, Instruction) else None
        if rule is None:  # what puts it into memory, hands it on or chooses it; a comparison does nothing with it
            if not isinstance(user, Compare):
                return False
        elif active(user):
            partials = of_roots(user, active_partials(rule, user, active), active)
            if any(operand is root for _, operand, _ in partials):
                return False
    return True


def undo_rule(sweep: ReverseSweep, inst: Instruction, rule: ScalarRule, site: Site) -> None:
    """adjoint(operand) += adjoint(result) * partial, for every active operand."""
    build = site.build
    flags = (*inst.fast_math, *sweep.engine.extra_flags(sweep.subject))
    leaf, shared = rule_leaf(inst, lambda value: sweep.primal(site, value)), Shared()
    partials = active_partials(rule, inst, sweep.activity.active_value)
    engine = sweep.engine
    if engine.config.partners:
        calls = partners(sweep.subject, inst, operand_values(inst), [partial for *_, partial in partials])
        shared.trees.update({tree: sweep.primal(site, call) for tree, call in calls.items()})
    if engine.config.quotients:
        partials = without_division(inst, partials)
    if engine.config.reciprocals:
        known = reciprocals(sweep.subject, inst, operand_values(inst), [partial for *_, partial in partials])
        shared.trees.update({tree: sweep.primal(site, each) for tree, each in known.items()})
        root, is_divisor = root_below(inst, sweep.activity), divides(inst, sweep.activity)
        if is_divisor and inverse(Result(0)) not in known:  # LLVM finds it, computed for the quotients by this root
            one = build.const_float(inst.type, 1.0)
            shared.trees[inverse(Result(0))] = build.fdiv(one, sweep.primal(site, inst), flags)
        beside = is_divisor or root is not None or stands_beside_another(sweep.subject, inst, sweep.activity)
        better = bool(known) or beside or pays(sweep.subject, inst, sweep.lanes.width)
        shared.reciprocal = better or goes_around(sweep.subject, inst)
        by_the_same = root is not None or is_by_the_same(sweep.subject, inst)
        if by_the_same and sweep.computes_for_this(site, inst):
            partials = multiplied(partials)
    if engine.config.roots and sweep.sums is None:
        if _is_passed_by(inst, sweep.activity.active_value):
            return
        partials = of_roots(inst, partials, sweep.activity.active_value)
    if engine.config.squares and sweep.sums is None:
        partials = of_square(operand_values(inst), partials)
        shared.doubled = is_added_up(inst)
    singular = is_singular(rule, operand_values(inst)) or sweep.request.strong_zero
    if sweep.sums is None and sweep.adjoints.is_together(inst, *(operand for _, operand, _ in partials)):
        adjoints = sweep.adjoints.take_together(build, inst)
        for _, operand, partial in partials:
            amounts = scaled(
                build, adjoints, partial, leaf, inst.type, flags, engine.module, singular, shared, engine.again
            )
            if operand.type is not inst.type:
                amounts = build.float_cast(amounts, VectorType(sweep.lanes.width, operand.type))
            sweep.adjoints.add_together(build, operand, amounts, flags)
        return
    for _ in sweep.lanes:
        adjoint = sweep.adjoints.take(build, inst)
        for index, operand, partial in partials:
            handed = adjoint if sweep.sums is None else sweep.sums.adjoint(site, inst, index, adjoint)
            if handed is None:
                continue
            amount = scaled(
                build, handed, partial, leaf, inst.type, flags, engine.module, singular, shared, engine.again
            )
            if operand.type is not inst.type:
                amount = build.float_cast(amount, operand.type)
            sweep.adjoints.add(build, operand, amount, flags)
