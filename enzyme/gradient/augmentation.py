"""The forward sweep of a reverse derivative: what is added to the primal copy so that it can be undone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from enzyme.analysis.activity_callees import BLOCK_SIZE
from enzyme.analysis.counted import is_counted
from enzyme.analysis.dispatched import is_dispatch, is_rest
from enzyme.gradient import words
from enzyme.gradient.alignment import loosen_access, loosen_block
from enzyme.gradient.at_once import reversed_at_once
from enzyme.gradient.behind import APPLY, COLLECT
from enzyme.gradient.calls import call_request, defined_callee, facts
from enzyme.gradient.carried import is_either, moved_parts, stores_pointer
from enzyme.gradient.deferred import DeferredFrees
from enzyme.gradient.exceptions import guard_landing_pads, replace_call
from enzyme.gradient.linear_maps import LinearMaps, linear_maps, varying_parameters
from enzyme.gradient.lost_stores import stop_lost, stop_lost_copy
from enzyme.gradient.primal import PrimalCopy, builder_after, is_dropped
from enzyme.gradient.reallocation import augment_reallocation, bound_size, is_active_reallocation
from enzyme.gradient.recursion import one_for_both
from enzyme.gradient.refusals import (
    library_refusal,
    raise_if_hopeless,
    refuse_long_copy,
    refuse_rest,
    stop_message,
    stops_there,
)
from enzyme.gradient.replay import calls_itself, is_for_once, is_marked, unasked, why_not
from enzyme.gradient.request import Request
from enzyme.gradient.struct_copies import move_pointers
from enzyme.ir.builder import Builder
from enzyme.ir.values import (
    AtomicRMW,
    CallBase,
    ConstantInt,
    ConstantToken,
    Function,
    Instruction,
    Invoke,
    Store,
    Value,
    zero,
)
from enzyme.llvm.block_lists import OF_DERIVATIVE
from enzyme.rules.known import Transfer
from enzyme.support.diagnostics import EnzymeError, TypeUnknownError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine, SplitPair
    from enzyme.gradient.frames import Frame
    from enzyme.gradient.shadows import Shadows


@dataclass
class ActiveCall:
    """An active call of a defined function: ``reverse`` is what is called in the reverse sweep. Without a ``tape`` that
    is a combined derivative, whose parameters ``unasked`` may be any number, and the forward sweep makes the plain
    call."""

    request: Request
    reverse: Function
    pair: SplitPair | None = None
    tape: tuple[Value, ...] | None = None
    unasked: frozenset[int] = frozenset()
    maps: LinearMaps | None = None
    """What is left to the iteration that is reversed last, where ``last`` is called in place of ``reverse``."""
    last: Function | None = None
    outs: tuple[tuple[Value, ...], ...] | None = None
    """Of a call that has been reversed at once: the gradients of its ``out`` parameters, a tuple of all lanes each."""
    passed: tuple[Value, ...] = ()
    """And the numbers that it added to and returned."""

    @property
    def uses(self) -> list[bool]:
        """Which parameters the reverse function may use."""
        pair = self.pair if self.pair is not None and not self.pair.complete else None
        used = [
            bool(argument.users) or (pair is not None and at not in pair.unasked)
            for at, argument in enumerate(self.reverse.args)
        ]
        if self.last is not None:
            used = [either or bool(argument.users) for either, argument in zip(used, self.last.args, strict=True)]
        return used


class Augmentation:
    """Changes the primal copy needs for a reverse derivative: shadow stores, augmented calls, frees put off."""

    def __init__(self, engine: Engine, copy: PrimalCopy, shadows: Shadows, frame: Frame) -> None:
        self.engine, self.copy, self.shadows, self.frame = engine, copy, shadows, frame
        self.calls: dict[CallBase, ActiveCall] = {}
        outer = copy.target.args[-1] if engine.defers_outside(copy.request) else None
        self.deferred = DeferredFrees(engine, copy, shadows, frame, outer)
        self.stopped: dict[CallBase, EnzymeError] = {}
        self.ended: set[CallBase] = set()
        self._live = frozenset(copy.subject.live_blocks)

    def run(self) -> None:
        for block in self.copy.subject.cfg.blocks:
            for inst in block.instructions:
                if isinstance(inst, Store):
                    self._store(inst)
                elif isinstance(inst, CallBase) and not is_dropped(inst):
                    self._call(inst)
                elif is_counted(inst):
                    words.stop_number(self.engine, self.copy, inst)
                elif isinstance(inst, AtomicRMW):
                    words.stop_atomic(self.engine, self.copy, inst)
        raise_if_hopeless(self.copy.subject, self.stopped)
        self.shadows.settle()
        guard_landing_pads(self.engine, self.copy, self.calls)
        for inst in self.copy.heap_allocas:
            self._release_later(inst, self.copy.of(inst), None)
            if self.shadows.needed(inst):
                for _ in self.shadows.lanes:
                    self._release_later(inst, self.shadows.of(inst), self.shadows.fills.get(inst))

    def _release_later(self, inst: Instruction, block: Value, fill: Instruction | None) -> None:
        """Memory for a local that the reverse sweep may look at: a part of the frame, or a block of its own."""
        assert isinstance(block, Instruction)
        if not self.frame.hold(inst, block, fill):
            self.deferred.add(builder_after(block), block)

    def _store(self, inst: Store) -> None:
        """A pointer stored where pointers to shadows are kept: its shadow goes to the same place."""
        if not self.copy.activity.needs_shadow(inst.pointer):
            return
        subject = self.copy.subject
        if words.may_hide_pointer(subject, inst):
            build = builder_after(self._copied(inst))
            words.stop_pointer(self.engine, subject, build, inst, self.copy.of(inst.value))
        if not stores_pointer(subject, self.copy.activity, inst):
            stop_lost(self.engine, self.copy, self.shadows, inst, builder_after(self._copied(inst)))
            return
        build, either = builder_after(self._copied(inst)), is_either(self.copy.subject, inst)
        for _ in self.shadows.lanes:
            to = self.shadows.address(inst, inst.pointer, "sink")
            if either:
                words.put(self.engine, build, to, self.shadows.of_or_primal(inst.value))
                continue
            made = inst.clone([self.shadows.of_or_primal(inst.value), to])
            loosen_access(self.copy.subject.module.datalayout, made)
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
                if not self._replay(inst, callee) and not self._reverse_at_once(inst, callee):
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
                builder_after(call).call(self.engine.heap("free"), [shadow], attrs=(OF_DERIVATIVE,))

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
            stop_lost_copy(self.engine, copy, self.shadows, inst, transfer, build)
            return
        for _ in self.shadows.lanes:
            to = self.shadows.of(destination)
            origin = self.shadows.of_or_primal(source)
            size = copy.of(length)
            if self.shadows.at_run_time and moved.period is not None:
                size = self.shadows.active_length(inst, [destination], size)
            elif self.shadows.at_run_time and moved.floats:
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
            move_pointers(self.engine, build, moved, to, origin, size)

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
        moved = replace(moved, has_rest=True)  # a part of a struct may be set
        call = self._copied(inst)
        build = builder_after(call)
        for _ in self.shadows.lanes:
            to = self.shadows.of(destination)
            if moved.floats:
                move_pointers(self.engine, build, moved, to, copy.of(destination), copy.of(length))
            else:
                moving = call.clone([to if op is copy.of(destination) else op for op in call.operands])
                loosen_block(moving)
                build.insert(moving)

    def _bounded(self, inst: CallBase, pointer: Value, length: Value) -> Value:
        """The shadow that a block of a known size is copied to, or enough memory in its place."""
        if not isinstance(length, ConstantInt) or length.value > 4096:
            raise refuse_long_copy(self.copy.subject, inst)
        return self.shadows.address(inst, pointer, "sink")

    def _replay(self, inst: CallBase, callee: Function) -> bool:
        """Leave the call to be made again in the reverse sweep, where it is marked for that and that is right."""
        copy = self.copy
        if not is_marked(copy.subject, callee) or is_dispatch(copy.subject.function):
            return False
        once = is_for_once(copy.subject, callee)
        reason = "it is to be reversed in the forward sweep" if once else why_not(self.engine, copy, inst, callee)
        self.engine.replayed[copy.target.name or "", callee.name or ""] = reason
        if reason:
            return False
        request = replace(call_request(copy, inst, callee, "reverse"), return_primal=self.engine.config.check_plan)
        maps, varying = None, varying_parameters(copy, inst)
        if varying is not None and not copy.request.keep_tape and not copy.request.renewable:
            asked = self.engine.configured(replace(request, behind=COLLECT, varying=varying))
            maps = linear_maps(self.engine, self.engine.subject(callee.name or ""), asked)
            if maps is not None:
                request = asked
                self.engine.maps[copy.target.name or "", callee.name or ""] = maps
        reverse = self.engine.derivative(request)
        last = self.engine.derivative(replace(request, behind=APPLY)) if maps is not None else None
        # What is scratch is known where it is allocated. But a tape's room on the stack is for one call at a time.
        inlined = "noinline" if calls_itself(copy.subject.function) else "alwaysinline"
        ways = {callee: "alwaysinline", reverse: inlined, **({last: inlined} if last is not None else {})}
        for made, way in ways.items():
            _say(made, way)
        copy.callees[inst] = reverse.name or ""
        idle = unasked(reverse) if last is None else unasked(reverse) & unasked(last)
        self.calls[inst] = ActiveCall(request, reverse, unasked=idle, maps=maps, last=last)
        return True

    def _reverse_at_once(self, inst: CallBase, callee: Function) -> bool:
        """Call the combined derivative in place of the call, where the adjoint of the result is known and that is
        right."""
        engine, copy = self.engine, self.copy
        once = is_for_once(copy.subject, callee)
        if not engine.config.at_once or (is_marked(copy.subject, callee) and not once):
            return False
        way = reversed_at_once(engine, copy, inst, callee)
        noted = copy.target.name or "", callee.name or ""
        if once:
            engine.replayed[noted] = way if isinstance(way, str) else ""
        if isinstance(way, str):
            return False
        copy.at_once.add(inst)
        engine.at_once.add(noted)
        request = way.request
        reverse = engine.derivative(request)
        if once and not calls_itself(copy.subject.function):
            _say(reverse, "alwaysinline")
        copy.callees[inst] = reverse.name or ""
        call = self._copied(inst)
        assert isinstance(call, CallBase) and call.block is not None
        operands = self._given(inst, request)
        build = Builder(call.block, before=call)
        for position, adjoint in way.written:
            for _ in copy.lanes:
                build.store(adjoint.emit(build), self.shadows.of(inst.args[position]))
        operands += [way.result.emit(build) for _ in copy.lanes] if way.result is not None else []
        made, build = replace_call(call, reverse, operands)
        first, count = int(request.return_primal), request.args.count("out")
        result: Value = zero(inst.type) if not first and not inst.type.is_void else made
        if first and count:
            result = build.extract_value(made, 0, name=inst.name)
        places = [(index,) if first + count > 1 else () for index in range(first, first + count)]
        outs = [tuple(build.extract_value(made, *at, *copy.lanes.path) for _ in copy.lanes) for at in places]
        if not inst.type.is_void:
            self._take_place(inst, call, result)
        call.erase()
        passed = tuple(inst.args[position] for position in way.passed)
        self.calls[inst] = ActiveCall(request, reverse, outs=tuple(outs), passed=passed)
        return True

    def _augment(self, inst: CallBase, callee: Function) -> None:
        copy = self.copy
        request = self._with_overwrites(inst, call_request(copy, inst, callee, "split"))
        if self.engine.rules_for(request) is None and not self.engine.subject(request.function).live_blocks:
            self._end(inst)
            return
        if callee is copy.subject.function:
            one_for_both(self.engine.being_made(copy.request), self.engine.configured(request))
        if is_dispatch(copy.subject.function):
            pair = self.engine.attempt(request)
            if isinstance(pair, EnzymeError):
                self._stop(inst, pair)
                return
        else:
            pair = self._split(inst, request)
        assert not isinstance(pair, Function)
        copy.callees[inst] = pair.augmented.name or ""
        call = self._copied(inst)
        assert isinstance(call, CallBase)
        operands = self._given(inst, request)
        if self.engine.defers_outside(pair.request):
            operands.append(self.deferred.outermost())
        made, build = replace_call(call, pair.augmented, operands)
        made.name = "augmented" if not made.type.is_void else None
        at = pair.values if pair.values is not None else 1
        tape = tuple(build.extract_value(made, index, name="tape") for index in range(at))
        self.calls[inst] = ActiveCall(pair.request, pair.reverse, pair, tape)
        if not inst.type.is_void:
            result = build.extract_value(made, at, name=inst.name)
            at += 1
            self._take_place(inst, call, result)
        if request.ret == "dup":
            name = f"{inst.name}.shadow" if inst.name else None
            for _ in copy.lanes:
                self.shadows.made[inst] = build.extract_value(made, at, *copy.lanes.path, name=name)
        call.erase()

    def _split(self, inst: CallBase, request: Request) -> SplitPair:
        if isinstance(inst, Invoke):  # behind which there may be nothing to keep
            return self.engine.split(request)
        return self.engine.split_for_call(request, self.copy.subject.loops.loop_of(inst.block) is not None)

    def _given(self, inst: CallBase, request: Request) -> list[Value]:
        """What the derivative of a call is given in the forward sweep: arguments, and the shadows behind them."""
        operands: list[Value] = []
        for actual, duplicated in zip(inst.args, request.duplicated, strict=True):
            operands.append(self.copy.of(actual))
            if duplicated:
                operands += [self.shadows.of(actual) for _ in self.copy.lanes]
        return operands

    def _take_place(self, inst: CallBase, call: CallBase, result: Value) -> None:
        """The result of a call, from now on, is that of what is called in its place."""
        call.replace_all_uses_with(result)
        self.copy.values[inst] = result
        self.copy.origin[result] = inst

    def _end(self, inst: CallBase) -> None:
        """A call that the program does not come back from: nothing of it will be undone, nor of what is behind it."""
        self.ended.add(inst)
        if inst.type.is_pointer:  # what the cases of a dispatch return meets behind it, and nothing comes from this one
            for _ in self.copy.lanes:
                self.shadows.made[inst] = zero(inst.type)

    def _stop(self, inst: CallBase, error: EnzymeError) -> None:
        """A call that has no derivative (:func:`stops_there`): the program stops there."""
        if not stops_there(self.copy.subject, inst):
            raise error
        self.stopped[inst] = error
        call = self._copied(inst)
        self.engine.emit_abort(Builder(call.block, before=call), stop_message(inst, error))  # type: ignore[arg-type]
        self._end(inst)

    def _with_overwrites(self, inst: CallBase, request: Request) -> Request:
        """Which parameters' memory may change between this call and its reversal."""
        overwritten: set[int] = set()
        for index, actual in enumerate(inst.args):
            if actual.type.is_pointer and (
                self.copy.subject.may_be_overwritten_after(inst, actual, self.copy.puts_off)
                or self.copy.unstable_pointer(actual)
            ):
                overwritten.add(index)
        asked = self.copy.request
        return replace(
            request,
            overwritten=frozenset(overwritten),
            keep_tape=asked.keep_tape,
            renewable=asked.renewable,
            apart=asked.apart,
        )


def _say(function: Function, attribute: str) -> None:
    if attribute not in function.attrs:
        function.attrs = (attribute, *function.attrs)
