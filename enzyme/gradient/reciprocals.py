"""Divisions in derivatives, where to multiply by a reciprocal is less work.

Of ``x / y`` the reverse sweep divides an adjoint by ``y``, and forward mode tangents. Where several lanes are divided
by one ``y``, or iterations of a loop, they are multiplied by ``1 / y`` instead: one division. In the reverse sweep that
is done, too, where the program divides several numbers by ``y``, or computes ``1 / y`` itself, and for the partial of a
square root, ``0.5 / r``, where it has ``1 / r``: there ``y`` is known early, and no division is left on the way that
adjoints go. The same goes for ``x / r`` of an active root ``r``, for the root's partial is had by that reciprocal, and
for quotients of which the next iteration of a loop is made, as in tridiagonal systems: adjoints go through all of them,
one after the other. Where each iteration would compute the quotient again for the adjoint of ``y`` alone, ``x`` is
multiplied.
A tangent comes with its ``y``, and one division takes less time than another and a product behind it.

A product is rounded once more than the quotient. Where ``y`` is so small that it is no normal number, ``1 / y`` may be
infinite where the quotient is not. In formats of 16 bits, whose numbers end early, divisions are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.loops import Loop
from enzyme.gradient.roots import is_root
from enzyme.ir.types import FloatType, Type
from enzyme.ir.values import (
    BinaryOp,
    Block,
    CallBase,
    Constant,
    ConstantAggregate,
    ConstantFloat,
    Function,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)
from enzyme.rules.expr import Binary, Const, Expr, Neg, Operand, Result, children

if TYPE_CHECKING:
    from enzyme.gradient.subject import Subject

_MOST = 100
"""Numbers of an iteration that are looked at."""


def inverse(below: Expr) -> Expr:
    return Binary("div", Const(1.0), below)


def reciprocals(
    subject: Subject, inst: Instruction, operands: Sequence[Value], partials: Iterable[Expr]
) -> dict[Expr, Instruction]:
    """Reciprocals in the partials of ``inst`` that the program computes in the same block."""
    found: dict[Expr, Instruction] = {}
    work = list(partials) if _is_wide(inst.type) else []
    while work:
        node = work.pop()
        work += children(node)
        match node:
            case Binary("div", Const(), Operand(index) as below):
                divisor = operands[index]
            case Binary("div", Const(), Result(0) as below):
                divisor = inst
            case _:
                continue
        beside = subject.quotients.get((divisor, inst.block))
        for other in beside.of_one if beside is not None else ():
            if other is not inst and other.type is inst.type and set(other.fast_math) <= set(inst.fast_math):
                found[inverse(below)] = other
    return found


def multiplied(partials: Iterable[tuple[int, Value, Expr]]) -> list[tuple[int, Value, Expr]]:
    """The partials of a quotient, with the product of its operand and the reciprocal in place of the quotient."""

    def without(tree: Expr) -> Expr:
        match tree:
            case Neg(inner):
                return Neg(without(inner))
            case Binary("mul", Result(0), other):
                return Binary("mul", Binary("mul", Operand(0), inverse(Operand(1))), other)
        return tree

    return [(index, operand, without(partial)) for index, operand, partial in partials]


def pays(subject: Subject, inst: Instruction, lanes: int) -> bool:
    """Whether the derivative of ``inst`` in so many lanes, if it is a quotient, is better off with a reciprocal."""
    if not (isinstance(inst, BinaryOp) and inst.opcode == "fdiv" and _is_wide(inst.type)):
        return False
    return lanes > 1 or isinstance(inst.operands[1], Constant) or is_by_the_same(subject, inst)


def is_by_the_same(subject: Subject, inst: Instruction) -> bool:
    """Whether ``inst`` is a quotient, and all iterations of its loop divide by one number."""
    if not (isinstance(inst, BinaryOp) and inst.opcode == "fdiv" and _is_wide(inst.type)):
        return False
    loop = subject.loops.loop_of(inst.block)
    return loop is not None and loop.is_invariant(inst.operands[1])


def goes_around(subject: Subject, inst: Instruction) -> bool:
    """Whether ``inst`` is a quotient that a later iteration of its loop hangs on, which has one of its own: then an
    adjoint comes by as many divisions, one after the other."""
    if not (isinstance(inst, BinaryOp) and inst.opcode == "fdiv" and _is_wide(inst.type)):
        return False
    loop = subject.loops.loop_of(inst.block)
    if loop is None or isinstance(inst.operands[1], Constant):
        return False
    before = _slice(inst, loop, lambda each: each.operands)
    behind = _slice(inst, loop, lambda each: each.users)
    if any(isinstance(each, Phi) and each.block is loop.header and each in behind for each in before):
        return True
    stores = [each for each in behind if isinstance(each, Store)]
    loads = [each for each in before if isinstance(each, Load)]
    return any(_finds(subject, loop, load, store) for load in loads for store in stores)


def _finds(subject: Subject, loop: Loop, load: Load, store: Store) -> bool:
    """Whether a load may find what a store has left in an earlier iteration."""
    if load.pointer is store.pointer and not loop.is_invariant(load.pointer):
        return False  # each element by itself
    return subject.alias.mod_ref(store, subject.alias.location(load), same_iteration=False).may_write


def _slice(inst: Instruction, loop: Loop, further: Callable[[Instruction], Iterable[Value]]) -> dict[Instruction, None]:
    """The numbers that one is made of in an iteration of a loop, from the loads and phis on that it begins with, or
    those that are made of it, up to the stores and phis."""
    found: dict[Instruction, None] = {}
    work = [inst]
    while work and len(found) < _MOST:
        each = work.pop()
        if each in found:
            continue
        found[each] = None
        if isinstance(each, (Load, Store)) or (isinstance(each, Phi) and each.block is loop.header):
            continue
        work += [
            other
            for other in further(each)
            if isinstance(other, Instruction)
            and other.block in loop.blocks
            and (isinstance(other, Store) or isinstance(other.type.scalar, FloatType))
        ]
    return found


def stands_beside_another(subject: Subject, inst: Instruction, activity: ActivityResult) -> bool:
    """Whether ``inst`` is a quotient, and so is something else that is active, by the same number."""
    if not isinstance(inst, BinaryOp) or inst.opcode != "fdiv" or not _is_wide(inst.type):
        return False
    beside = subject.quotients.get((inst.operands[1], inst.block))
    return beside is not None and any(
        other is not inst and other.type is inst.type and activity.active_value(other)
        for other in chain(beside.others, beside.of_one)
    )


def root_below(inst: Value, activity: ActivityResult) -> CallBase | None:
    """The active square root, computed in the same block, that ``inst`` divides another number by."""
    if not isinstance(inst, BinaryOp) or inst.opcode != "fdiv" or not _is_wide(inst.type):
        return None
    root = inst.operands[1]
    if not isinstance(root, CallBase) or root.block is not inst.block or root is inst.operands[0]:
        return None
    return root if activity.active_value(root) and is_root(root) else None


def divides(root: Instruction, activity: ActivityResult) -> bool:
    """Whether active numbers are divided by a square root, as :func:`root_below` says."""
    quotients = (user for user in root.users if activity.active_value(user))
    return isinstance(root, CallBase) and any(root_below(user, activity) is root for user in quotients)


@dataclass
class Quotients:
    """The divisions of one block by one number: those of one, which make its reciprocal, and the others."""

    of_one: list[Instruction] = field(default_factory=list)
    others: list[Instruction] = field(default_factory=list)


def quotients(function: Function) -> dict[tuple[Value, Block | None], Quotients]:
    """All divisions of a function, found once: of a block of many statements each would look for the others."""
    found: dict[tuple[Value, Block | None], Quotients] = {}
    for inst in function.instructions():
        if isinstance(inst, BinaryOp) and inst.opcode == "fdiv" and inst.operands[0] is not inst.operands[1]:
            of = found.setdefault((inst.operands[1], inst.block), Quotients())
            (of.of_one if _is_one(inst.operands[0]) else of.others).append(inst)
    return found


def _is_wide(type: Type) -> bool:
    return isinstance(type.scalar, FloatType) and type.scalar.kind in ("float", "double")


def _is_one(value: Value) -> bool:
    if isinstance(value, ConstantAggregate):
        return bool(value.elements) and all(map(_is_one, value.elements))
    return isinstance(value, ConstantFloat) and value.value == 1.0
