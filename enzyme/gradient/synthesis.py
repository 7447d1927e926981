"""The synthesis of one reverse derivative, combined or split, from its subject to its last return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from enzyme.gradient.augmentation import Augmentation
from enzyme.gradient.behind import APPLY, Sums
from enzyme.gradient.carried import adjoint_type, same_bits
from enzyme.gradient.complex_pairs import keep_pairs, paired_loops
from enzyme.gradient.exact_indices import insist_exact
from enzyme.gradient.found_choices import find_choices
from enzyme.gradient.frame_values import hand_over
from enzyme.gradient.frames import Frame
from enzyme.gradient.last_choices import kept_choices, note_last_choices
from enzyme.gradient.late_frames import allocate_late
from enzyme.gradient.linear_maps import linear_maps
from enzyme.gradient.lines import attach_lines
from enzyme.gradient.plan import Origins, TapePlan, make_plan, offered
from enzyme.gradient.preconditions import checked_activity
from enzyme.gradient.primal import copy_primal
from enzyme.gradient.replay import calls_itself, drop_unused
from enzyme.gradient.request import Request
from enzyme.gradient.reverse import ReverseSweep
from enzyme.gradient.shadows import Shadows
from enzyme.gradient.signatures import return_parts
from enzyme.gradient.subject import Subject
from enzyme.gradient.tape import Tape
from enzyme.gradient.tape_threads import tape_of
from enzyme.gradient.undo import undo
from enzyme.gradient.undo_calls import hand_on_at_once
from enzyme.ir.builder import Builder
from enzyme.ir.types import PTR, VOID, FunctionType, Type
from enzyme.ir.values import Argument, Block, ConstantToken, Function, Load, Store, Value

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine, SplitPair


class Synthesis:
    """One reverse derivative being made: copy, dry run, plan, tape, reverse sweep."""

    def __init__(self, engine: Engine, subject: Subject, request: Request) -> None:
        self.engine, self.subject, self.request = engine, subject, request
        self.activity = checked_activity(engine.config, subject, request)
        self.maps = linear_maps(engine, subject, request) if request.behind else None
        self.room: Value = ConstantToken(PTR, "null")
        if not subject.live_blocks:
            raise subject.refuse(
                None,
                f"cannot differentiate '{request.function}': it never returns",
                "every path ends in an endless loop or a call that does not return",
                "give the function a path that returns",
            )

    def adjoint_type(self, value: Value) -> Type:
        return adjoint_type(self.subject, value)

    def combined(self, function: Function) -> None:
        self._forward(function, split=False)
        block = function.append_block("reverse")
        assert self.copy.return_block is not None
        end = Builder(self.copy.return_block)
        self._close(end)
        end.br(block)
        arguments: dict[Value, Value] = {a: a for a in function.args}
        given = list(function.args)
        if self.request.behind:
            self.room = given.pop()
        seeds = given[-self.request.width :] if self.request.ret == "active" else []
        self._reverse(function, function.blocks[0], block, arguments, seeds)
        insist_exact(self.engine, self.copy)
        self.frame.finish()
        self._drop_unused()
        self.tape.scopes.attach([function])
        if self.scope is not None:
            accesses = [made for made in self.copy.origin if isinstance(made, (Load, Store)) and made.block is not None]
            self.scope.primal.update(dict.fromkeys(accesses))
            self.scope.attach(function.blocks[0])
        if self.rows is not None:
            self.rows.attach(function.blocks[0])
        attach_lines(self.engine.module, self.subject.function, function)

    def _drop_unused(self) -> None:
        calls = [inst for inst, call in self.augmentation.calls.items() if call.tape is None and call.outs is None]
        if calls and self.engine.config.fuse:
            plan = self.tape.plan
            drop_unused(self.engine, self.copy, calls, {v for v in plan.origins if v not in plan.kept})

    def split(self, pair: SplitPair) -> None:
        self._forward(pair.augmented, split=True)
        assert self.copy.return_block is not None
        end = Builder(self.copy.return_block)
        self._close(end)
        self.tape.initialise_fields()
        self._return_augmented(pair, end)
        entry = pair.reverse.append_block("entry")
        start = pair.reverse.append_block("reverse")
        self.frame.reverse_tape = pair.reverse.args[-1]
        shared = len(pair.augmented.args) - self.engine.defers_outside(self.request)
        arguments: dict[Value, Value] = dict(zip(pair.augmented.args[:shared], pair.reverse.args[:shared], strict=True))
        seeds = pair.reverse.args[shared:-1]
        self._reverse(pair.reverse, entry, start, arguments, seeds)
        insist_exact(self.engine, self.copy)
        Builder(entry).br(start)
        self.frame.finish()
        self._note_held(pair)
        if pair.most_values:
            pair.values = hand_over(self.frame, pair)
        if pair.values is None and self.engine.config.late_frames and not self.engine.again:
            allocate_late(self.frame, self.copy, self.reversed, pair.reverse)
        self.tape.scopes.attach([pair.augmented, pair.reverse])
        if self.scope is not None:
            self.scope.attach(entry)
        if self.rows is not None:
            self.rows.attach(entry)
        for made in (pair.augmented, pair.reverse):
            attach_lines(self.engine.module, self.subject.function, made)

    def _note_held(self, pair: SplitPair) -> None:
        """Locals are in the frame now: where ``explain`` looks, none of them is a block that is kept."""
        held = self.tape.held
        if not held:
            return
        for block, local in held.items():
            if block in self.copy.origin:
                inst = self.copy.origin.pop(block)
                self.copy.values[inst], self.copy.origin[local.address] = local.address, inst
        self.engine.plans[pair.augmented.name or ""] = (self.tape.plan.without(held), self.copy)

    def _return_augmented(self, pair: SplitPair, end: Builder) -> None:
        assert self.frame.allocation is not None
        parts: list[Value] = [self.frame.allocation if self.frame.size else ConstantToken(PTR, "null")]
        if self.request.return_primal:
            parts.append(self._result())
        if self.request.ret == "dup":
            returned = self._returned_value()
            assert returned is not None
            parts.append(self.copy.lanes.pack(end, lambda: self.shadows.of_or_primal(returned)))
        return_parts(end, pair.augmented, parts)

    def _returned_value(self) -> Value | None:
        """The subject's return operand."""
        block = self.copy.back[self.copy.return_block]  # type: ignore[index]
        operands = block.terminator.operands if block.terminator is not None else []
        return operands[0] if operands else None

    def _result(self) -> Value:
        """What the forward sweep returns. Asked for at the end: calls have been replaced by then."""
        returned = self._returned_value()
        assert returned is not None
        return self.copy.of(returned)

    def _forward(self, function: Function, split: bool) -> None:
        engine, subject, request = self.engine, self.subject, self.request
        self.copy = copy_primal(subject, request, self.activity, function)
        engine.clear_globals(self.copy)
        self.paired = paired_loops(subject) if engine.config.complex_pairs else {}
        for loop, is_open in self.paired.items():
            keep_pairs(engine.module, engine.pairs_together and is_open, self.copy.blocks[loop.header].terminator)
        engine.copies[function.name or ""] = self.copy
        self.shadows = Shadows(engine, self.copy)
        self.frame = Frame(engine, split, function.blocks[0], split and self._holds_locals())
        self.augmentation = Augmentation(engine, self.copy, self.shadows, self.frame)
        self.augmentation.run()
        if request.ret == "dup":
            returned = self._returned_value()
            if returned is not None:
                for _ in self.copy.lanes:
                    self.shadows.of_or_primal(returned)
        self.origins = Origins(self.copy, engine.config)
        self.origins.snapshots = offered(self.copy, self.origins)
        choosing = engine.config.last_choice and request.behind != APPLY
        self.choices = note_last_choices(self.copy) if choosing else []
        self.kept_choices = kept_choices(self.copy) if choosing and not engine.again else []
        found, self.kept_choices = find_choices(self.copy, self.kept_choices, engine.runtime)
        self.choices += found
        plan = self._plan(function)
        # Loops inside that keep something have a place on the tape, which iterations that are passed over do not move.
        outer = {loop for tape in plan.tapes for loop in tape.loop.ancestors()[1:]}
        if any(choice.loop in outer for choice in self.choices):
            self.choices = [choice for choice in self.choices if choice.loop not in outer]
            plan = self._plan(function)
        self.origins.snapshots.drop_unused(plan.origins)
        engine.plans[function.name or ""] = (plan, self.copy)
        self.tape = tape_of(engine, self.copy, plan, self.origins, self.frame)
        self.tape.emit_forward()

    def _holds_locals(self) -> bool:
        """Whether locals lie in the frame: in recursions, whose frames are blocks of memory anyway."""
        engine, request = self.engine, self.request
        if engine.again or engine.config.count_tape or request.keep_tape or request.renewable or request.apart:
            return False
        return engine.config.late_frames and calls_itself(self.subject.function)

    def _plan(self, function: Function) -> TapePlan:
        needed = self._dry_run(function)
        with self.engine.config.trace.step("plan"):
            also = needed if self.engine.config.check_plan else ()
            in_frame = self.frame.split and self.engine.config.small_frames and not self.engine.again
            return make_plan(self.copy, self.origins, needed, also, in_frame)

    def _dry_run(self, function: Function) -> list[Value]:
        scratch = Function("scratch", FunctionType(VOID, ()))
        entry, start = scratch.append_block("entry"), scratch.append_block("reverse")
        sweep = self._sweep(scratch, entry, {a: a for a in function.args}, None)
        sweep.emit(start)
        for block in scratch.blocks:
            for inst in block.instructions:
                inst.drop_operands()
        return list(sweep.needed)

    def _close(self, end: Builder) -> None:
        self.tape.close_forward(end)
        self.augmentation.deferred.close_forward(end)

    def _sweep(
        self, function: Function, slots: Block, arguments: dict[Value, Value], tape: Tape | None
    ) -> ReverseSweep:
        sweep = ReverseSweep(
            self.engine,
            self.copy,
            self.shadows,
            self.origins,
            function,
            slots,
            arguments,
            tape,
            self.adjoint_type,
            undo,
            self.choices,
            self.kept_choices,
        )
        sweep.augmentation = self.augmentation
        if self.maps is not None:
            sweep.sums = Sums(sweep, self.maps, self.request.behind, self.room)
        return sweep

    def _reverse(
        self, function: Function, slots: Block, start: Block, arguments: dict[Value, Value], seeds: Sequence[Argument]
    ) -> None:
        """Emit the reverse sweep; ``seeds`` has one for each lane, or none."""
        sweep = self._sweep(function, slots, arguments, self.tape)
        build = Builder(start)
        self.tape.emit_reverse_entry(build, slots)
        returned = self._returned_value()
        if seeds and returned is not None and self.activity.active_value(returned):
            for lane in sweep.lanes:
                sweep.adjoints.add(build, returned, self._seed(build, returned, seeds[lane]))
        sweep.paired = self.paired
        hand_on_at_once(sweep)
        sweep.emit(start)
        self.reversed = sweep.blocks
        self.scope, self.rows = sweep.scope, sweep.rows
        for home in sweep.last_reads.unfilled:
            fill = self.shadows.fills.pop(home, None)
            if fill is not None:
                fill.erase()
        leave = Builder(sweep.leave)
        if not self.request.keep_tape:
            self.augmentation.deferred.release(leave)
            self.tape.release(leave)  # last: it frees the frame
        outs = [a for a, kind in zip(self.subject.function.args, self.request.args, strict=True) if kind == "out"]
        gradients = [sweep.lanes.pack(leave, lambda a=a: sweep.adjoints.read(leave, a)) for a in outs]  # type: ignore[misc]
        if self.request.mode == "reverse" and self.request.return_primal:
            gradients.insert(0, self._result())  # the forward sweep is in this function, in front of this block
        sweep.adjoints.place()
        return_parts(leave, function, gradients)

    def _seed(self, build: Builder, returned: Value, seed: Argument) -> Value:
        return same_bits(build, seed, self.adjoint_type(returned))
