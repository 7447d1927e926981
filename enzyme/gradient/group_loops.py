"""Loops whose tangents are computed for one group of lanes after the other, behind the loop itself or in front of it.

The lanes of a derivative have nothing to do with each other. Where what the tangents in a loop are computed with is
cheap, and still there when the loop is over, the loop is run once for what it computes itself, which LLVM can vectorise
when no tangents stand between, and once more for each group of lanes: fewer arrays are written at a time, and what a
group works on stays in cache. Where the loop overwrites what it has read, as in place, the tangents have their turn in
front of it.

Then lanes that have nothing to do can be left out. A derivative of many lanes is mostly zeros: each lane moves one
parameter, and each parameter moves part of what is computed. Where all that a loop does with tangents is to add
multiples of unchanging ones to memory, lanes in which those are zero leave memory as it is, and a group of such lanes
does not run it. Zero times an infinite or NaN factor counts as zero here, as in a derivative that does not depend on
that factor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.loops import Loop
from enzyme.analysis.reads_first import reads_first
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.apply import active_partials, operand_values
from enzyme.gradient.idle_factors import Idle, Read, find_idle
from enzyme.gradient.idle_nests import find_idle_nest
from enzyme.gradient.interleaved import Interleaved
from enzyme.gradient.jam import Rows, emit_rows, find_rows
from enzyme.gradient.pack import are_apart, is_plain_call, pack_iterations
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.primal_rows import emit_primal_rows
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, FloatType, FunctionType, IntType, Type, VectorType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Compare,
    DebugRecord,
    Freeze,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    UnaryOp,
    Value,
    zero,
)
from enzyme.rules.expr import Const, IntOperand, Operand, leaves
from enzyme.rules.scalar import lookup_instruction
from enzyme.support.config import Config

if TYPE_CHECKING:
    from enzyme.gradient.forward_lanes import ForwardLanes, Group

_PLAIN = (BinaryOp, Branch, Cast, Compare, Freeze, GetElementPtr, Load, Phi, Select, Store, UnaryOp)


@dataclass(frozen=True)
class AddingLoop:
    """A loop of one block that adds multiples of the tangents of ``factors``, values from outside of it, to memory;
    ``rows``: the loop around it, where its iterations are taken at once."""

    loop: Loop
    factors: tuple[Value, ...]
    rows: Rows | None = None


@dataclass(frozen=True)
class GroupLoop:
    """A loop that is run again for each group; ``adding``: the loops in it, or itself, that idle groups leave out;
    ``ahead``: in front of the loop, not behind it; ``idle``: what groups run without in which nothing of that moves."""

    loop: Loop
    adding: tuple[AddingLoop, ...] = ()
    ahead: bool = False
    idle: Idle | None = None

    @property
    def adds(self) -> bool:
        """Whether the loop itself is one that adds."""
        return any(each.loop is self.loop for each in self.adding)


def group_loops(
    subject: Subject, activity: ActivityResult, interleaved: Interleaved, several: bool, config: Config
) -> list[GroupLoop]:
    """The loops of a function to be run for each group, outermost ones; ``several``: there is more than one group."""
    adding: list[AddingLoop] = []
    if config.skip_idle_lanes:
        adding = [a for loop in subject.loops.loops if (a := _adding(subject, activity, interleaved, loop))]
    made: list[GroupLoop] = []
    for loop in subject.loops.loops:  # outer loops come first
        if any(loop is not other.loop and other.loop.contains(loop) for other in made):
            continue
        reader = _Reader(subject, activity, loop, config.lanes_ahead)
        inside = [a for a in adding if loop.contains(a.loop)]
        adds = any(a.loop is loop for a in inside)
        if (adds or several) and reader.may_run_again() and (adds or reader.is_cheap()):
            left_out = tuple(a for a in inside if not reader.needs_result(a.loop))
            if config.rows_together:
                left_out = tuple(_with_rows(subject, activity, loop, each) for each in left_out)
            ask = config.skip_idle_lanes and config.idle_factors and not adds
            idle = find_idle(subject, activity, interleaved, loop) if ask else None
            if ask and idle is None and not left_out:
                idle = find_idle_nest(subject, activity, interleaved, loop)
            made.append(GroupLoop(loop, left_out, reader.ahead, idle))
    return made


def _with_rows(subject: Subject, activity: ActivityResult, loop: Loop, adding: AddingLoop) -> AddingLoop:
    if adding.loop is loop:
        return adding
    return replace(adding, rows=find_rows(subject, activity, adding.loop, len(adding.factors)))


@dataclass
class _Reader:
    """Whether a loop can be run again for its tangents alone."""

    subject: Subject
    activity: ActivityResult
    loop: Loop
    may_run_ahead: bool
    ahead: bool = False  # what is needed is there in front of the loop only
    needed: set[Value] = field(default_factory=set)  # values of the loop that the tangents are computed with
    moved: int = 0
    stored: bool = False

    def may_run_again(self) -> bool:
        loop = self.loop
        if not loop.is_simple or len(loop.exits) != 1:
            return False
        work: list[Value] = []
        for block in loop.order:
            for inst in block.instructions:
                if not self._reads(inst, work):
                    return False
        return self.stored and self.moved > 0 and self._stays(work)

    def is_cheap(self) -> bool:
        """Whether there is much less to compute again than there are tangents."""
        again = sum(isinstance(v, (BinaryOp, CallBase)) and isinstance(v.type, FloatType) for v in self.needed)
        return 2 * again <= self.moved

    def needs_result(self, inner: Loop) -> bool:
        """Whether what an inner loop hands on is among what the tangents are computed with."""
        return any(phi in self.needed for _, outside in inner.exits for phi in outside.phis)

    def _reads(self, inst: Instruction, work: list[Value]) -> bool:
        active = self.activity.active_value(inst)
        led = not inst.type.is_void and not active and self.activity.needs_shadow(inst)
        if (active or led) and not all(self.loop.contains(user) for user in inst.users):
            return False
        if isinstance(inst, DebugRecord):
            return True
        if isinstance(inst, CallBase):
            if is_dropped(inst) or declares_scope(inst):
                return True
            if not is_plain_call(inst):
                return False
        elif not isinstance(inst, _PLAIN):
            return False
        if isinstance(inst, (Load, Store)) and (inst.ordering or "volatile" in inst.flags):
            return False
        if inst.is_terminator:
            work.append(inst)
        elif isinstance(inst, Store) and self.activity.needs_shadow(inst.pointer):
            self.stored = True
            work.append(inst.pointer)
            return isinstance(inst.value.type, FloatType)
        elif active:
            self.moved += 1
            work.extend(factors_of(inst, self.activity))
        return True

    def _stays(self, work: list[Value]) -> bool:
        """Whether what the tangents are computed with is there behind the loop, or else in front of it."""
        writes = [inst for block in self.loop.order for inst in block.instructions if isinstance(inst, Store)]
        alias = self.subject.alias
        overwritten: list[tuple[Load, Store]] = []
        while work:
            value = work.pop()
            if value in self.needed or not isinstance(value, Instruction) or not self.loop.contains(value):
                continue
            self.needed.add(value)
            if isinstance(value, Load):
                place = alias.location(value)
                overwritten += [
                    (value, write)
                    for write in writes
                    if alias.mod_ref(write, place, same_iteration=False).may_write
                    and not alias.pointers.apart_in(self.loop, value, write)
                ]
                if overwritten and not self.may_run_ahead:
                    return False
            work.extend(operand for operand in value.operands if not isinstance(operand, Block))
        layout = self.subject.module.datalayout
        self.ahead = bool(overwritten)
        return all(reads_first(alias.pointers, layout, self.loop, read, write) for read, write in overwritten)


def factors_of(inst: Instruction, activity: ActivityResult) -> list[Value]:
    """What the tangent of an instruction is computed with, beside tangents."""
    if isinstance(inst, Load):
        return [inst.pointer]
    if isinstance(inst, Select):
        return [inst.operands[0]]
    rule = lookup_instruction(inst)
    found: list[Value] = []
    values = operand_values(inst)
    for _, _, partial in active_partials(rule, inst, activity.active_value) if rule is not None else ():
        found += [values[leaf.index] if isinstance(leaf, (Operand, IntOperand)) else inst for leaf in leaves(partial)]
    return found


# loops that add


def _adding(subject: Subject, activity: ActivityResult, interleaved: Interleaved, loop: Loop) -> AddingLoop | None:
    """The loop as one that adds, if it is one."""
    block = loop.header
    if len(loop.blocks) != 1 or len(loop.exits) != 1 or not loop.is_simple:
        return None
    if any(
        user.block is not block and user not in loop.exits[0][1].phis for i in block.instructions for user in i.users
    ):
        return None
    if any(activity.active_value(phi) for phi in loop.exits[0][1].phis):  # its tangent is that of what was found, too
        return None
    sums: dict[Value, Load] = {}  # values whose tangent is what a load finds, and something that may be zero
    factors: dict[Value, None] = {}
    added = False
    for inst in block.instructions:
        if isinstance(inst, Store) and activity.needs_shadow(inst.pointer):
            load = sums.get(inst.value)
            if load is None or load.pointer is not inst.pointer:
                return None
            between = block.instructions[block.position(load) : block.position(inst)]
            if any(isinstance(other, Store) and activity.needs_shadow(other.pointer) for other in between):
                return None
            added = True
        elif isinstance(inst, Load) and activity.active_value(inst):
            if inst.pointer not in interleaved:
                return None
            sums[inst] = inst
        elif activity.active_value(inst) and not _adds(activity, block, inst, sums, factors):
            return None
    return AddingLoop(loop, tuple(factors)) if added else None


def _adds(
    activity: ActivityResult, block: Block, inst: Instruction, sums: dict[Value, Load], factors: dict[Value, None]
) -> bool:
    """Whether the tangent of an instruction is zero, or that of a number in memory, where those of factors are zero."""
    rule = lookup_instruction(inst)
    if rule is None or isinstance(inst, Phi):
        return False
    for _, operand, partial in active_partials(rule, inst, activity.active_value):
        if not isinstance(operand, Instruction) or operand.block is not block:
            factors[operand] = None
        elif isinstance(operand, Phi):
            return False
        elif operand in sums:
            if inst in sums or partial != Const(1.0):
                return False
            sums[inst] = sums[operand]
    return True


# making them


def emit_group_loop(forward: ForwardLanes, found: GroupLoop) -> None:
    """Behind the loop, or in front of it, the same loop for the tangents of each group."""
    copy, target, loop = forward.copy, forward.copy.target, found.loop
    ((leaving, outside),) = loop.exits
    assert loop.preheader is not None
    ahead, after = copy.blocks[loop.preheader], copy.blocks[outside]
    before, behind = (ahead, copy.blocks[loop.header]) if found.ahead else (copy.blocks[leaving], after)
    packs = forward.engine.config.pack_iterations and not found.adds
    packs = packs and are_apart(forward.subject, forward.activity, forward.interleaved, loop)
    first = entry = target.append_block("lanes")
    jump = before.terminator
    assert jump is not None
    jump.replace_operand(behind, first)
    for group in forward.groups:
        following = target.append_block("lanes")
        forward.clear_late(loop, Builder(entry), group)
        edges: dict[Value, Value] = {ahead: entry, (after if found.ahead else first): following}
        headers = [_run_again(forward, found, group, edges)]
        if found.idle is not None:
            with forward.without(found.idle.values):
                headers.append(_run_again(forward, found, group, edges))
            jump = entry.terminator
            assert jump is not None
            build = Builder(entry, before=jump)
            build.cond_br(_any_moves(forward, build, found.idle.factors, group, found.idle.reads), *headers)
            jump.erase()
        if packs:
            for header in headers:
                _pack(forward, header, group)
        entry = following
    Builder(entry).br(behind)
    for phi in behind.phis:
        phi.replace_operand(before, entry)
    for adding in found.adding:
        if adding.rows is not None and adding.rows.loop is not loop:
            emit_primal_rows(forward, adding.rows)


def _run_again(forward: ForwardLanes, found: GroupLoop, group: Group, edges: dict[Value, Value]) -> Block:
    """A copy of a loop that does nothing but the tangents of a group. ``edges`` says where it comes from and goes to,
    by the blocks around the loop itself."""
    copy, target, loop = forward.copy, forward.copy.target, found.loop
    entry, following = edges.values()
    assert isinstance(entry, Block) and isinstance(following, Block)
    made = dict(edges)
    for block in loop.order:
        made[copy.blocks[block]] = target.append_block(block.name)
    clones: list[Instruction] = []
    for block in loop.order:
        into = made[copy.blocks[block]]
        assert isinstance(into, Block)
        for inst in list(copy.blocks[block].instructions):
            if not isinstance(inst, DebugRecord) and not declares_scope(inst):
                made[inst] = into.append(inst.clone())
                clones.append(made[inst])  # type: ignore[arg-type]
    for inst in clones:
        for index, operand in enumerate(inst.operands):
            if operand in made:
                inst.set_operand(index, made[operand])
    header = made[copy.blocks[loop.header]]
    assert isinstance(header, Block)
    if entry.terminator is None:
        Builder(entry).br(header)
    with forward.again(loop, made):
        forward.visit_group(loop, group)
        for adding in found.adding:
            _leave_out(forward, loop, adding, group, entry, following)
    for inst in clones:
        if isinstance(inst, Store):
            inst.erase()
    for adding in found.adding:
        adds, rows = cast(Block, made[copy.blocks[adding.loop.header]]), adding.rows
        if rows is not None:
            blocks = {block: cast(Block, made[copy.blocks[block]]) for block in rows.loop.order}
            before = made[copy.blocks[cast(Block, rows.loop.preheader)]]
            adds = emit_rows(rows, blocks, cast(Block, before), clones)
        if forward.engine.config.pack_iterations:
            _pack(forward, adds, group)  # what is added to one number may come in another order, no more
    return header


def _pack(forward: ForwardLanes, block: Block, group: Group) -> None:
    """Let iterations of a loop of one block share registers, where a group fills a part of one."""
    lanes, module = len(group.lanes), forward.subject.module
    sizes = [module.datalayout.size_of(inst.type) for inst in block.instructions if isinstance(inst.type, VectorType)]
    times = forward.engine.vector_bytes // max(sizes) if sizes and not lanes & (lanes - 1) else 1
    if times > 1:
        pack_iterations(module, block, lanes, times)


def _leave_out(
    forward: ForwardLanes, loop: Loop, adding: AddingLoop, group: Group, entry: Block, following: Block
) -> None:
    """Go around a loop that adds where it would add nothing."""
    itself = adding.loop is loop
    assert adding.loop.preheader is not None
    ahead = entry if itself else forward.copy.blocks[adding.loop.preheader]
    after = following if itself else forward.copy.blocks[adding.loop.exits[0][1]]
    jump = ahead.terminator
    assert jump is not None
    header = jump.operands[0]
    assert isinstance(header, Block)
    build = Builder(ahead, before=jump)
    moves = _any_moves(forward, build, adding.factors, group)
    build.cond_br(moves, header, after)
    jump.erase()
    for phi in after.phis:
        phi.add_incoming(zero(phi.type), ahead)


def _any_moves(
    forward: ForwardLanes, build: Builder, factors: Iterable[Value], group: Group, reads: Iterable[Read] = ()
) -> Value:
    """Whether a tangent of one of the factors, or of the numbers in memory, is not zero in a lane of the group."""
    found: Value = zero(VectorType(len(group.lanes), I1))
    for factor in factors:
        vector = forward.vector(factor, group)
        moves = build.fcmp("une", vector, zero(vector.type), ())
        found = build.or_(found, moves)
    bits: dict[Type, Value] = {}  # of all that is read, by type
    for read in reads:
        value = _bits_at(forward, build, read, group)
        bits[value.type] = build.or_(bits[value.type], value) if value.type in bits else value
    for type_, value in bits.items():
        without_sign = build.add(value, value)
        found = build.or_(found, build.icmp("ne", without_sign, zero(type_)))
    name = f"llvm.vector.reduce.or.v{len(group.lanes)}i1"
    type = FunctionType(I1, (VectorType(len(group.lanes), I1),))
    return build.call(forward.subject.module.declare_function(name, type), [found])


def _bits_at(forward: ForwardLanes, build: Builder, read: Read, group: Group) -> Value:
    """The tangents of a number in interleaved memory, as integers."""
    count, size = len(group.lanes), forward.subject.module.datalayout.size_of(read.type)
    at = build.offset(forward.place(read.base, group), count * read.offset)
    return build.load(VectorType(count, IntType(8 * size)), at, size)
