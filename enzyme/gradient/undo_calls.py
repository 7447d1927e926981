"""How a call is undone in the reverse sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from enzyme.analysis.dispatched import is_rest
from enzyme.gradient import words
from enzyme.gradient.apply import undo_rule
from enzyme.gradient.behind import call_with_room
from enzyme.gradient.calls import defined_callee, facts
from enzyme.gradient.carried import MovedPart, clear, constant_factor, moved_parts, same_bits
from enzyme.gradient.hooks import undo_hook, undo_reduction
from enzyme.gradient.plan_check import emit_check
from enzyme.gradient.primal import builder_after, is_dropped
from enzyme.gradient.reallocation import is_active_reallocation, undo_reallocation
from enzyme.gradient.refusals import refuse_call, refuse_unknown_write
from enzyme.gradient.shuffles import given_back
from enzyme.gradient.struct_copies import clear_numbers, return_numbers
from enzyme.gradient.threads import add_together, again, is_shared, refuse_inner_barriers, refuse_unknown_waits
from enzyme.ir.barriers import is_barrier
from enzyme.ir.builder import Builder
from enzyme.ir.shuffles import shuffled_number
from enzyme.ir.types import I64, PTR, Type
from enzyme.ir.values import Alloca, CallBase, ConstantInt, ConstantToken, Instruction, Value, zero
from enzyme.rules.known import Transfer
from enzyme.rules.scalar import lookup_instruction, lookup_memory_hook, lookup_reduction

if TYPE_CHECKING:
    from enzyme.gradient.augmentation import ActiveCall
    from enzyme.gradient.reverse import ReverseSweep, Site


def undo_call(sweep: ReverseSweep, inst: CallBase, site: Site) -> None:
    """Reverse a call."""
    if is_dropped(inst):
        return
    active = sweep.activity.active_instruction(inst)
    if sweep.augmentation is not None and inst in sweep.augmentation.ended or is_rest(inst):
        if sweep.activity.active_value(inst):
            for _ in sweep.lanes:
                sweep.adjoints.take(site.build, inst)
        return
    if defined_callee(inst) is not None:
        refuse_inner_barriers(sweep, inst)
        if active:
            _undo_defined(sweep, inst, site)
        return
    rule = lookup_instruction(inst)
    if rule is not None:
        if sweep.activity.active_value(inst):
            undo_rule(sweep, inst, rule, site)
        return
    if is_barrier(inst):
        again(site.build, inst, [sweep.primal(site, each) for each in inst.args])
        return
    refuse_unknown_waits(sweep, inst)
    if not active:
        return
    if shuffled_number(inst) is not None:
        args = [sweep.primal(site, each) for each in (inst.args[0], *inst.args[2:])]
        for _ in sweep.lanes:
            adjoint = sweep.adjoints.take(site.build, inst)
            given = given_back(sweep.engine, site.build, inst, adjoint, [args[0], adjoint, *args[1:]])
            if sweep.activity.active_value(inst.args[1]):
                sweep.adjoints.add(site.build, inst.args[1], given)
        return
    name = inst.callee_name
    hook = lookup_memory_hook(name, inst.callee_type) if name else None
    if hook is not None:
        undo_hook(sweep, inst, hook, site)
        return
    reduction = lookup_reduction(name) if name else None
    if reduction is not None:
        undo_reduction(sweep, inst, reduction, site)
        return
    known = facts(inst)
    if known is not None and known.returns_argument is not None and known.effect.none:
        return  # a pointer passed through
    if known is not None and is_active_reallocation(sweep.copy, inst, known):
        undo_reallocation(sweep, inst, known, site)
        return
    if known is not None and known.transfer is not None:
        for _ in sweep.lanes:
            _undo_transfer(sweep, inst, known.transfer, site)
        return
    if known is not None and (
        known.inactive or known.allocation is not None or known.free is not None or known.noreturn
    ):
        refuse_unknown_write(sweep.subject, sweep.activity, inst, known)
        return
    raise refuse_call(sweep.subject, inst)


def renew_shadow(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    """Where a reverse sweep may run again: memory of the function's own has shadows of zero again once all that was
    done with it has been reversed."""
    if not (isinstance(inst, (Alloca, CallBase)) and inst.type.is_pointer and sweep.activity.needs_shadow(inst)):
        return
    build, engine = site.build, sweep.engine
    size: Value | None
    if isinstance(inst, Alloca):
        unit = ConstantInt(I64, sweep.subject.module.datalayout.alloc_size(inst.allocated_type))
        size = build.mul(build.zext(sweep.primal(site, inst.operands[0]), I64), unit)
    else:
        known = facts(inst)
        if known is None or known.allocation is None:
            return
        size = engine.allocation_size(build, known, [sweep.primal(site, a) for a in inst.args])
    if size is not None:
        for _ in sweep.lanes:
            clear(sweep.subject, build, engine, inst, sweep.shadow(site, inst), size)


def _undo_defined(sweep: ReverseSweep, inst: CallBase, site: Site) -> None:
    assert sweep.augmentation is not None
    call = sweep.augmentation.calls[inst]
    request, build, uses = call.request, site.build, call.uses
    if call.outs is not None:
        _undo_at_once(sweep, inst, call, site)
        return
    operands: list[Value] = []

    def add(fetch: Callable[[Site, Value], Value], actual: Value) -> None:
        """Nothing is fetched for a parameter that the reverse function does not use."""
        if len(operands) in call.unasked:
            operands.append(zero(actual.type))
        elif uses[len(operands)]:
            operands.append(fetch(site, actual))
        else:
            operands.append(ConstantToken(actual.type, "poison"))

    for actual, duplicated in zip(inst.args, request.duplicated, strict=True):
        add(sweep.primal, actual)
        if duplicated:
            for _ in sweep.lanes:
                add(sweep.shadow, actual)
    if request.ret == "active":
        seed = call.reverse.args[len(operands)].type
        operands += [same_bits(build, sweep.adjoints.take(build, inst), seed) for _ in sweep.lanes]
    if call.tape is not None:
        operands += [sweep.lookup(site, each) for each in call.tape]
    if call.maps is None:
        made: Value = build.call(call.reverse, operands)
    else:
        made = call_with_room(sweep, inst, call, site, operands)
    outs = [actual for actual, kind in zip(inst.args, request.args, strict=True) if kind == "out"]
    first = int(call.tape is None and request.return_primal and not inst.type.is_void)
    if first:
        result = build.extract_value(made, 0) if outs else made
        emit_check(sweep.engine, build, result, sweep.primal(site, inst), describe(sweep, inst), False)
    for index, actual in enumerate(outs, first):
        for _ in sweep.lanes:
            path = sweep.lanes.path if len(outs) + first == 1 else (index, *sweep.lanes.path)
            gradient = build.extract_value(made, *path)
            sweep.adjoints.add(build, actual, same_bits(build, gradient, sweep.adjoints.type_of(actual)))


def _undo_at_once(sweep: ReverseSweep, inst: CallBase, call: ActiveCall, site: Site) -> None:
    """What is left to do of a call that has been reversed: its adjoint is used up, and the numbers it took have one."""
    for _ in sweep.lanes if call.request.ret == "active" else ():
        adjoint = sweep.adjoints.take(site.build, inst)
        for actual in call.passed:
            _hand_on(sweep, site.build, actual, adjoint)
    for actual, gradient in _numbers_of(inst, call):
        if not _is_made_once(sweep, actual):
            for lane in sweep.lanes:
                _hand_on(sweep, site.build, actual, sweep.lookup(site, gradient[lane]))


def hand_on_at_once(sweep: ReverseSweep) -> None:
    """Give numbers that calls reversed at once were given their adjoints right there, in the forward sweep, where they
    are the same in all loops: there is one adjoint of them, from the beginning on."""
    assert sweep.augmentation is not None
    for inst, call in sweep.augmentation.calls.items():
        for actual, gradient in _numbers_of(inst, call):
            if _is_made_once(sweep, actual):
                for lane in sweep.lanes:
                    value = gradient[lane]
                    assert isinstance(value, Instruction)
                    _hand_on(sweep, builder_after(value), actual, value)


def _numbers_of(inst: CallBase, call: ActiveCall) -> Iterator[tuple[Value, Sequence[Value]]]:
    """The numbers that a call reversed at once was given, and the gradient of each in all lanes."""
    outs = (actual for actual, kind in zip(inst.args, call.request.args, strict=True) if kind == "out")
    return zip(outs, call.outs, strict=True) if call.outs is not None else iter(())


def _is_made_once(sweep: ReverseSweep, value: Value) -> bool:
    return not isinstance(value, Instruction) or sweep.subject.loops.loop_of(value.block) is None


def _hand_on(sweep: ReverseSweep, build: Builder, value: Value, gradient: Value) -> None:
    sweep.adjoints.add(build, value, same_bits(build, gradient, sweep.adjoints.type_of(value)))


def describe(sweep: ReverseSweep, inst: CallBase) -> str:
    return f"{sweep.subject.function.name}: result of a call to {inst.callee_name} that is made again"


def _undo_transfer(sweep: ReverseSweep, inst: CallBase, transfer: Transfer, site: Site) -> None:
    """memcpy, memmove: what the destination's shadow holds goes to the source's, and is cleared. memset: cleared."""
    build, subject, engine = site.build, sweep.subject, sweep.engine
    destination, length = inst.args[transfer.destination], inst.args[transfer.length]
    if not sweep.activity.needs_shadow(destination):
        return
    source = inst.args[transfer.source] if transfer.source is not None else None
    at_run_time, shadows = sweep.request.at_run_time, sweep.shadows
    if source is None or not sweep.activity.needs_shadow(source):
        if subject.types.memory_may_carry_float(destination, _constant(length)):
            size = build.zext(sweep.primal(site, length), I64)
            shadow = sweep.shadow(site, destination)
            if at_run_time and isinstance(size, ConstantInt) and size.value <= 4096:
                shadow = sweep.shadow_address(site, inst, destination, "sink")
            elif at_run_time:
                idle = sweep.lookup(site, shadows.inactive(inst, destination))
                size = build.select(idle, zero(I64), build.add(size, zero(I64)))
            clear(subject, build, engine, destination, shadow, size)
        return
    moved = moved_parts(subject, inst, source, destination, length)
    if not moved.floats:
        return
    parts = moved.parts
    to, origin = (build.cast("addrspacecast", sweep.shadow(site, each), PTR) for each in (destination, source))
    if moved.period is not None:
        bytes = build.zext(sweep.primal(site, length), I64)
        if at_run_time:
            bytes, alone = _told_apart(sweep, inst, site, (destination, source), bytes)
            clear_numbers(engine, build, moved, to, alone)
        return_numbers(engine, build, moved, to, origin, bytes)
        return
    if not parts or _dense(sweep, parts):
        type = moved.format if moved.format is not None else parts[0].type
        kind = "accumulatemove" if transfer.kind == "move" else "accumulate"
        unit = ConstantInt(I64, subject.module.datalayout.alloc_size(type))
        if moved.format is not None:
            bytes = build.zext(sweep.primal(site, length), I64)
        else:  # behind the numbers there may be integers
            bytes = ConstantInt(I64, len(parts) * unit.value)
        if at_run_time:
            bytes, alone = _told_apart(sweep, inst, site, (destination, source), bytes)
            engine.memset_zero(build, to, alone, 1)
        if moved.format is not None and constant_factor(length) % unit.value:
            build.call(engine.runtime("whole"), [bytes, unit])
        count = build.udiv(bytes, unit)
        build.call(engine.runtime(f"{kind}.{type}"), [to, origin, count])
        return
    if at_run_time:
        to = sweep.shadow_address(site, inst, destination, "zero")
        origin = sweep.shadow_address(site, inst, source, "sink")
    amounts: list[tuple[int, Type, Value]] = []
    taken: list[tuple[int, Value]] = []
    for part in parts:
        address = build.offset(to, part.offset)
        if part.either:
            taken.append((part.offset, words.take(engine, build, address)))
        elif part.float:
            amounts.append((part.offset, part.type, build.load(part.type, address, 1)))
            build.store(zero(part.type), address, 1)
    for offset, type, amount in amounts:
        address = build.offset(origin, offset)
        if is_shared(engine, source):
            add_together(engine, build, address, amount)
            continue
        build.store(build.fadd(build.load(type, address, 1), amount), address, 1)
    for offset, amount in taken:
        words.give(engine, build, build.offset(origin, offset), amount)


def _told_apart(
    sweep: ReverseSweep, inst: CallBase, site: Site, ends: tuple[Value, Value], bytes: Value
) -> tuple[Value, Value]:
    """How much of a block copy is undone, and how much of the destination's shadow is cleared because the source is
    inactive; nothing where the destination is."""
    build = site.build
    lost, dropped = (sweep.lookup(site, sweep.shadows.inactive(inst, end)) for end in ends)
    there = build.select(lost, zero(I64), bytes)
    return build.select(dropped, zero(I64), there), build.select(dropped, there, zero(I64))


def _constant(value: Value) -> int | None:
    return value.value if isinstance(value, ConstantInt) else None


def _dense(sweep: ReverseSweep, parts: list[MovedPart]) -> bool:
    """Whether a block is an array of numbers of one format."""
    if any(p.either or not p.float or p.type is not parts[0].type for p in parts):
        return False
    size = sweep.subject.module.datalayout.alloc_size(parts[0].type)
    return all(p.offset == i * size for i, p in enumerate(parts))
