"""Calls: what happens to them in the forward sweep, and how they are undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.activity_callees import BLOCK_SIZE
from enzyme.analysis.dispatched import is_dispatch, is_rest
from enzyme.gradient.carried import MovedPart, clear, is_count, moved_parts
from enzyme.gradient.deferred import DeferredFrees
from enzyme.gradient.exceptions import guard_landing_pads, replace_call
from enzyme.gradient.primal import PrimalCopy, builder_after, is_dropped
from enzyme.gradient.reallocation import augment_reallocation, bound_size, is_active_reallocation, undo_reallocation
from enzyme.gradient.request import Request
from enzyme.gradient.struct_copies import move_pointers, number_returner
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64, FloatType, StructType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    CallBase,
    ConstantInt,
    ConstantToken,
    Function,
    Instruction,
    Store,
    Value,
    zero,
)
from enzyme.rules.expr import IntOperand, Leaf, Operand, Result
from enzyme.rules.hooks import MemoryHook, ReductionHook
from enzyme.rules.known import KnownCallee, Transfer, known_callee
from enzyme.rules.scalar import lookup_instruction, lookup_memory_hook, lookup_reduction
from enzyme.rules.unsupported import lookup_unsupported
from enzyme.support.diagnostics import ActivityError, EnzymeError, TypeUnknownError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine, SplitPair
    from enzyme.gradient.reverse import ReverseSweep, Site
    from enzyme.gradient.shadows import Shadows
    from enzyme.gradient.subject import Subject
    from enzyme.gradient.tape import Frame


def defined_callee(inst: CallBase) -> Function | None:
    """The called function when its body is at hand."""
    callee = inst.callee
    return callee if isinstance(callee, Function) and not callee.is_declaration else None


def facts(inst: CallBase) -> KnownCallee | None:
    """What is known of a called function that is not defined here."""
    if defined_callee(inst) is not None or inst.callee_name is None:
        return None
    return known_callee(inst.callee_name, inst.callee_type)


def call_request(copy: PrimalCopy, inst: CallBase, callee: Function, mode: str) -> Request:
    """The derivative of the callee that this call needs."""
    subject, activity, width = copy.subject, copy.activity, copy.request.width
    if callee.function_type.vararg or callee.function_type is not inst.callee_type:
        raise subject.refuse(
            inst,
            f"cannot differentiate a call to '{callee.name}'",
            "it takes a variable number of arguments"
            if callee.function_type.vararg
            else f"it is called as {inst.callee_type} and defined as {callee.function_type}",
            "give the function a fixed list of parameters, and call it by its own type",
        )
    args: list[str] = []
    for index, actual in enumerate(inst.args):
        if index == 0 and is_dispatch(callee):
            args.append("const")
        elif isinstance(actual, ConstantToken) and actual.type.is_pointer:
            args.append("dup")  # no pointer at all is its own shadow, and may meet others that have one in the callee
        elif actual.type.scalar.is_pointer or (not activity.active_value(actual) and activity.needs_shadow(actual)):
            args.append("dup" if activity.needs_shadow(actual) else "const")
        elif activity.active_value(actual):
            args.append("dup" if mode == "forward" else "out")
        else:
            args.append("const")
    ret = "const"
    if activity.active_value(inst):
        ret = "active"
    elif inst.type.is_pointer and inst.users and activity.needs_shadow(inst):
        ret = "dup"
    name = callee.name or ""
    has_result = not inst.type.is_void
    strict = is_dispatch(subject.function)
    shadowed = copy.shadowed_globals
    if mode == "forward":
        return Request(
            name,
            "forward",
            tuple(args),
            ret,
            return_primal=has_result,
            nested=True,
            strict=strict,
            width=width,
            globals=shadowed,
            runtime_activity=copy.request.runtime_activity,
            strong_zero=copy.request.strong_zero,
        )
    return Request(
        name,
        "split",
        tuple(args),
        ret,
        return_primal=has_result,
        stable_memory=False,
        nested=True,
        strict=strict,
        globals=shadowed,
        runtime_activity=copy.request.runtime_activity,
        strong_zero=copy.request.strong_zero,
        width=width,
    )


# --- forward sweep of a reverse derivative ---------------------------------------------------------------------------


@dataclass
class ActiveCall:
    """A call that has been replaced by one of the augmented primal."""

    pair: SplitPair
    tape: Value


class Augmentation:
    """Changes the primal copy needs for a reverse derivative: shadow stores, augmented calls, frees put off."""

    def __init__(self, engine: Engine, copy: PrimalCopy, shadows: Shadows, frame: Frame) -> None:
        self.engine, self.copy, self.shadows, self.frame = engine, copy, shadows, frame
        self.calls: dict[CallBase, ActiveCall] = {}
        outer = copy.target.args[-1] if engine.defers_outside(copy.request) else None
        self.deferred = DeferredFrees(engine, copy, shadows, frame, outer)
        self.stopped: dict[CallBase, EnzymeError] = {}
        self._live = frozenset(copy.subject.live_blocks)

    def run(self) -> None:
        for block in self.copy.subject.cfg.blocks:
            for inst in block.instructions:
                if isinstance(inst, Store):
                    self._store(inst)
                elif isinstance(inst, CallBase) and not is_dropped(inst):
                    self._call(inst)
        raise_if_hopeless(self.copy.subject, self.stopped)
        self.shadows.settle()
        guard_landing_pads(self.engine, self.copy, self.calls)
        for inst in self.copy.heap_allocas:
            self.deferred.add(builder_after(self.copy.of(inst)), self.copy.of(inst))  # type: ignore[arg-type]
            if self.shadows.needed(inst):
                for _ in self.shadows.lanes:
                    shadow = self.shadows.of(inst)
                    self.deferred.add(builder_after(shadow), shadow)  # type: ignore[arg-type]

    def _store(self, inst: Store) -> None:
        """A pointer stored where pointers to shadows are kept: its shadow goes to the same place."""
        if not self.copy.activity.needs_shadow(inst.pointer):
            return
        if not _carries_pointer(self.copy, inst.value):
            return
        build = builder_after(self._copied(inst))
        for _ in self.shadows.lanes:
            to = self.shadows.address(inst, inst.pointer, "sink")
            made = inst.clone([self.shadows.of_or_primal(inst.value), to])
            made.metadata = {k: v for k, v in inst.metadata.items() if k == "tbaa"}
            build.insert(made)

    def _copied(self, inst: Instruction) -> Instruction:
        found = self.copy.of(inst)
        assert isinstance(found, Instruction)
        return found

    def _call(self, inst: CallBase) -> None:
        callee = defined_callee(inst)
        if is_rest(inst):
            if self.copy.activity.active_instruction(inst):
                self._stop(inst, refuse_rest(self.copy.subject, inst))
            return
        if callee is not None:
            if self.copy.activity.active_instruction(inst):
                self._augment(inst, callee)
            elif callee.name == BLOCK_SIZE and self.copy.activity.needs_shadow(inst.args[0]):
                bound_size(self.engine, self.copy, self.shadows, inst, callee)
            return
        refusal = library_refusal(self.copy.subject, self.copy.activity, inst)
        if refusal is not None:
            self._stop(inst, refusal)
            return
        known = facts(inst)
        if known is None:
            return
        if is_active_reallocation(self.copy, inst, known):
            augment_reallocation(self.engine, self.copy, self.shadows, self.deferred, inst, known)
        elif known.free is not None:
            self._free(inst, known.free)
        elif known.transfer is not None and known.transfer.kind == "set":
            self._set(inst, known.transfer)
        elif known.transfer is not None:
            self._transfer(inst, known.transfer)

    def _free(self, inst: CallBase, position: int) -> None:
        pointer = inst.args[position]
        copy = self.copy
        if not copy.puts_off(inst):
            return
        if inst.block not in self._live:
            self._free_at_once(inst, pointer)
            return
        call = self._copied(inst)
        self.deferred.put_off(Builder(call.block, before=call), pointer, inst)  # type: ignore[arg-type]
        call.erase()
        del copy.values[inst]

    def _free_at_once(self, inst: CallBase, pointer: Value) -> None:
        """Where an exception is on its way out, no reverse sweep follows."""
        if self.copy.activity.needs_shadow(pointer):
            call = self._copied(inst)
            for _ in self.shadows.lanes:
                shadow = self.shadows.of(pointer)
                if self.shadows.at_run_time:
                    shadow = self.shadows.chosen(inst, pointer, ConstantToken(shadow.type, "null"))
                builder_after(call).call(self.engine.heap("free"), [shadow])

    def _transfer(self, inst: CallBase, transfer: Transfer) -> None:
        """A block copy that moves pointers moves their shadows too."""
        copy = self.copy
        destination, source, length = (
            inst.args[transfer.destination],
            inst.args[transfer.source or 0],
            inst.args[transfer.length],
        )
        if not copy.activity.needs_shadow(destination):
            return
        call = self._copied(inst)
        build = builder_after(call)
        known_source = source if copy.activity.needs_shadow(source) else None
        moved = moved_parts(copy.subject, inst, known_source, destination, length)
        if not moved.pointers:
            return
        for _ in self.shadows.lanes:
            to = self.shadows.of(destination)
            origin = self.shadows.of_or_primal(source)
            if self.shadows.at_run_time and moved.floats:
                to = self._bounded(inst, destination, length)
            if not moved.floats:
                made = call.clone(
                    [
                        to if op is copy.of(destination) else origin if op is copy.of(source) else op
                        for op in call.operands
                    ]
                )
                if self.shadows.at_run_time:
                    made.set_operand(transfer.length, self.shadows.active_length(inst, [destination], copy.of(length)))
                build.insert(made)
                continue
            move_pointers(self.engine, build, moved, to, origin, copy.of(length))

    def _set(self, inst: CallBase, transfer: Transfer) -> None:
        """Pointers that memset makes null have no shadow any more: what was there before must not be found there."""
        copy = self.copy
        destination, length = inst.args[transfer.destination], inst.args[transfer.length]
        if not copy.activity.needs_shadow(destination):
            return
        try:
            moved = moved_parts(copy.subject, inst, None, destination, length)
        except TypeUnknownError:
            return  # bytes that nothing reads or writes as a pointer
        if not moved.pointers:
            return
        call = self._copied(inst)
        build = builder_after(call)
        for _ in self.shadows.lanes:
            to = self.shadows.of(destination)
            if moved.floats:
                move_pointers(self.engine, build, moved, to, copy.of(destination), copy.of(length))
            else:
                build.insert(call.clone([to if op is copy.of(destination) else op for op in call.operands]))

    def _bounded(self, inst: CallBase, pointer: Value, length: Value) -> Value:
        """The shadow that a block of a known size is copied to, or enough memory in its place."""
        if not isinstance(length, ConstantInt) or length.value > 4096:
            raise refuse_long_copy(self.copy.subject, inst)
        return self.shadows.address(inst, pointer, "sink")

    def _augment(self, inst: CallBase, callee: Function) -> None:
        copy = self.copy
        request = self._with_overwrites(inst, call_request(copy, inst, callee, "split"))
        if is_dispatch(copy.subject.function):
            pair = self.engine.attempt(request)
            if isinstance(pair, EnzymeError):
                self._stop(inst, pair)
                return
        else:
            pair = self.engine.split(request)
        assert not isinstance(pair, Function)
        copy.callees[inst] = pair.augmented.name or ""
        call = self._copied(inst)
        assert isinstance(call, CallBase)
        operands: list[Value] = []
        for actual, duplicated in zip(inst.args, request.duplicated, strict=True):
            operands.append(copy.of(actual))
            if duplicated:
                operands += [self.shadows.of(actual) for _ in copy.lanes]
        if self.engine.defers_outside(pair.request):
            operands.append(self.deferred.outermost())
        made, build = replace_call(call, pair.augmented, operands)
        made.name = "augmented"
        tape = build.extract_value(made, 0, name="tape")
        self.calls[inst] = ActiveCall(pair, tape)
        at = 1
        if not inst.type.is_void:
            result = build.extract_value(made, at, name=inst.name)
            at += 1
            call.replace_all_uses_with(result)
            copy.values[inst] = result
            copy.origin[result] = inst
        if request.ret == "dup":
            name = f"{inst.name}.shadow" if inst.name else None
            for _ in copy.lanes:
                self.shadows.made[inst] = build.extract_value(made, at, *copy.lanes.path, name=name)
        call.erase()

    def _stop(self, inst: CallBase, error: EnzymeError) -> None:
        """A case of a dispatch that has no derivative: the program stops there."""
        if not is_dispatch(self.copy.subject.function):
            raise error
        self.stopped[inst] = error
        call = self._copied(inst)
        self.engine.emit_abort(Builder(call.block, before=call), stop_message(inst, error))  # type: ignore[arg-type]

    def _with_overwrites(self, inst: CallBase, request: Request) -> Request:
        """Which parameters' memory may change between this call and its reversal."""
        overwritten: set[int] = set()
        for index, actual in enumerate(inst.args):
            if actual.type.is_pointer and (
                self.copy.subject.may_be_overwritten_after(inst, actual, self.copy.puts_off)
                or self.copy.unstable_pointer(actual)
            ):
                overwritten.add(index)
        return replace(request, overwritten=frozenset(overwritten), keep_tape=self.copy.request.keep_tape)


def _carries_pointer(copy: PrimalCopy, value: Value) -> bool:
    if value.type.scalar.is_pointer:
        return True
    if is_count(value):
        return False
    if isinstance(value.type, FloatType) or (isinstance(value.type, VectorType) and value.type.element.is_float):
        return False
    return copy.activity.needs_shadow(value)


# --- undoing ---------------------------------------------------------------------------------------------------------


def undo_call(sweep: ReverseSweep, inst: CallBase, site: Site) -> None:
    """Reverse a call."""
    if is_dropped(inst):
        return
    active = sweep.activity.active_instruction(inst)
    if sweep.augmentation is not None and inst in sweep.augmentation.stopped or is_rest(inst):
        if sweep.activity.active_value(inst):
            for _ in sweep.lanes:
                sweep.adjoints.take(site.build, inst)
        return
    if defined_callee(inst) is not None:
        if active:
            _undo_defined(sweep, inst, site)
        return
    rule = lookup_instruction(inst)
    if rule is not None:
        from enzyme.gradient.undo import undo_rule

        if sweep.activity.active_value(inst):
            undo_rule(sweep, inst, rule, site)
        return
    if not active:
        return
    name = inst.callee_name
    hook = lookup_memory_hook(name, inst.callee_type) if name else None
    if hook is not None:
        for _ in sweep.lanes:
            _undo_hook(sweep, inst, hook, site)
        return
    reduction = lookup_reduction(name) if name else None
    if reduction is not None:
        for _ in sweep.lanes:
            _undo_reduction(sweep, inst, reduction, site)
        return
    known = facts(inst)
    if known is not None and known.returns_argument is not None and known.effect.none:
        return  # a pointer passed through
    if known is not None and is_active_reallocation(sweep.copy, inst, known):
        undo_reallocation(sweep, inst, known, site)
        return
    if known is not None and known.transfer is not None:
        for _ in sweep.lanes:
            undo_transfer(sweep, inst, known.transfer, site)
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


def refuse_unknown_write(subject: Subject, activity: ActivityResult, inst: CallBase, known: KnownCallee) -> None:
    """Refuse a library call that overwrites active memory with data of its own (fread, sscanf): the shadow of what it
    overwrites would have to be cleared, and how much that is is not known."""
    if not known.inactive or known.free is not None or known.allocation is not None:
        return
    for index, actual in enumerate(inst.args):
        fixed = index < len(inst.callee_type.params)
        writes = index in known.effect.writes or known.effect.unknown or (not fixed and "w" in known.effect.variadic)
        if writes and actual.type.is_pointer and activity.touches_active_memory(actual):
            raise subject.refuse(
                inst,
                f"cannot differentiate a call to '{inst.callee_name}' that writes to active memory",
                "it overwrites numbers with new data, and how many is not known",
                "let it write to a local buffer, and copy from there",
            )


def refuse_call(subject: Subject, inst: CallBase) -> EnzymeError:
    """The error for a call that takes or returns active data and cannot be differentiated."""
    name = inst.callee_name
    if name is None:
        what, why = "a function pointer", "it is not known which function is called"
    else:
        what, why = (
            f"'{name}'",
            "it takes or returns active data, and neither a definition nor a derivative rule is at hand",
        )
    hint = "define the function in the same program, or pass what it works on as enzyme_const"
    row = lookup_unsupported(name) if name is not None else None
    if row is not None:
        why, hint = row.why, row.hint
    return subject.refuse(inst, f"cannot differentiate a call to {what}", why, hint)


def refuse_rest(subject: Subject, inst: CallBase) -> EnzymeError:
    """The error for a call through a pointer when none of the functions it may lead to is meant."""
    what = "cannot differentiate a call through a pointer"
    if is_dispatch(subject.function):
        return subject.refuse(inst, what, "a function pointer leads to a function that was not part of the program", "")
    return subject.refuse(
        inst,
        what,
        "it is not known which function is called: the program takes the address of no function of this type",
        "define the functions it may lead to in the same program, or pass what it works on as enzyme_const",
        ActivityError,
    )


def library_refusal(subject: Subject, activity: ActivityResult, inst: CallBase) -> EnzymeError | None:
    """Why the active call of a library function in a dispatch has no derivative; None where it has one."""
    if defined_callee(inst) is not None or not is_dispatch(subject.function) or not activity.active_instruction(inst):
        return None
    name, known = inst.callee_name or "", facts(inst)
    if lookup_instruction(inst) is not None or lookup_reduction(name) is not None:
        return None
    if lookup_memory_hook(name, inst.callee_type) is not None:
        return None
    if known is None:
        return refuse_call(subject, inst)
    try:
        refuse_unknown_write(subject, activity, inst, known)
    except EnzymeError as error:
        return error
    return None


def refuse_long_copy(subject: Subject, inst: CallBase) -> EnzymeError:
    """The error for a block copy whose activity cannot be looked at piece by piece when the program runs."""
    return subject.refuse(
        inst,
        "cannot look at the activity of this block copy at run time",
        "it moves numbers and pointers, and how many is not known",
        "copy the elements in a loop, or leave enzyme_runtime_activity out",
    )


def raise_if_hopeless(subject: Subject, errors: dict[CallBase, EnzymeError]) -> None:
    """Refuse a dispatch that has a derivative in no case."""
    calls = [inst for inst in subject.function.instructions() if isinstance(inst, CallBase)]
    if errors and len(errors) == len(calls):
        raise next((error for inst, error in errors.items() if not is_rest(inst)), errors[calls[-1]])


def stop_message(inst: CallBase, error: EnzymeError) -> str:
    """What a program says that reaches a case of a dispatch which has no derivative."""
    place = f" ({error.location})" if error.location is not None else ""
    if is_rest(inst):
        return f"enzyme: {error.why}{place}"
    return f"enzyme: no derivative of '{inst.callee_name}', reached through a pointer: {error.what}; {error.why}{place}"


def _undo_defined(sweep: ReverseSweep, inst: CallBase, site: Site) -> None:
    assert sweep.augmentation is not None
    call = sweep.augmentation.calls[inst]
    request, build = call.pair.request, site.build
    operands: list[Value] = []
    for actual, duplicated in zip(inst.args, request.duplicated, strict=True):
        operands.append(_argument(sweep, site, call.pair, len(operands), sweep.primal, actual))
        if duplicated:
            for _ in sweep.lanes:
                operands.append(_argument(sweep, site, call.pair, len(operands), sweep.shadow, actual))
    if request.ret == "active":
        seed = call.pair.reverse.args[len(operands)].type
        operands += [same_bits(build, sweep.adjoints.take(build, inst), seed) for _ in sweep.lanes]
    operands.append(sweep.lookup(site, call.tape))
    made = build.call(call.pair.reverse, operands)
    outs = [actual for actual, kind in zip(inst.args, request.args, strict=True) if kind == "out"]
    for index, actual in enumerate(outs):
        for _ in sweep.lanes:
            path = sweep.lanes.path if len(outs) == 1 else (index, *sweep.lanes.path)
            gradient = build.extract_value(made, *path)
            sweep.adjoints.add(build, actual, same_bits(build, gradient, sweep.adjoints.type_of(actual)))


def same_bits(build: Builder, value: Value, type: Type) -> Value:
    """An adjoint in the form its receiver knows: numbers in an integer are a vector of them on one side only."""
    return value if value.type is type else build.bitcast(value, type)


def _argument(
    sweep: ReverseSweep,
    site: Site,
    pair: SplitPair,
    position: int,
    fetch: Callable[[Site, Value], Value],
    actual: Value,
) -> Value:
    """An argument of the reverse function; nothing is fetched for one that it does not use."""
    if pair.complete and not pair.reverse.args[position].users:
        return ConstantToken(actual.type, "poison")
    return fetch(site, actual)


def undo_transfer(sweep: ReverseSweep, inst: CallBase, transfer: Transfer, site: Site) -> None:
    """memcpy, memmove: what the destination's shadow holds goes to the source's, and is cleared. memset: cleared."""
    build, subject, engine = site.build, sweep.subject, sweep.engine
    destination, length = inst.args[transfer.destination], inst.args[transfer.length]
    if not sweep.activity.needs_shadow(destination):
        return
    source = inst.args[transfer.source] if transfer.source is not None else None
    at_run_time, shadows = sweep.request.runtime_activity, sweep.shadows
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
    to, origin = sweep.shadow(site, destination), sweep.shadow(site, source)
    if at_run_time and moved.period is not None:
        raise refuse_long_copy(subject, inst)
    if moved.period is not None:
        bytes = build.zext(sweep.primal(site, length), I64)
        build.call(number_returner(engine, moved.period, parts), [to, origin, bytes])
        return
    if not parts or (all(p.float for p in parts) and len({p.type for p in parts}) == 1 and _dense(sweep, parts)):
        type = moved.format if moved.format is not None else parts[0].type
        kind = "accumulatemove" if transfer.kind == "move" else "accumulate"
        unit = ConstantInt(I64, subject.module.datalayout.alloc_size(type))
        bytes = build.zext(sweep.primal(site, length), I64)
        if at_run_time:
            lost = sweep.lookup(site, shadows.inactive(inst, destination))
            dropped = sweep.lookup(site, shadows.inactive(inst, source))
            alone = build.select(lost, zero(I64), bytes)
            engine.memset_zero(build, to, build.select(dropped, alone, zero(I64)), 1)
            bytes = build.select(dropped, zero(I64), alone)
        count = build.udiv(bytes, unit)
        build.call(engine.runtime(f"{kind}.{type}"), [to, origin, count])
        return
    if at_run_time:
        to = sweep.shadow_address(site, inst, destination, "zero")
        origin = sweep.shadow_address(site, inst, source, "sink")
    amounts: list[tuple[int, Type, Value]] = []
    for part in parts:
        if part.float:
            address = build.offset(to, part.offset)
            amounts.append((part.offset, part.type, build.load(part.type, address, 1)))
            build.store(zero(part.type), address, 1)
    for offset, type, amount in amounts:
        address = build.offset(origin, offset)
        build.store(build.fadd(build.load(type, address, 1), amount), address, 1)


def _constant(value: Value) -> int | None:
    return value.value if isinstance(value, ConstantInt) else None


def _dense(sweep: ReverseSweep, parts: list[MovedPart]) -> bool:
    size = sweep.subject.module.datalayout.alloc_size(parts[0].type)
    return all(p.offset == i * size for i, p in enumerate(parts))


def _undo_hook(sweep: ReverseSweep, inst: CallBase, hook: MemoryHook, site: Site) -> None:
    """A function with several results: take each result's adjoint, then hand all of them to the operands."""
    from enzyme.gradient.apply import Shared, is_float, scaled

    build, engine = site.build, sweep.engine
    flags = (*inst.fast_math, *engine.extra_flags(sweep.subject))

    def leaf(node: Leaf) -> Value:
        if isinstance(node, (Operand, IntOperand)):
            return sweep.primal(site, inst.args[node.index])
        assert isinstance(node, Result)
        whole = sweep.primal(site, inst)
        return build.extract_value(whole, node.index) if isinstance(inst.type, StructType) else whole

    shared, singular = Shared(), hook.singular or sweep.request.strong_zero
    whole_adjoint = sweep.adjoints.take(build, inst) if sweep.activity.active_value(inst) else None
    amounts: list[tuple[Value, Value]] = []
    for result in hook.results:
        if result.element != "float":
            continue
        operand_type = next((a.type for a in inst.args if is_float(a.type)), inst.type)
        if result.place == "pointer":
            pointer = inst.args[result.index]
            if not sweep.activity.needs_shadow(pointer):
                continue
            shadow = sweep.shadow_address(site, inst, pointer, "zero")
            adjoint: Value = build.load(operand_type, shadow)
            build.store(zero(operand_type), shadow)
        elif whole_adjoint is None:
            continue
        else:
            adjoint = build.extract_value(whole_adjoint, result.index) if result.place == "field" else whole_adjoint
        for operand, partial in zip(inst.args, result.partials, strict=False):
            if partial is not None and sweep.activity.active_value(operand):
                amount = scaled(build, adjoint, partial, leaf, operand_type, flags, engine.module, singular, shared)
                amounts.append((operand, amount))
    for operand, amount in amounts:
        sweep.adjoints.add(build, operand, amount, flags)


def _undo_reduction(sweep: ReverseSweep, inst: CallBase, hook: ReductionHook, site: Site) -> None:
    """fadd, fmul, fmin and fmax over the lanes of a vector."""
    build = site.build
    vector = inst.args[-1]
    start = inst.args[0] if len(inst.args) > 1 else None
    type = vector.type
    assert isinstance(type, VectorType)
    adjoint = sweep.adjoints.take(build, inst)
    flags = (*inst.fast_math, *sweep.engine.extra_flags(sweep.subject))
    lanes: list[Value] = []
    if hook.products or hook.first_only:
        whole = sweep.primal(site, vector)
        lanes = [build.extract_element(whole, i) for i in range(type.count)]
    factors: list[Value | None] = [None] * type.count
    start_factor: Value | None = None
    if hook.products:
        first = sweep.primal(site, start) if start is not None else build.const_float(type.element, 1.0)
        before = [first]
        for lane in lanes[:-1]:
            before.append(build.fmul(before[-1], lane, flags))
        after: Value = build.const_float(type.element, 1.0)
        for index in reversed(range(type.count)):
            factors[index] = build.fmul(before[index], after, flags)
            after = build.fmul(after, lanes[index], flags)
        start_factor = after
    amount: Value = zero(type)
    remaining = adjoint
    for index in range(type.count):
        if hook.first_only:
            hit = build.fcmp("oeq", lanes[index], sweep.primal(site, inst), ())
            piece = build.select(hit, remaining, zero(type.element))
            remaining = build.select(hit, zero(type.element), remaining)
        else:
            factor = factors[index]
            piece = adjoint if factor is None else build.fmul(adjoint, factor, flags)
        amount = build.insert_element(amount, piece, index)
    if sweep.activity.active_value(vector):
        sweep.adjoints.add(build, vector, amount, flags)
    if start is not None and sweep.activity.active_value(start):
        sweep.adjoints.add(
            build, start, adjoint if start_factor is None else build.fmul(adjoint, start_factor, flags), flags
        )
