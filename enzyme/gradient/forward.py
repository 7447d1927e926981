"""Forward mode: a copy of the primal with the tangent of every active value computed right after it.

A tangent has the type of its value, integers that carry floating-point data included. Shadow memory holds tangents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from enzyme.analysis.activity_callees import BLOCK_SIZE
from enzyme.analysis.counted import is_counted
from enzyme.analysis.dispatched import is_dispatch, is_rest
from enzyme.gradient import words
from enzyme.gradient.alignment import loosen_access, loosen_block
from enzyme.gradient.apply import Shared, active_partials, is_float, is_singular, operand_values, rule_leaf, scaled
from enzyme.gradient.bits import bit_logic, emit_mixed_check, passed_by, rescaled, through
from enzyme.gradient.calls import call_request, defined_callee, facts
from enzyme.gradient.carried import carried_parts, is_either, moved_parts, stores_pointer
from enzyme.gradient.exceptions import replace_call
from enzyme.gradient.hooks import forward_hook, forward_reduction
from enzyme.gradient.lost_stores import stop_lost, stop_lost_copy
from enzyme.gradient.packed import moved_lanes
from enzyme.gradient.primal import PrimalCopy, builder_after, copy_primal, is_dropped
from enzyme.gradient.quotients import without_division
from enzyme.gradient.reallocation import bound_size, forward_reallocation, is_active_reallocation
from enzyme.gradient.reciprocals import pays
from enzyme.gradient.refusals import (
    library_refusal,
    raise_if_hopeless,
    refuse_atomic,
    refuse_call,
    refuse_long_copy,
    refuse_rest,
    refuse_unknown_write,
    refuse_value,
    stop_message,
    stops_there,
)
from enzyme.gradient.request import Request
from enzyme.gradient.scopes import TangentScopes
from enzyme.gradient.shadows import Shadows
from enzyme.gradient.shuffles import handed_on
from enzyme.gradient.signatures import return_parts
from enzyme.gradient.struct_copies import move_pointers
from enzyme.gradient.subject import Subject
from enzyme.gradient.threads import is_atomic_sum
from enzyme.gradient.undo import ATOMIC, counts
from enzyme.ir.builder import Builder
from enzyme.ir.shuffles import shuffled_number
from enzyme.ir.types import Type
from enzyme.ir.values import (
    Argument,
    AtomicRMW,
    CallBase,
    Cast,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    ExtractElement,
    ExtractValue,
    Freeze,
    Function,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    Value,
    zero,
)
from enzyme.rules.expr import Expr
from enzyme.rules.known import Transfer
from enzyme.rules.rule import ScalarRule
from enzyme.rules.scalar import lookup_instruction, lookup_memory_hook, lookup_reduction
from enzyme.support.diagnostics import EnzymeError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_SAME = (Cast, ExtractValue, InsertValue, ExtractElement, InsertElement, ShuffleVector)


class Forward:
    """One forward derivative being made."""

    def __init__(self, engine: Engine, subject: Subject, request: Request, function: Function) -> None:
        self.engine, self.subject, self.request, self.function = engine, subject, request, function
        self.activity = subject.activity(request)
        self.copy: PrimalCopy = copy_primal(subject, request, self.activity, function)
        engine.copies[function.name or ""] = self.copy
        engine.clear_globals(self.copy)
        self.shadows = Shadows(engine, self.copy)
        self.lanes = self.copy.lanes
        self._tangents: list[dict[Value, Value]] = [{} for _ in range(self.lanes.width)]
        self.stopped: dict[CallBase, EnzymeError] = {}
        self.flags = engine.extra_flags(subject)
        self.scopes: TangentScopes | None = None
        """Where LLVM is told that tangents and the primal's memory are apart."""
        if engine.config.shadow_scopes and not request.at_run_time:
            self.scopes = TangentScopes(engine.module, request.width)

    @property
    def tangents(self) -> dict[Value, Value]:
        """Tangents there are in the selected lane, by value of the subject."""
        return self._tangents[self.lanes.current]

    def run(self) -> None:
        for block in self.subject.cfg.blocks:
            for phi in block.phis:
                if self.activity.active_value(phi):
                    for _ in self.lanes:
                        made = Phi(phi.type, (), name=_name(phi))
                        into = self.copy.blocks[block]
                        into.insert(len(into.phis), made)
                        self.tangents[phi] = made
        self.visit_blocks()
        for _ in self.lanes:
            for value_, tangent in self.tangents.items():
                if isinstance(value_, Phi) and isinstance(tangent, Phi):
                    for value, source in value_.incoming:
                        if source in self.copy.blocks:
                            tangent.add_incoming(self.tangent(value), self.copy.blocks[source])

    def attach_scopes(self) -> None:
        """Tell LLVM where tangents are, once everything has been emitted."""
        if self.scopes is not None:
            origin = self.copy.origin
            primal = [made for made in origin if isinstance(made, (Load, Store)) and made.block is not None]
            self.scopes.attach(self.function.blocks[0], primal)

    def reaches_tangents(self, made: Instruction, inst: Load | Store, lane: int | None = None) -> None:
        """``made`` loads or stores tangents of what ``inst`` does: those of a lane, or of all."""
        assert isinstance(made, (Load, Store))
        value = made.value if isinstance(made, Store) else made
        if self.scopes is not None and is_float(value.type):
            self.scopes.mark(made, lane, inst)

    def visit_blocks(self) -> None:
        """Everything but the operands of tangents that are phis."""
        for block in self.subject.cfg.blocks:
            for inst in list(block.instructions):
                self._visit(inst)
        raise_if_hopeless(self.subject, self.stopped)
        self.shadows.settle()

    def moves(self, value: Value) -> bool:
        """Whether a value of the subject has a tangent that may be anything but zero."""
        return self.activity.active_value(value)

    def tangent(self, value: Value) -> Value:
        """The tangent of a value of the subject in the selected lane; zero for one that has none."""
        if not self.activity.active_value(value):
            return zero(value.type)
        if isinstance(value, Argument):
            tangent = self.copy.shadow_argument(value)
            assert tangent is not None, f"{value!r} is active and has no tangent"
            return tangent
        return self.tangents[value]

    def _visit(self, inst: Instruction) -> None:
        if isinstance(inst, (Phi, DebugRecord)) or is_dropped(inst):
            return
        if isinstance(inst, Return):
            self._return(inst)
        elif isinstance(inst, CallBase):
            self._call(inst)
        elif isinstance(inst, Store):
            if self.activity.needs_shadow(inst.pointer) and words.may_hide_pointer(self.subject, inst):
                words.stop_pointer(self.engine, self.subject, self._after(inst), inst, self.copy.of(inst.value))
            moves = self.activity.needs_shadow(inst.pointer) and stores_pointer(self.subject, self.activity, inst)
            if not moves and not self.activity.active_instruction(inst):
                return
            build = self._after(inst)
            if not moves:
                stop_lost(self.engine, self.copy, self.shadows, inst, build)
            for _ in self.lanes:
                self._store(inst, build)
        elif is_counted(inst):
            words.stop_number(self.engine, self.copy, inst)
            self._no_tangent(inst)
        elif inst.is_terminator or not self.activity.active_instruction(inst):
            return
        elif is_atomic_sum(self.engine, inst):
            self._atomic_sum(inst)
        elif inst.opcode in ATOMIC:
            if not counts(self.subject, inst):
                raise refuse_atomic(self.subject, inst)
            if isinstance(inst, AtomicRMW):
                words.stop_atomic(self.engine, self.copy, inst)
            self._no_tangent(inst)
        elif self.activity.active_value(inst):
            self._tangents_of(inst)

    def _atomic_sum(self, inst: Instruction) -> None:
        """The tangent of what is added goes to the tangent of the sum, as atomically."""
        if inst.users and self.activity.active_value(inst):
            raise refuse_atomic(self.subject, inst)
        pointer, amount = inst.operands
        if self.activity.active_value(amount):
            build = self._after(inst)
            for _ in self.lanes:
                made = inst.clone([self.shadows.address(inst, pointer, "sink"), self.tangent(amount)])
                made.metadata, made.name = {}, None
                build.insert(made)

    def _no_tangent(self, inst: Instruction) -> None:
        """What is computed is an integer, although a number seems to be there."""
        if self.activity.active_value(inst):
            for _ in self.lanes:
                self.tangents[inst] = zero(inst.type)

    def _after(self, inst: Instruction) -> Builder:
        primal = self.copy.of(inst)
        assert isinstance(primal, Instruction)
        return builder_after(primal)

    def _tangents_of(self, inst: Instruction) -> None:
        """The tangents of a result, in all lanes; what they share is built once, in front of them."""
        build, shared = self._after(inst), Shared()
        for _ in self.lanes:
            self.tangents[inst] = self._value(inst, build, shared)

    def _value(self, inst: Instruction, build: Builder, shared: Shared) -> Value:
        if isinstance(inst, Load):
            made = inst.clone([self.shadows.address(inst, inst.pointer, "zero")])
            loosen_access(self.subject.module.datalayout, made)
            made.metadata = {k: v for k, v in inst.metadata.items() if k == "tbaa"}
            made.name = _name(inst)
            self.reaches_tangents(made, inst, self.lanes.current)
            return build.insert(made)
        rule = lookup_instruction(inst)
        if rule is not None:
            return self._rule(inst, rule, build, shared, self.tangent)
        if isinstance(inst, Select):
            condition, left, right = inst.operands
            return build.select(self.copy.of(condition), self.tangent(left), self.tangent(right))
        if isinstance(inst, Freeze):
            return self.tangent(inst.operands[0])
        if isinstance(inst, ShuffleVector) and inst.lanes is None:
            raise refuse_value(self.subject, self.activity, inst)
        if isinstance(inst, _SAME):
            made = inst.clone([self._moved(inst, index, operand) for index, operand in enumerate(inst.operands)])
            made.metadata, made.name = {}, _name(inst)
            made.flags = ()
            return build.insert(made)
        return self._bits(inst, build)

    def _moved(self, inst: Instruction, index: int, operand: Value) -> Value:
        if isinstance(inst, (ExtractElement, InsertElement)) and index == len(inst.operands) - 1:
            return self.copy.of(operand)
        if isinstance(inst, ShuffleVector) and index == 2:
            return operand
        return self.tangent(operand)

    def _bits(self, inst: Instruction, build: Builder) -> Value:
        if passed_by(self.subject, inst):
            return zero(inst.type)
        if moved_lanes(self.subject, inst) is not None:
            both = inst.opcode in ("or", "xor", "add")
            made = inst.clone([self.tangent(o) if both or not i else o for i, o in enumerate(inst.operands)])
            made.metadata, made.name, made.flags = {}, _name(inst), ()
            return build.insert(made)
        logic = bit_logic(self.subject, inst)
        if logic is None:
            raise refuse_value(self.subject, self.activity, inst)
        if logic.scaled is not None:
            number = logic.scaled.number
            tangent = build.bitcast(self.tangent(number), logic.type)
            scaled = rescaled(build, logic, tangent, self.copy.of(inst), self.copy.of(number))
            return build.bitcast(scaled, inst.type)
        if logic.checked:
            emit_mixed_check(self.engine, self.subject, build, inst, logic, self.copy.of)
        total: Value | None = None
        for index, operand in enumerate(inst.operands):
            if self.activity.active_value(operand):
                tangent = build.bitcast(self.tangent(operand), logic.type)
                term = through(build, logic, index, tangent, inst.operands, self.copy.of)
                total = term if total is None else build.fadd(total, term, ("nsz",))
        return build.bitcast(total if total is not None else zero(logic.type), inst.type)

    def _rule(
        self,
        inst: Instruction,
        rule: ScalarRule,
        build: Builder,
        shared: Shared,
        tangent_of: Callable[[Value], Value],
        lifted: Callable[[Type], Type] = lambda scalar: scalar,
    ) -> Value:
        """The tangent of a result, of the type that ``lifted`` gives to tangents of numbers of its type."""
        flags = (*inst.fast_math, *self.flags)
        leaf = rule_leaf(inst, self.copy.of)
        total: Value | None = None
        singular = is_singular(rule, operand_values(inst)) or self.request.strong_zero
        shared.reciprocal = self.engine.config.reciprocals and pays(self.subject, inst, self.lanes.width)
        for _, operand, partial in self.terms(inst, rule):
            tangent = tangent_of(operand)
            if operand.type is not inst.type:
                tangent = build.float_cast(tangent, lifted(inst.type))
            term = scaled(
                build, tangent, partial, leaf, inst.type, flags, self.engine.module, singular, shared, self.engine.again
            )
            total = term if total is None else build.fadd(total, term, flags)
        return total if total is not None else zero(lifted(inst.type))

    def terms(self, inst: Instruction, rule: ScalarRule) -> list[tuple[int, Value, Expr]]:
        """What a tangent is the sum of."""
        partials = active_partials(rule, inst, self.moves)
        return without_division(inst, partials) if self.engine.config.quotients else partials

    def _store(self, inst: Store, build: Builder) -> None:
        tags: tuple[str, ...] = ("tbaa",)  # not of an integer that clears a number
        if stores_pointer(self.subject, self.activity, inst):
            stored = self.shadows.of_or_primal(inst.value)
            if is_either(self.subject, inst):
                stored = words.either(build, self.tangent(inst.value), stored)
        elif self.activity.active_value(inst.value):
            stored = self.tangent(inst.value)
        elif carried_parts(self.subject, inst, inst.value, active=False):
            stored, tags = zero(inst.value.type), ("tbaa",) if is_float(inst.value.type) else ()
        else:
            return
        made = inst.clone([stored, self.shadows.address(inst, inst.pointer, "sink")])
        loosen_access(self.subject.module.datalayout, made)
        made.metadata = {k: v for k, v in inst.metadata.items() if k in tags}
        self.reaches_tangents(made, inst, self.lanes.current)
        build.insert(made)

    def _return(self, inst: Return) -> None:
        block = self.copy.blocks[inst.block]  # type: ignore[index]
        build = Builder(block)
        parts: list[Value] = []
        if inst.operands:
            if self.request.return_primal:
                parts.append(self.copy.of(inst.operands[0]))
            if self.request.ret == "active":
                parts.append(self.lanes.pack(build, lambda: self.tangent(inst.operands[0])))
            elif self.request.ret == "dup":
                parts.append(self.lanes.pack(build, lambda: self.shadows.of_or_primal(inst.operands[0])))
        return_parts(build, self.function, parts)

    # calls

    def _call(self, inst: CallBase) -> None:
        callee = defined_callee(inst)
        active = self.activity.active_instruction(inst)
        if is_rest(inst):
            if active:
                self._stop(inst, refuse_rest(self.subject, inst))
            return
        if callee is not None:
            if active:
                self._defined(inst, callee)
            elif callee.name == BLOCK_SIZE and self.activity.needs_shadow(inst.args[0]):
                bound_size(self.engine, self.copy, self.shadows, inst, callee)
            return
        refusal = library_refusal(self.subject, self.activity, inst)
        if refusal is not None:
            self._stop(inst, refusal)
            return
        rule = lookup_instruction(inst)
        if rule is not None:
            if self.activity.active_value(inst):
                self._tangents_of(inst)
            return
        known = facts(inst)
        if known is not None and known.free is not None:
            pointer = inst.args[known.free]
            if self.activity.needs_shadow(pointer):
                build = self._after(inst)
                for _ in self.lanes:
                    made = self.copy.of(inst).clone()  # type: ignore[attr-defined]
                    shadow = self.shadows.of(pointer)
                    if self.shadows.at_run_time:
                        shadow = self.shadows.chosen(inst, pointer, ConstantToken(shadow.type, "null"))
                    made.set_operand(known.free, shadow)
                    build.insert(made)
            return
        if not active:
            return
        if shuffled_number(inst) is not None:
            self._shuffle(inst)
            return
        if known is not None and known.returns_argument is not None and known.effect.none:
            return  # a pointer passed through
        name = inst.callee_name
        hook = lookup_memory_hook(name, inst.callee_type) if name else None
        reduction = lookup_reduction(name) if name else None
        build = self._after(inst)
        if hook is not None:
            forward_hook(self, inst, hook, build)
        elif reduction is not None:
            forward_reduction(self, inst, reduction, build)
        elif known is not None and known.transfer is not None:
            for _ in self.lanes:
                self._transfer(inst, known.transfer, build)
        elif known is None or not (known.inactive or known.allocation is not None or known.noreturn):
            raise refuse_call(self.subject, inst)
        elif is_active_reallocation(self.copy, inst, known):
            forward_reallocation(self.engine, self.copy, self.shadows, inst, known)
        else:
            refuse_unknown_write(self.subject, self.activity, inst, known)

    def _shuffle(self, inst: CallBase) -> None:
        """Threads of a warp hand tangents on as they do numbers."""
        build, args = self._after(inst), [self.copy.of(each) for each in inst.args]
        for _ in self.lanes:
            self.tangents[inst] = handed_on(self.engine.module, build, inst, self.tangent(inst.args[1]), args)

    def _defined(self, inst: CallBase, callee: Function) -> None:
        request = call_request(self.copy, inst, callee, "forward")
        if is_dispatch(self.subject.function):
            derivative = self.engine.attempt(request)
            if isinstance(derivative, EnzymeError):
                self._stop(inst, derivative)
                return
        else:
            derivative = self.engine.derivative(request)
        assert isinstance(derivative, Function)
        self.copy.callees[inst] = derivative.name or ""
        operands: list[Value] = []
        for actual, duplicated in zip(inst.args, request.duplicated, strict=True):
            operands.append(self.copy.of(actual))
            if duplicated:
                pointer = actual.type.is_pointer or not self.activity.active_value(actual)
                operands += [self.shadows.of(actual) if pointer else self.tangent(actual) for _ in self.lanes]
        call = self.copy.of(inst)
        assert isinstance(call, CallBase)
        made, build = replace_call(call, derivative, operands)
        both = request.return_primal and request.ret != "const"
        if request.return_primal:
            primal: Value = build.extract_value(made, 0) if both else made
            call.replace_all_uses_with(primal)
            self.copy.values[inst] = primal
        if request.ret != "const":
            for _ in self.lanes:
                known = self.tangents if request.ret == "active" else self.shadows.made
                known[inst] = build.extract_value(made, *((1,) if both else ()), *self.lanes.path)
        call.erase()

    def _stop(self, inst: CallBase, error: EnzymeError) -> None:
        """A call that has no derivative (:func:`stops_there`): the program stops there."""
        if not stops_there(self.subject, inst):
            raise error
        self.stopped[inst] = error
        call = self.copy.of(inst)
        assert isinstance(call, Instruction) and call.block is not None
        self.engine.emit_abort(Builder(call.block, before=call), stop_message(inst, error))
        if self.activity.active_value(inst):
            for _ in self.lanes:
                self.tangents[inst] = zero(inst.type)
        if inst.type.is_pointer:
            for _ in self.lanes:
                self.shadows.made[inst] = zero(inst.type)

    def _transfer(self, inst: CallBase, transfer: Transfer, build: Builder) -> None:
        destination = inst.args[transfer.destination]
        if not self.activity.needs_shadow(destination):
            return
        to = self.shadows.of(destination)
        length = self.copy.of(inst.args[transfer.length])
        if self.shadows.at_run_time:
            if self.lanes.current == 0:
                stop_lost_copy(self.engine, self.copy, self.shadows, inst, transfer, build)
            self._transfer_at_run_time(inst, transfer, build)
            return
        if transfer.source is None:
            self.engine.memset_zero(build, to, length, 1)
            return
        source = inst.args[transfer.source]
        if not self.activity.needs_shadow(source):
            moved = moved_parts(self.subject, inst, None, destination, inst.args[transfer.length])
            if moved.floats or not moved.pointers:
                self.engine.memset_zero(build, to, length, 1)
                move_pointers(self.engine, build, moved, to, self.copy.of(source), length)
                return
        made = self.copy.of(inst).clone()  # type: ignore[attr-defined]
        made.set_operand(transfer.destination, to)
        loosen_block(made)
        made.set_operand(transfer.source, self.shadows.of_or_primal(source))
        build.insert(made)

    def _transfer_at_run_time(self, inst: CallBase, transfer: Transfer, build: Builder) -> None:
        """The same where memory may turn out to be inactive: what comes from there has no tangent, what goes there
        loses it."""
        destination, length = inst.args[transfer.destination], self.copy.of(inst.args[transfer.length])
        to, alone = self.shadows.of(destination), self.shadows.active_length(inst, [destination], length)
        if transfer.source is None:
            self.engine.memset_zero(build, to, alone, 1)
            return
        source = inst.args[transfer.source]
        moved = moved_parts(self.subject, inst, None, destination, inst.args[transfer.length])
        if moved.pointers and not moved.floats:
            made = self.copy.of(inst).clone()  # type: ignore[attr-defined]
            loosen_block(made)
            for position, value in (
                (transfer.destination, to),
                (transfer.source, self.shadows.of_or_primal(source)),
                (transfer.length, alone),
            ):
                made.set_operand(position, value)
            build.insert(made)
            return
        if moved.pointers and moved.period is None and (not isinstance(length, ConstantInt) or length.value > 4096):
            raise refuse_long_copy(self.subject, inst)
        if self.activity.needs_shadow(source):
            made = self.copy.of(inst).clone()  # type: ignore[attr-defined]
            made.set_operand(transfer.destination, to)
            loosen_block(made)
            made.set_operand(transfer.source, self.shadows.of(source))
            made.set_operand(transfer.length, self.shadows.active_length(inst, [source], alone))
            build.insert(made)
            alone = build.select(self.shadows.inactive(inst, source), alone, zero(alone.type))
        self.engine.memset_zero(build, to, alone, 1)
        if moved.period is None and moved.pointers:  # as much as the sink has room for
            to = build.select(build.icmp("eq", alone, zero(alone.type)), self.engine.dummy("sink"), to)
        if moved.pointers:  # those in inactive memory lead to such
            move_pointers(self.engine, build, moved, to, self.copy.of(source), alone)


def _name(value: Value) -> str | None:
    return f"{value.name}.tangent" if value.name else None
