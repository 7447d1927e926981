"""Calls that are reversed at once, where the forward sweep comes to them, because the adjoint of their result is known.

What a function adds up and returns has one adjoint all the time, its seed; what it stores once, in the end, where a
parameter says has what is in the shadow of that place from the beginning on. So a call whose result does nothing but go
into such a sum, perhaps times something that is known when it is made, need not wait for the reverse sweep: its
combined derivative is called in place of it, takes what it keeps off its own tape again before it returns, and leaves
nothing to be done. A recursion that adds up (a determinant by minors, an integral by halves, a walk over a tree) has no
tape for each of its calls then, and a loop whose iterations are functions (:mod:`enzyme.gradient.iterations`) none for
each iteration, whatever else they write, read or draw: each runs once, in its turn.

That is right where

- the result goes the same way whichever way the program goes: :class:`_Flow` follows it from the call to the return or
  the store, through sums, branches that meet and loops, and at each point it is in one value only;
- what the call writes has no shadow, or is scratch that it writes before it reads it and that nothing else reads later;
- nothing that runs later writes memory with a shadow that the call may read: its reversal would come first.

Where nothing is left to be done behind a call but to return (:func:`is_last`), its reverse sweep is the next thing to
be run anyway: then it may write what it likes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from enzyme.analysis.addresses import decompose
from enzyme.analysis.dispatched import is_dispatch
from enzyme.analysis.loops import Loop
from enzyme.analysis.modref import FunctionSummary
from enzyme.analysis.pointer_alias import MemoryLocation
from enzyme.gradient.calls import call_request, defined_callee
from enzyme.gradient.primal import KEPT_METADATA, PrimalCopy, is_dropped, is_static_alloca
from enzyme.gradient.replay import is_for_once, is_read_behind, is_scratch, runs_behind, why_not_scratch
from enzyme.gradient.request import Request
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import FloatType
from enzyme.ir.values import (
    INT_DIVISIONS,
    Alloca,
    Argument,
    BinaryOp,
    Block,
    Branch,
    Call,
    CallBase,
    Cast,
    Compare,
    Constant,
    DebugRecord,
    Freeze,
    Function,
    GetElementPtr,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Store,
    UnaryOp,
    Value,
    zero,
)
from enzyme.rules.scalar import lookup_instruction

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

_DEPTH = 8
"""Instructions one behind another that are computed ahead for a factor."""
_LONGEST = 200
"""Values that a number goes through on its way to the result: each call asks for its own way."""
_PURE = (BinaryOp, UnaryOp, Cast, Select, GetElementPtr)
_CONVERSIONS = {"fpext": "fptrunc", "fptrunc": "fpext"}
"""And the way back."""


class Unknown(Exception):
    """Why the adjoint of a value is not known when it is made."""


@dataclass(frozen=True)
class Step:
    """What an adjoint goes through on its way back over one instruction, ``inst``: "minus", "times" or "over" another
    ``value``, or "as" the type of what went in. ``near``: it stands in the block of the call, behind it."""

    kind: str
    inst: Instruction
    value: Value | None = None
    near: bool = False


Steps = tuple[Step, ...]


class Adjoint:
    """The adjoint of what ``start`` makes, as far as it is known at ``place``, which is ``start`` itself or a call in
    front of it: what that of the function's result goes through on its way back. Raises :class:`Unknown` where it hangs
    on more than the seed and what is known there."""

    def __init__(self, engine: Engine, copy: PrimalCopy, start: Instruction, place: Instruction | None = None) -> None:
        self.copy, self.subject, self.place = copy, copy.subject, place if place is not None else start
        flow = _Flow(engine, copy.subject, start)
        self.steps = flow.steps()
        self.entered, self.end = flow.entered, flow.end
        if self.end is not None:
            self._check_end(self.end)
        elif copy.request.ret != "active":
            raise Unknown("what its function returns has no derivative")
        for step in self.steps:
            if step.value is not None and not self._is_known(step.value, step.near, _DEPTH):
                raise Unknown("it is multiplied by what is not known yet")

    def _is_known(self, value: Value, near: bool, depth: int) -> bool:
        """Whether a value can be had in front of the place, the same as where it is used."""
        if not isinstance(value, Instruction):
            return isinstance(value, (Constant, Argument))
        if self._is_there(value, near):
            return True
        if depth == 0 or value is self.place or (near and value.block is not self.place.block):
            return False
        taken = self._taken(value)
        if taken is not None:
            return self._is_known(taken, near, depth - 1)
        if not _is_pure(value) and not (isinstance(value, Load) and self._is_same(value)):
            return False
        operands = value.args if isinstance(value, CallBase) else value.operands
        return all(self._is_known(operand, near, depth - 1) for operand in operands)

    def _is_there(self, value: Instruction, near: bool) -> bool:
        """Whether a value has been made in front of the place, and is not made again before it is used."""
        block = self.place.block
        assert value.block is not None and block is not None
        position = self.subject.cfg.position
        if value.block is block and position(value) >= position(self.place):
            return False
        if not self.subject.dominators.dominates(value.block, block):
            return False
        return near or self.subject.loops.loop_of(value.block) is None

    def _taken(self, value: Instruction) -> Value | None:
        """What a phi takes behind all loops, where there is one way to it from the start."""
        if not isinstance(value, Phi) or value.block is None or self.subject.loops.loop_of(value.block) is not None:
            return None
        sources = self.entered.get(value.block, {})
        return value.value_from(next(iter(sources))) if len(sources) == 1 else None

    def _is_same(self, load: Load) -> bool:
        """Whether a load finds in front of the place what it finds later. Memory with a shadow is not written through
        pointers to memory without one."""
        alias, activity = self.subject.alias, self.copy.activity
        if load.flags or load.ordering or not self._is_valid(load.pointer):
            return False
        place = replace(alias.pointers.location(load), instruction=self.place)
        later = (writer for writer, _ in alias.overwrites.later_writers(self.place) if not is_dropped(writer))
        writers = [self.place, *later]
        if activity.needs_shadow(load.pointer):
            return not any(_may_write_shadowed(self.copy, writer, place) for writer in writers)
        return not any(alias.mod_ref(writer, place, same_iteration=False).may_write for writer in writers)

    def _is_valid(self, pointer: Value) -> bool:
        """Whether what a pointer leads to is known to be there: something of it has been read or written already."""
        alias, block = self.subject.alias, self.place.block
        assert block is not None
        objects = alias.underlying_objects(pointer)
        if all(isinstance(memory.value, (Alloca, GlobalVariable)) for memory in objects):
            return True
        before = [each for each in self.subject.cfg.blocks if self.subject.dominators.dominates(each, block)]
        return any(
            alias.underlying_objects(inst.pointer) == objects
            for each in before
            for inst in each.instructions
            if isinstance(inst, (Load, Store)) and (each is not block or self._is_there(inst, near=True))
        )

    def _check_end(self, end: Store) -> None:
        """Raise :class:`Unknown` where the shadow of what is stored is not yet what the reverse sweep will find: the
        store is made once, into memory that a parameter leads to and that nothing touches behind it."""
        subject, activity = self.subject, self.copy.activity
        base, _ = self._stored_at(end)
        if end.flags or end.ordering or base is None or not activity.needs_shadow(end.pointer):
            raise Unknown("a 'store' takes it")
        if subject.loops.loop_of(end.block) is not None:
            raise Unknown("it is stored in a loop")
        place = subject.alias.pointers.location(end)
        for inst in runs_behind(subject, end):
            touched = subject.alias.mod_ref(inst, place)
            if (touched.may_read or touched.may_write) and not (isinstance(inst, CallBase) and is_dropped(inst)):
                raise Unknown("what it is stored in is used later")

    def _stored_at(self, end: Store) -> tuple[Argument | None, int]:
        """The parameter that leads to where a store goes, and how many bytes behind that."""
        address = decompose(end.pointer, self.subject.module.datalayout)
        plain = isinstance(address.base, Argument) and not address.terms
        return (address.base, address.offset) if plain else (None, 0)  # type: ignore[return-value]

    def _seed(self, build: Builder) -> Value:
        """The adjoint of what the function returns, or of what is stored in the end, in the selected lane."""
        copy = self.copy
        if self.end is None:
            given = copy.target.args[: -1 if copy.request.behind else None]
            return given[-copy.request.width :][copy.lanes.current]
        base, offset = self._stored_at(self.end)
        assert base is not None
        shadow = copy.shadow_argument(base)
        assert shadow is not None
        type, layout = self.end.value.type, self.subject.module.datalayout
        return build.load(type, build.offset(shadow, offset), min(self.end.align, layout.abi_align(type)))

    def emit(self, here: Builder) -> Value:
        """The adjoint, in the selected lane. What does not change is computed in front of all loops."""
        known: dict[Value, Value] = {}
        in_front = self._in_front() or here
        adjoint = self._seed(in_front)

        def value_of(value: Value, near: bool) -> Value:
            if not isinstance(value, Instruction) or self._is_there(value, near):
                return self.copy.of(value)
            taken = self._taken(value)
            if taken is not None:
                return value_of(taken, near)
            if value not in known:
                copied = value.clone([value_of(operand, near) for operand in value.operands])
                copied.metadata = {key: node for key, node in value.metadata.items() if key in KEPT_METADATA}
                (here if near else in_front).insert(copied)
                known[value] = copied
            return known[value]

        for step in reversed(self.steps):
            build = here if step.near else in_front
            if step.kind == "minus":
                adjoint = build.fneg(adjoint)
            elif step.kind == "as":
                (before,) = step.inst.operands
                adjoint = build.insert(Cast(_CONVERSIONS[step.inst.opcode], adjoint, before.type))
            else:
                assert step.value is not None
                flags = [flag for flag in step.inst.flags if flag in ("contract", "reassoc", "fast")]
                make = build.fmul if step.kind == "times" else build.fdiv
                made = make(adjoint, value_of(step.value, step.near), flags)
                if step.kind == "over" or self.copy.request.strong_zero:  # zero over zero, or times infinity
                    made = build.select(build.fcmp("oeq", adjoint, zero(adjoint.type)), adjoint, made)
                adjoint = made
        return adjoint

    def _in_front(self) -> Builder | None:
        """The place in front of all loops around it."""
        loop = self.subject.loops.loop_of(self.place.block)
        before = loop.ancestors()[-1].preheader if loop is not None else None
        if before is None:
            return None
        block = self.copy.blocks[before]
        return Builder(block, before=block.terminator)


class _Flow:
    """The way of a number to the return of its function: at each point behind ``start``, an instruction or a parameter,
    one value has it in it. ``around`` are the functions that call this one on the way."""

    def __init__(
        self, engine: Engine, subject: Subject, start: Instruction | Argument, around: tuple[Function, ...] = ()
    ) -> None:
        self.engine, self.subject, self.start = engine, subject, start
        self.around = (*around, subject.function)
        self.edges: dict[Value, dict[Instruction, Step | None]] = {}
        self.at: dict[Block, Value] = {}
        """What has it at the head of a block, behind the phis."""
        self.end: Store | None = None
        """Where the number is stored in the end, if it is not returned."""
        self.ended: dict[Value, None] = {}
        """What is returned, or stored there."""
        self.entered: dict[Block, dict[Block, None]] = {}
        """From where the program may come to a block, on its way from the start."""

    def steps(self) -> Steps:
        if not isinstance(self.start.type, FloatType):
            raise Unknown("it is no number")
        self._follow()
        found = self._found()
        for value, users in self.edges.items():
            for user, step in users.items():
                if found.get(value) != (*([step] if step is not None else []), *found.get(user, (None,))):
                    raise Unknown("it is multiplied on some ways only, or again and again")
            others = (Compare, DebugRecord) if self.end is not None else (Compare, DebugRecord, Return)
            for user in value.users:
                if user not in users and user is not self.end and not isinstance(user, others):
                    raise Unknown(f"a '{user.opcode}' takes it, too")
        return found[self.start]

    def _follow(self) -> None:
        """Go along all ways from the start on."""
        live = set(self.subject.live_blocks)
        work: list[tuple[Block, int, Value]] = [(self.subject.function.entry, 0, self.start)]
        if isinstance(self.start, Instruction):
            first = self.start.block
            assert first is not None
            work = [(first, self.subject.cfg.position(self.start) + 1, self.start)]
        while work:
            block, position, value = work.pop()
            near = position > 0
            while (inst := self._next_user(block, position, value)) is not None:
                position = self.subject.cfg.position(inst) + 1
                if isinstance(inst, (Return, Store)):
                    end = inst if isinstance(inst, Store) else None
                    if self.ended and end is not self.end:
                        raise Unknown("it is stored on some ways only")
                    if end is not None and end.pointer is value:
                        raise Unknown("it is an address")
                    self.end = end
                    self.ended[value] = None
                    self.edges.setdefault(value, {})
                    break
                if len(self.edges) == _LONGEST:
                    raise Unknown("its way to the result is long")
                step = None if self._passes(inst, value) else _step(inst, value, near)
                self.edges.setdefault(value, {}).setdefault(inst, step)
                value = inst
            else:
                if isinstance(block.terminator, Return):
                    raise Unknown("it is not part of the result on every way")
                for target in dict.fromkeys(block.successors):
                    if target not in live:
                        continue
                    self.entered.setdefault(target, {})[block] = None
                    found = self._enter(block, target, value)
                    if target not in self.at:
                        work.append((target, 0, found))
                    if self.at.setdefault(target, found) is not found:
                        raise Unknown("it is one value or another where ways meet")

    def _next_user(self, block: Block, position: int, value: Value) -> Instruction | None:
        """What takes a value first in a block, from a position on, beside comparisons."""
        place = self.subject.cfg.position
        users = [
            user
            for user in value.users
            if user.block is block and not isinstance(user, (Phi, Compare, DebugRecord)) and place(user) >= position
        ]
        return min(users, key=place, default=None)

    def _passes(self, inst: Instruction, value: Value) -> bool:
        """Whether a call adds to a number that it is given, and returns the sum."""
        if not isinstance(inst, Call) or sum(each is value for each in inst.args) != 1:
            return False
        callee = defined_callee(inst)
        if callee is None or callee in self.around or len(callee.args) != len(inst.args):
            return False
        return passes_on(self.engine, callee, [each is value for each in inst.args].index(True), self.around)

    def _enter(self, source: Block, target: Block, value: Value) -> Value:
        """What has the number in it at the head of a block."""
        taking = [phi for phi in target.phis if any(v is value and b is source for v, b in phi.incoming)]
        if len(taking) > 1:
            raise Unknown("two values take it")
        if not taking:
            if isinstance(value, Instruction) and value.block is target:
                raise Unknown("the next one takes its place")
            return value
        self.edges.setdefault(value, {}).setdefault(taking[0], None)
        return taking[0]

    def _found(self) -> dict[Value, Steps]:
        """The steps from each value on, along one way each."""
        found: dict[Value, Steps] = {value: () for value in self.ended}
        before: dict[Value, list[tuple[Value, Step | None]]] = {}
        for value, users in self.edges.items():
            for user, step in users.items():
                before.setdefault(user, []).append((value, step))
        work = list(self.ended)
        while work:
            after = work.pop()
            for value, step in before.get(after, ()):
                if value not in found:
                    found[value] = (*([step] if step is not None else []), *found[after])
                    work.append(value)
        if self.start not in found:
            raise Unknown("it does not reach the result")
        return found


def passes_on(engine: Engine, callee: Function, position: int, around: tuple[Function, ...] = ()) -> bool:
    """Whether a function adds to a number that it is given, and returns the sum."""
    if callee.is_declaration or is_dispatch(callee) or not callee.function_type.result.is_float:
        return False
    subject = engine.subject(callee.name or "")
    if not subject.live_blocks or subject.loops.irreducible_edges:
        return False
    flow = _Flow(engine, subject, callee.args[position], around)
    try:
        return not flow.steps() and flow.end is None
    except Unknown:
        return False


def _step(inst: Instruction, value: Value, near: bool) -> Step | None:
    """What an adjoint goes through where ``inst`` takes ``value``; None: it stays as it is."""
    places = [index for index, each in enumerate(inst.operands) if each is value]
    if len(places) > 1 or not isinstance(inst.type, FloatType):
        raise Unknown(f"a '{inst.opcode}' takes it")
    place = places[0]
    if isinstance(inst, BinaryOp):
        other = inst.operands[1 - place]
        if inst.opcode == "fadd":
            return None
        if inst.opcode == "fsub":
            return Step("minus", inst, None, near) if place else None
        if inst.opcode == "fmul":
            return Step("times", inst, other, near)
        if inst.opcode == "fdiv" and place == 0:
            return Step("over", inst, other, near)
    elif isinstance(inst, UnaryOp) and inst.opcode == "fneg":
        return Step("minus", inst, None, near)
    elif isinstance(inst, Freeze):
        return None
    elif isinstance(inst, Cast) and inst.opcode in _CONVERSIONS:
        return Step("as", inst, None, near)
    elif isinstance(inst, CallBase) and (inst.callee_name or "").startswith(("llvm.fmuladd.", "llvm.fma.")):
        return None if place == 2 else Step("times", inst, inst.args[1 - place], near)
    raise Unknown(f"a '{inst.callee_name if isinstance(inst, CallBase) else inst.opcode}' takes it")


def _is_pure(value: Instruction) -> bool:
    if isinstance(value, CallBase):
        return isinstance(value, Call) and lookup_instruction(value) is not None
    return isinstance(value, _PURE) and value.opcode not in INT_DIVISIONS


@dataclass(frozen=True)
class AtOnce:
    """How a call is reversed at once: by which derivative, and the adjoints of its result and of what an iteration
    writes to some of its parameters, locals that are read right behind it."""

    request: Request
    result: Adjoint | None
    """None where the result has none."""
    written: tuple[tuple[int, Adjoint], ...] = ()
    passed: tuple[int, ...] = ()
    """Parameters to which the call adds what it returns: they take over its result's adjoint."""


def reversed_at_once(engine: Engine, copy: PrimalCopy, inst: CallBase, callee: Function) -> AtOnce | str:
    """How a call is reversed where it is made, or why it cannot be."""
    subject, asked = copy.subject, copy.request
    if asked.mode != "reverse" or asked.at_run_time:
        return "no seed is known when it is made"
    if not isinstance(inst, Call) or is_dispatch(subject.function) or is_dispatch(callee):
        return "it may throw, or which function it calls is not known"
    summary = engine.effects_of(callee)
    if summary is None:
        return f"'{callee.name}' may be replaced when the program is linked"
    found = _reversed_in_sum(engine, copy, inst, callee, summary)
    if isinstance(found, AtOnce) or summary.frees_args or summary.frees_other or not is_last(subject, inst):
        return found
    last = _reversed_last(engine, copy, inst, callee)
    return last if isinstance(last, AtOnce) else found


def _reversed_in_sum(
    engine: Engine, copy: PrimalCopy, inst: CallBase, callee: Function, summary: FunctionSummary
) -> AtOnce | str:
    """How a call whose result goes into a sum is reversed where it is made, or why it cannot be."""
    if summary.writes_other or summary.frees_args or summary.frees_other or summary.captures:
        return "it writes, frees or keeps memory that it is not given"
    shadowed = [variable.name for variable in summary.writes_globals if _is_shadowed(engine, copy, variable)]
    if shadowed:
        return f"it writes the global variable '{shadowed[0]}'"
    changed = _why_changed(engine, copy, inst, summary)
    if changed:
        return changed
    request = replace(call_request(copy, inst, callee, "reverse"), return_primal=True)
    if request.ret != "active" or engine.rules_for(request) is not None or engine.checkpoints.answers(request):
        return "its result has no adjoint, or its derivative is given"
    if not engine.subject(request.function).live_blocks:
        return "it never returns"
    try:
        written = tuple(_written(engine, copy, inst, callee, summary))
        adjoint = Adjoint(engine, copy, inst)
        outs = [position for position, kind in enumerate(request.args) if kind == "out"]
        passed = tuple(position for position in outs if passes_on(engine, callee, position))
        kinds = tuple("const" if position in passed else kind for position, kind in enumerate(request.args))
        return AtOnce(replace(request, args=kinds), adjoint, written, passed)
    except Unknown as error:
        return str(error)


def is_last(subject: Subject, inst: Instruction) -> bool:
    """Whether a function returns what it has, or nothing, right behind an instruction."""
    return all(
        isinstance(each, (Phi, Branch, Return, DebugRecord)) or (isinstance(each, CallBase) and is_dropped(each))
        for each in runs_behind(subject, inst)
    )


def _reversed_last(engine: Engine, copy: PrimalCopy, inst: CallBase, callee: Function) -> AtOnce | str:
    """How the last call of a function is reversed where it is made, or why it cannot be."""
    result = inst.type.is_float or inst.type.is_void or inst.type.is_int
    asked = call_request(copy, inst, callee, "reverse")
    request = replace(asked, return_primal=copy.request.return_primal and not inst.type.is_void)
    if not result or engine.rules_for(request) is not None or engine.checkpoints.answers(request):
        return "it returns more than a number, or its derivative is given"
    if not engine.subject(request.function).live_blocks:
        return "it never returns"
    try:
        return AtOnce(request, Adjoint(engine, copy, inst) if request.ret == "active" else None)
    except Unknown as error:
        return str(error)


def _written(
    engine: Engine, copy: PrimalCopy, inst: CallBase, callee: Function, summary: FunctionSummary
) -> Iterator[tuple[int, Adjoint]]:
    """Parameters through which an iteration writes numbers whose adjoints are known; raises :class:`Unknown` where a
    call writes others that are no scratch."""
    for position in sorted(summary.writes_args):
        if position >= len(inst.args) or not copy.activity.needs_shadow(inst.args[position]):
            continue
        load = _read_once(copy.subject, inst, position) if is_for_once(copy.subject, callee) else None
        if load is not None:
            yield position, Adjoint(engine, copy, load, inst)
            continue
        found = why_not_scratch(engine, copy, inst, callee, position)
        if found or is_read_behind(copy, inst, inst.args[position]):
            raise Unknown(found or "what it writes is read later")


def _read_once(subject: Subject, inst: CallBase, position: int) -> Load | None:
    """The one load of a local that a call always writes, and nothing else does, right behind it."""
    local = inst.args[position]
    if not isinstance(local, Alloca) or not is_static_alloca(local):
        return None
    users = [user for user in local.users if not is_dropped(user) and user is not inst]
    if len(users) != 1 or sum(each is local for each in inst.args) != 1:
        return None
    (load,) = users
    if not isinstance(load, Load) or load.block is not inst.block or load.type is not local.allocated_type:
        return None
    return load if subject.cfg.position(load) > subject.cfg.position(inst) else None


def sums_of(copy: PrimalCopy, loop: Loop) -> tuple[int, ...]:
    """Which of the header's phis hand on numbers with adjoints."""
    return tuple(index for index, phi in enumerate(loop.header.phis) if copy.activity.active_value(phi))


def why_no_loop_at_once(engine: Engine, copy: PrimalCopy, loop: Loop) -> str:
    """Why the iterations of a loop cannot be reversed one after the other in the forward sweep, as far as can be told
    before they are functions; "" if they can."""
    subject, activity = copy.subject, copy.activity
    if copy.request.mode != "reverse" or copy.request.at_run_time:
        return "no seed is known when it runs"
    latch = loop.latch
    assert latch is not None
    phis = list(loop.header.phis)
    sums = [phis[index].value_from(latch) for index in sums_of(copy, loop)]
    ends = (phi.value_from(latch) for block in loop.exit_blocks for phi in block.phis if activity.active_value(phi))
    if not sums or not set(ends) <= set(sums):
        return "it has no sum, or hands on more than that"
    for block in loop.blocks:
        for inst in block.instructions:
            if not isinstance(inst, Store) or not activity.needs_shadow(inst.pointer):
                continue
            if inst.value.type.scalar.is_pointer:
                return "it stores a pointer"
            if not all(is_scratch(subject.alias, memory) for memory in subject.alias.underlying_objects(inst.pointer)):
                return "it writes memory that has a shadow and is seen elsewhere"
    try:
        for total in sums:
            if not isinstance(total, Instruction):
                return "it has no sum, or hands on more than that"
            Adjoint(engine, copy, total)
    except Unknown as error:
        return f"the adjoint of what it adds up: {error}"
    return ""


def _is_shadowed(engine: Engine, copy: PrimalCopy, variable: GlobalVariable) -> bool:
    return variable.name in copy.shadowed_globals or variable.name in engine.globals.named


def _why_changed(engine: Engine, copy: PrimalCopy, inst: CallBase, summary: FunctionSummary) -> str:
    """What with a shadow that the call reads may be written later, in words."""
    activity = copy.activity
    writers = list(_later_writers(copy, inst))
    if summary.reads_other and writers:
        return "it reads memory through pointers that it loads, which may be overwritten"
    for variable in summary.reads_globals:
        if not variable.is_constant and _is_shadowed(engine, copy, variable):
            place = MemoryLocation(variable, None, None, inst, whole=True)
            if any(_may_write_shadowed(copy, writer, place) for writer in writers):
                return f"the global variable '{variable.name}' may be overwritten later"
    for position in sorted(summary.reads_args):
        if position >= len(inst.args) or not activity.needs_shadow(inst.args[position]):
            continue
        place = MemoryLocation(inst.args[position], None, None, inst, whole=True)
        if any(_may_write_shadowed(copy, writer, place) for writer in writers):
            return "what it reads may be overwritten later"
    return ""


def _later_writers(copy: PrimalCopy, inst: CallBase) -> Iterator[Instruction]:
    """What runs behind the call and may write memory that has a shadow."""
    for writer, _ in copy.subject.alias.overwrites.later_writers(inst):
        if writer is not inst and not copy.puts_off(writer) and not is_dropped(writer):
            if _may_write_shadowed(copy, writer):
                yield writer


def _may_write_shadowed(copy: PrimalCopy, writer: Instruction, place: MemoryLocation | None = None) -> bool:
    """Whether an instruction may write memory that has a shadow, at ``place`` or anywhere. To free it is no matter:
    what is reversed at once is over by then."""
    alias = copy.subject.alias
    for access in alias.effects.effect(writer).writes:
        if access.kind in ("stack", "errno") or access.cause == "free":
            continue
        if access.location is not None and not copy.activity.needs_shadow(access.location.pointer):
            continue
        if place is None or alias.overwrites.touches(writer, access, place, False, count_free=True).kind != "no":
            return True
    return False


def also(reason: str, instead: str) -> str:
    """Why neither the one nor the other is right; "" where the other is."""
    return instead and (reason if instead == reason else f"{reason}; nor in the forward sweep: {instead}")
