"""How one instruction is undone in the reverse sweep: its adjoint is taken and handed to its operands.

Every function here is a leaf: it builds straight-line code at a site, for the selected lane, and looks forward values
up there. Control flow, tape and order are the sweep's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from enzyme.analysis.counted import is_counted, only_counted
from enzyme.gradient import words
from enzyme.gradient.adjoints import add_adjoint, float_leaves
from enzyme.gradient.alignment import shadow_align
from enzyme.gradient.apply import is_float, undo_rule
from enzyme.gradient.bits import bit_logic, emit_mixed_check, passed_by, rescaled, through
from enzyme.gradient.carried import carried_parts, read_part, write_part
from enzyme.gradient.packed import Lane, moved_lanes, put_lane, take_lane
from enzyme.gradient.refusals import refuse_atomic, refuse_value
from enzyme.gradient.reverse import ReverseSweep, Site
from enzyme.gradient.subject import Subject
from enzyme.gradient.threads import add_together, is_atomic_sum, is_one_place, is_shared
from enzyme.gradient.undo_calls import renew_shadow, undo_call
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, FunctionType, Type, VectorType
from enzyme.ir.values import (
    AtomicRMW,
    BinaryOp,
    CallBase,
    Cast,
    CompareExchange,
    ConstantInt,
    DebugRecord,
    ExtractElement,
    ExtractValue,
    Freeze,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Select,
    ShuffleVector,
    Store,
    Value,
    zero,
)
from enzyme.rules.emit import mangle
from enzyme.rules.scalar import lookup_instruction

ATOMIC = ("atomicrmw", "cmpxchg")


def undo(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    """Reverse one instruction that is not a phi."""
    sweep.adjoints.source = None
    if sweep.request.keep_tape or (sweep.request.renewable and sweep.tape is None):
        # Also in the dry run of a derivative that has another such reverse function: the tape is laid out for both.
        renew_shadow(sweep, inst, site)
    if isinstance(inst, CallBase):
        undo_call(sweep, inst, site)
        return
    if inst.is_terminator or isinstance(inst, DebugRecord):
        return
    if not sweep.activity.active_instruction(inst):
        return
    if isinstance(inst, Store):
        for _ in sweep.lanes:
            _store(sweep, inst, site)
        return
    if inst.opcode in ATOMIC:
        if is_atomic_sum(sweep.engine, inst):
            for _ in sweep.lanes:
                _atomic_sum(sweep, inst, site)
            return
        if counts(sweep.subject, inst):
            return
        raise refuse_atomic(sweep.subject, inst)
    if not sweep.activity.active_value(inst):
        return
    if isinstance(inst, ExtractValue) and isinstance(inst.operands[0], CompareExchange):
        for _ in sweep.lanes:
            sweep.adjoints.take(site.build, inst)
        return
    if isinstance(inst, Load):
        for _ in sweep.lanes:
            _load(sweep, inst, site)
        return
    rule = lookup_instruction(inst)
    if rule is not None:
        undo_rule(sweep, inst, rule, site)
        return
    if isinstance(inst, Select) and sweep.adjoints.is_together(inst, *_active(sweep, inst.operands[1:])):
        _select_together(sweep, inst, site)
        return
    handler = _HANDLERS.get(type(inst))
    if handler is None:
        raise refuse_opcode(sweep, inst)
    for _ in sweep.lanes:
        handler(sweep, inst, site)


def refuse_opcode(sweep: ReverseSweep, inst: Instruction) -> Exception:
    return refuse_value(sweep.subject, sweep.activity, inst)


def counts(subject: Subject, inst: Instruction) -> bool:
    """Whether an atomic update is integer arithmetic, as on a reference count: there is nothing to undo."""
    if not inst.operands[1].type.is_int:
        return False
    if isinstance(inst, AtomicRMW) and inst.operation in ("add", "sub"):
        return words.finds_numbers(subject, inst) is not None  # numbers: looked at when the program runs
    if isinstance(inst, CompareExchange) and is_counted(inst.operands[2]):
        return only_counted(inst)  # what the new value is made of is looked at when the program runs
    if subject.types.value_carries_float(inst):
        return False
    if isinstance(inst, AtomicRMW):
        return inst.operation in ("and", "or", "nand", "xor", "max", "min", "umax", "umin")
    return isinstance(inst.operands[2], (BinaryOp, ConstantInt))


# memory


def _load(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    assert isinstance(inst, Load)
    build = site.build
    adjoint = sweep.adjoints.take(build, inst)
    slot = sweep.windows.slot(inst)
    shadow = slot or sweep.shadow_address(site, inst, inst.pointer, "sink")
    of = inst if slot is None else None
    more: dict[str, Any] = {"metadata": {k: v for k, v in inst.metadata.items() if k == "tbaa"}}
    flags = (*sweep.engine.extra_flags(sweep.subject), *sweep.adjoints.sum_flags(inst.pointer))
    for part in carried_parts(sweep.subject, inst, inst):
        address = build.offset(shadow, part.offset)
        if part.either:
            words.give(sweep.engine, build, address, read_part(build, adjoint, part))
            continue
        align = shadow_align(sweep.subject.module.datalayout, part.type, inst.align) if part.offset == 0 else 1
        more.update(sweep.windows.manner(inst, align))
        new = read_part(build, adjoint, part)
        if of is not None and is_shared(sweep.engine, inst.pointer):
            add_together(sweep.engine, build, address, new, is_one_place(sweep, inst.pointer))
            continue
        if inst not in sweep.last_reads.set:
            old = build.load(part.type, address, align, **more)
            sweep.reaches_shadow(old, of)
            new = add_adjoint(build, old, new, flags)
        sweep.reaches_shadow(build.store(new, address, align, **more), of)


def _store(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    assert isinstance(inst, Store)
    if sweep.sums is not None and sweep.sums.is_silent(inst):
        return
    active = sweep.activity.active_value(inst.value)
    parts = carried_parts(sweep.subject, inst, inst.value, active)
    if not parts:
        return
    build = site.build
    slot = sweep.windows.slot(inst)
    shadow = slot or sweep.shadow_address(site, inst, inst.pointer, "zero")
    of = inst if slot is None else None
    tags = ("tbaa",) if active or is_float(inst.value.type) else ()  # not of an integer that clears a number
    more: dict[str, Any] = {"metadata": {k: v for k, v in inst.metadata.items() if k in tags}}
    amount: Value | None = None
    if active:
        amount = zero(sweep.adjoints.type_of(inst.value))
    for part in parts:
        address = build.offset(shadow, part.offset)
        if part.either:
            taken = words.take(sweep.engine, build, address)
            amount = write_part(build, amount, taken, part) if amount is not None else None
            continue
        align = shadow_align(sweep.subject.module.datalayout, part.type, inst.align) if part.offset == 0 else 1
        more.update(sweep.windows.manner(inst, align))
        if amount is not None:
            old = build.load(part.type, address, align, **more)
            sweep.reaches_shadow(old, of)
            amount = write_part(build, amount, old, part)
        if inst not in sweep.last_reads.left:
            sweep.reaches_shadow(build.store(zero(part.type), address, align, **more), of)
    if amount is not None:
        sweep.adjoints.add(build, inst.value, amount)
        if sweep.sums is not None:
            sweep.sums.collect(site, inst, amount)


def _atomic_sum(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    """What was added to a sum gets the adjoint of the sum, which stays."""
    assert isinstance(inst, AtomicRMW)
    if inst.users and sweep.activity.active_value(inst):
        raise refuse_atomic(sweep.subject, inst)
    pointer, amount = inst.operands
    if sweep.activity.active_value(amount):
        build = site.build
        shadow = sweep.shadow_address(site, inst, pointer, "zero")
        adjoint = build.load(inst.type, shadow, sweep.subject.module.datalayout.abi_align(inst.type))
        _give(sweep, site, amount, build.fneg(adjoint) if inst.operation == "fsub" else adjoint)


# data movement between values


def _give(sweep: ReverseSweep, site: Site, operand: Value, amount: Value) -> None:
    if sweep.activity.active_value(operand):
        sweep.adjoints.add(site.build, operand, amount)


def _select(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    build = site.build
    adjoint = sweep.adjoints.take(build, inst)
    assert isinstance(inst, Select)
    _, if_true, if_false = inst.operands
    if not (sweep.activity.active_value(if_true) or sweep.activity.active_value(if_false)):
        return
    chosen = sweep.chosen(site, inst)
    none = zero(adjoint.type)
    whole = chosen.type is I1
    if sweep.activity.active_value(if_true):
        amount = build.select(chosen, adjoint, none)
        sweep.adjoints.add(build, if_true, amount, only=chosen if whole else None)
    if sweep.activity.active_value(if_false):
        amount = build.select(chosen, none, adjoint)
        followed = whole and if_false in sweep.adjoints.followed
        otherwise = build.xor(chosen, ConstantInt(I1, 1)) if followed else None
        sweep.adjoints.add(build, if_false, amount, only=otherwise)


def _select_together(sweep: ReverseSweep, inst: Select, site: Site) -> None:
    """The same in all lanes at once."""
    build = site.build
    adjoints = sweep.adjoints.take_together(build, inst)
    given = _active(sweep, inst.operands[1:])
    if not given:
        return
    chosen, none = sweep.chosen(site, inst), zero(adjoints.type)
    _, if_true, if_false = inst.operands
    if if_true in given:
        sweep.adjoints.add_together(build, if_true, build.select(chosen, adjoints, none))
    if if_false in given:
        sweep.adjoints.add_together(build, if_false, build.select(chosen, none, adjoints))


def _active(sweep: ReverseSweep, values: Sequence[Value]) -> list[Value]:
    return [value for value in values if sweep.activity.active_value(value)]


def _freeze(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    _give(sweep, site, inst.operands[0], sweep.adjoints.take(site.build, inst))


def _cast(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    operand = inst.operands[0]
    if inst.opcode not in ("bitcast", "trunc", "zext", "sext"):
        raise refuse_opcode(sweep, inst)
    build = site.build
    adjoint = sweep.adjoints.take(build, inst)
    if not sweep.activity.active_value(operand):
        return
    if inst.opcode != "bitcast":
        lanes = moved_lanes(sweep.subject, inst)
        if lanes is None:
            raise refuse_opcode(sweep, inst)
        _move_lanes(sweep, build, adjoint, lanes)
        return
    to = sweep.adjoints.type_of(operand)
    if adjoint.type is not to:
        if _size(sweep, adjoint.type) != _size(sweep, to) or not (is_float(adjoint.type) and is_float(to)):
            raise refuse_opcode(sweep, inst)
        adjoint = build.bitcast(adjoint, to)
    sweep.adjoints.add(build, operand, adjoint)


def _move_lanes(sweep: ReverseSweep, build: Builder, adjoint: Value, lanes: list[Lane]) -> None:
    """The adjoints of numbers that an instruction on integers moves go back to where they came from."""
    amounts: dict[Value, Value] = {}
    for lane in lanes:
        if sweep.activity.active_value(lane.operand):
            width = _size(sweep, lane.type)
            old = amounts.get(lane.operand)
            if old is None:
                old = zero(sweep.adjoints.type_of(lane.operand))
            piece = take_lane(build, adjoint, lane.target, width)
            amounts[lane.operand] = put_lane(build, old, piece, lane.source, width)
    for operand, amount in amounts.items():
        sweep.adjoints.add(build, operand, amount)


def _size(sweep: ReverseSweep, type: Type) -> int:
    return sweep.subject.module.datalayout.size_of(type)


def _extract_value(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    assert isinstance(inst, ExtractValue)
    build = site.build
    adjoint = sweep.adjoints.take(build, inst)
    if sweep.activity.active_value(inst.operands[0]):
        whole = zero(sweep.adjoints.type_of(inst.operands[0]))
        sweep.adjoints.add(build, inst.operands[0], build.insert_value(whole, adjoint, *inst.indices))


def _insert_value(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    assert isinstance(inst, InsertValue)
    build = site.build
    adjoint = sweep.adjoints.take(build, inst)
    aggregate, element = inst.operands
    if sweep.activity.active_value(element):
        sweep.adjoints.add(build, element, build.extract_value(adjoint, *inst.indices))
    if sweep.activity.active_value(aggregate):
        rest = adjoint
        for path, leaf in float_leaves(adjoint.type):
            if path[: len(inst.indices)] == inst.indices:
                rest = build.insert_value(rest, zero(leaf), *path)
        sweep.adjoints.add(build, aggregate, rest)


def _extract_element(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    build = site.build
    adjoint = sweep.adjoints.take(build, inst)
    vector, index = inst.operands
    if sweep.activity.active_value(vector):
        whole = zero(sweep.adjoints.type_of(vector))
        sweep.adjoints.add(build, vector, build.insert_element(whole, adjoint, sweep.primal(site, index)))


def _insert_element(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    build = site.build
    adjoint = sweep.adjoints.take(build, inst)
    vector, element, index = inst.operands
    at = sweep.primal(site, index)
    if sweep.activity.active_value(element):
        sweep.adjoints.add(build, element, build.extract_element(adjoint, at))
    if sweep.activity.active_value(vector):
        none = zero(adjoint.type.scalar)
        sweep.adjoints.add(build, vector, build.insert_element(adjoint, none, at))


def _shuffle(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    build = site.build
    adjoint = sweep.adjoints.take(build, inst)
    assert isinstance(inst, ShuffleVector)
    first, second, _ = inst.operands
    lanes = inst.lanes
    assert isinstance(first.type, VectorType)
    if lanes is None or first.type.scalable:
        raise refuse_opcode(sweep, inst)
    count = first.type.count
    for operand, base in ((first, 0), (second, count)):
        if not sweep.activity.active_value(operand):
            continue
        type = sweep.adjoints.type_of(operand)
        amount: Value = zero(type)
        if set(lanes) == {base} and sweep.engine.config.reassociate:
            total = _all_lanes(sweep, build, adjoint)
            sweep.adjoints.add(build, operand, build.insert_element(amount, total, 0))
            continue
        for lane, source in enumerate(lanes):
            if source is not None and base <= source < base + count:
                at = source - base
                piece = build.extract_element(adjoint, lane)
                old = build.extract_element(amount, at)
                amount = build.insert_element(amount, build.fadd(old, piece, ("nsz",)), at)
        sweep.adjoints.add(build, operand, amount)


def _all_lanes(sweep: ReverseSweep, build: Builder, adjoint: Value) -> Value:
    """The sum over the lanes of the adjoint of a number that was spread over all of them, in any order."""
    scalar = adjoint.type.scalar
    name = f"llvm.vector.reduce.fadd.{mangle(adjoint.type)}"
    function = sweep.engine.module.declare_function(name, FunctionType(scalar, (scalar, adjoint.type)))
    return build.call(function, [build.const_float(scalar, -0.0), adjoint], flags=("reassoc", "nsz"))


def _bits(sweep: ReverseSweep, inst: Instruction, site: Site) -> None:
    """Moves of whole numbers in integers, or logic on the bits of numbers."""
    build = site.build
    if is_counted(inst):  # the forward sweep has made sure that it is an integer
        sweep.adjoints.take(build, inst)
        return
    if passed_by(sweep.subject, inst):
        return
    lanes = moved_lanes(sweep.subject, inst)
    if lanes is not None:
        _move_lanes(sweep, build, sweep.adjoints.take(build, inst), lanes)
        return
    logic = bit_logic(sweep.subject, inst)
    if logic is None:
        raise refuse_opcode(sweep, inst)
    adjoint = sweep.adjoints.take(build, inst)

    def bits(value: Value) -> Value:
        return sweep.primal(site, value)

    if logic.scaled is not None:
        number = logic.scaled.number
        amount = rescaled(build, logic, adjoint, bits(inst), bits(number))
        _give(sweep, site, number, build.bitcast(amount, sweep.adjoints.type_of(number)))
        return
    if logic.checked:
        emit_mixed_check(sweep.engine, sweep.subject, build, inst, logic, bits)
    for index, operand in enumerate(inst.operands):
        if sweep.activity.active_value(operand) and sweep.adjoints.type_of(operand) is logic.type:
            sweep.adjoints.add(build, operand, through(build, logic, index, adjoint, inst.operands, bits))


_HANDLERS = {
    Select: _select,
    Freeze: _freeze,
    Cast: _cast,
    ExtractValue: _extract_value,
    InsertValue: _insert_value,
    ExtractElement: _extract_element,
    InsertElement: _insert_element,
    ShuffleVector: _shuffle,
    BinaryOp: _bits,
}
