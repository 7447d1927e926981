"""Library functions with several results, and reductions of vectors: their tangents and what undoes them.

What a result's derivative by an operand is, is stated once for both directions: by the partials of a
:class:`~enzyme.rules.hooks.MemoryHook`, and for the elements of a vector by :class:`_Weights`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enzyme.gradient.apply import Shared, is_float, scaled
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I8, StructType, Type, VectorType
from enzyme.ir.values import CallBase, ConstantInt, Value, zero
from enzyme.rules.expr import Expr, IntOperand, Leaf, Operand, Result
from enzyme.rules.hooks import HookResult, MemoryHook, ReductionHook

if TYPE_CHECKING:
    from enzyme.gradient.forward import Forward
    from enzyme.gradient.reverse import ReverseSweep, Site


def _format(inst: CallBase) -> Type:
    """The floating-point type that a function with several results works in."""
    return next((a.type for a in inst.args if is_float(a.type)), inst.type)


def _leaf(build: Builder, inst: CallBase, primal: Callable[[Value], Value]) -> Callable[[Leaf], Value]:
    """The values that partials are made of."""

    def leaf(node: Leaf) -> Value:
        if isinstance(node, (Operand, IntOperand)):
            return primal(inst.args[node.index])
        assert isinstance(node, Result)
        whole = primal(inst)
        return build.extract_value(whole, node.index) if isinstance(inst.type, StructType) else whole

    return leaf


def _partials(result: HookResult, inst: CallBase, active: Callable[[Value], bool]) -> Iterator[tuple[Value, Expr]]:
    """The active operands of a call that one of its results depends on, each with its partial."""
    for operand, partial in zip(inst.args, result.partials, strict=False):
        if partial is not None and active(operand):
            yield operand, partial


def forward_hook(forward: Forward, inst: CallBase, hook: MemoryHook, build: Builder) -> None:
    """The tangents of all results, in all lanes."""
    shared = Shared()
    for _ in forward.lanes:
        _forward_hook(forward, inst, hook, build, shared)


def _forward_hook(forward: Forward, inst: CallBase, hook: MemoryHook, build: Builder, shared: Shared) -> None:
    flags = (*inst.fast_math, *forward.flags)
    type, leaf = _format(inst), _leaf(build, inst, forward.copy.of)
    singular, module = hook.singular or forward.request.strong_zero, forward.engine.module
    whole: Value = zero(inst.type) if not inst.type.is_void else ConstantInt(I8, 0)
    for result in hook.results:
        if result.element != "float":
            continue
        total: Value | None = None
        for operand, partial in _partials(result, inst, forward.activity.active_value):
            tangent = forward.tangent(operand)
            term = scaled(build, tangent, partial, leaf, type, flags, module, singular, shared, forward.engine.again)
            total = term if total is None else build.fadd(total, term, flags)
        amount = total if total is not None else zero(type)
        if result.place == "pointer":
            pointer = inst.args[result.index]
            if forward.activity.needs_shadow(pointer):
                build.store(amount, forward.shadows.address(inst, pointer, "sink"))
        elif result.place == "field":
            whole = build.insert_value(whole, amount, result.index)
        else:
            whole = amount
    if forward.activity.active_value(inst):
        forward.tangents[inst] = whole


def undo_hook(sweep: ReverseSweep, inst: CallBase, hook: MemoryHook, site: Site) -> None:
    """In all lanes: take each result's adjoint, then hand all of them to the operands."""
    shared = Shared()
    for _ in sweep.lanes:
        _undo_hook(sweep, inst, hook, site, shared)


def _undo_hook(sweep: ReverseSweep, inst: CallBase, hook: MemoryHook, site: Site, shared: Shared) -> None:
    build = site.build
    flags = (*inst.fast_math, *sweep.engine.extra_flags(sweep.subject))
    type, leaf = _format(inst), _leaf(build, inst, lambda value: sweep.primal(site, value))
    singular, module = hook.singular or sweep.request.strong_zero, sweep.engine.module
    whole = sweep.adjoints.take(build, inst) if sweep.activity.active_value(inst) else None
    amounts: list[tuple[Value, Value]] = []
    for result in hook.results:
        if result.element != "float":
            continue
        if result.place == "pointer":
            pointer = inst.args[result.index]
            if not sweep.activity.needs_shadow(pointer):
                continue
            shadow = sweep.shadow_address(site, inst, pointer, "zero")
            adjoint: Value = build.load(type, shadow)
            build.store(zero(type), shadow)
        elif whole is None:
            continue
        else:
            adjoint = build.extract_value(whole, result.index) if result.place == "field" else whole
        for operand, partial in _partials(result, inst, sweep.activity.active_value):
            amount = scaled(build, adjoint, partial, leaf, type, flags, module, singular, shared, sweep.engine.again)
            amounts.append((operand, amount))
    for operand, amount in amounts:
        sweep.adjoints.add(build, operand, amount, flags)


@dataclass
class _Weights:
    """What each element of a reduced vector, and the start value, count for in the result: factors (None for one), or
    bits that say which element is the result."""

    build: Builder
    flags: tuple[str, ...]
    elements: list[Value | None]
    start: Value | None = None

    def weighed(self, amount: Value, weight: Value | None) -> Value:
        if weight is None:
            return amount
        if weight.type is I1:
            return self.build.select(weight, amount, zero(amount.type))
        return self.build.fmul(amount, weight, self.flags)


def _operands(inst: CallBase) -> tuple[Value | None, Value, VectorType]:
    """The start value of a reduction, if it has one, and the vector."""
    vector = inst.args[-1]
    assert isinstance(vector.type, VectorType)
    return (inst.args[0] if len(inst.args) > 1 else None), vector, vector.type


def _weights(
    build: Builder, inst: CallBase, hook: ReductionHook, primal: Callable[[Value], Value], flags: tuple[str, ...]
) -> _Weights:
    start, vector, type = _operands(inst)
    found = _Weights(build, flags, [None] * type.count)
    if not (hook.first_only or hook.products):
        return found
    whole = primal(vector)
    values = [build.extract_element(whole, index) for index in range(type.count)]
    if hook.first_only:
        before: Value = ConstantInt(I1, 0)
        for index, value in enumerate(values):
            hit = build.fcmp("oeq", value, primal(inst), ())
            found.elements[index] = build.and_(hit, build.xor(before, ConstantInt(I1, 1)))
            before = build.or_(before, hit)
        return found
    prefixes = [primal(start) if start is not None else build.const_float(type.element, 1.0)]
    for value in values[:-1]:
        prefixes.append(build.fmul(prefixes[-1], value, flags))
    suffix: Value = build.const_float(type.element, 1.0)
    for index in reversed(range(type.count)):
        found.elements[index] = build.fmul(prefixes[index], suffix, flags)
        suffix = build.fmul(suffix, values[index], flags)
    found.start = suffix
    return found


def forward_reduction(forward: Forward, inst: CallBase, hook: ReductionHook, build: Builder) -> None:
    """The tangents of fadd, fmul, fmin or fmax over the elements of a vector, in all lanes."""
    start, vector, type = _operands(inst)
    flags = (*inst.fast_math, *forward.flags)
    weights = _weights(build, inst, hook, forward.copy.of, flags)
    for _ in forward.lanes:
        total: Value = zero(type.element)
        if start is not None:
            total = weights.weighed(forward.tangent(start), weights.start)
        tangents = forward.tangent(vector)
        for index, weight in enumerate(weights.elements):
            piece = weights.weighed(build.extract_element(tangents, index), weight)
            total = build.fadd(total, piece, flags)
        forward.tangents[inst] = total


def undo_reduction(sweep: ReverseSweep, inst: CallBase, hook: ReductionHook, site: Site) -> None:
    """The same reductions undone, in all lanes."""
    build = site.build
    start, vector, type = _operands(inst)
    flags = (*inst.fast_math, *sweep.engine.extra_flags(sweep.subject))
    weights = _weights(build, inst, hook, lambda value: sweep.primal(site, value), flags)
    for _ in sweep.lanes:
        adjoint = sweep.adjoints.take(build, inst)
        amount: Value = zero(type)
        for index, weight in enumerate(weights.elements):
            amount = build.insert_element(amount, weights.weighed(adjoint, weight), index)
        if sweep.activity.active_value(vector):
            sweep.adjoints.add(build, vector, amount, flags)
        if start is not None and sweep.activity.active_value(start):
            sweep.adjoints.add(build, start, weights.weighed(adjoint, weights.start), flags)
