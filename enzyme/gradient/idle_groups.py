"""Loops that add a multiple of unchanging tangents to memory: nothing is added in lanes where those are zero.

A derivative of many lanes is mostly zeros: each lane moves one parameter, and each parameter moves part of what is
computed. Where the tangents in a loop depend on tangents from outside of it alone, linearly, and all the loop does with
them is to add them to what is in memory, lanes whose tangents are all zero leave memory as it is. Such a loop is run
once for what it computes itself, and once more for each group of lanes that has a tangent other than zero, for the
tangents alone; the loop itself, free of them, is LLVM's to vectorise.

Zero times an infinite or NaN factor counts as zero here, as in a derivative that does not depend on that factor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.loops import Loop
from enzyme.gradient.apply import active_partials, operand_values
from enzyme.gradient.interleaved import Interleaved
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, FunctionType, VectorType
from enzyme.ir.values import (
    Block,
    Branch,
    Call,
    CallBase,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
    zero,
)
from enzyme.rules.expr import Const, IntOperand, Operand, leaves
from enzyme.rules.scalar import lookup_instruction

if TYPE_CHECKING:
    from enzyme.gradient.forward_lanes import ForwardLanes, Group


@dataclass(frozen=True)
class AddingLoop:
    """Such a loop, of one block; ``factors`` are the values from outside whose tangents it adds multiples of."""

    block: Block
    exit: Block
    factors: tuple[Value, ...]


class _Reader:
    """Reads one loop of one block."""

    def __init__(self, subject: Subject, activity: ActivityResult, interleaved: Interleaved, block: Block) -> None:
        self.subject, self.activity, self.interleaved, self.block = subject, activity, interleaved, block
        self.factors: dict[Value, None] = {}
        self.sums: dict[Value, Load] = {}  # values whose tangent is what a load finds, and something that may be zero
        self.needed: set[Value] = set()  # values of the loop that the tangents are computed with
        self.added = False

    def adds(self) -> bool:
        return all(self._reads(inst) for inst in self.block.instructions) and self.added and self._stays()

    def _reads(self, inst: Instruction) -> bool:
        active = self.activity.active_value(inst)
        if active or inst in self.interleaved:
            if any(user.block is not self.block for user in inst.users):
                return False
        if isinstance(inst, Store):
            return self._store(inst)
        if isinstance(inst, Load):
            if active:
                self.sums[inst] = inst
                return self._address(inst.pointer)
            return not inst.ordering and "volatile" not in inst.flags
        if isinstance(inst, CallBase) and not (isinstance(inst, Call) and _is_pure(self.subject, inst)):
            return is_dropped(inst) or _is_mark(inst)
        return not active or self._rule(inst)

    def _address(self, pointer: Value) -> bool:
        while isinstance(pointer, GetElementPtr) and pointer.block is self.block:
            self.needed.update(pointer.indices)
            pointer = pointer.base
        return pointer in self.interleaved and getattr(pointer, "block", None) is not self.block

    def _store(self, inst: Store) -> bool:
        if not self.activity.needs_shadow(inst.pointer):
            return not inst.ordering and "volatile" not in inst.flags
        load = self.sums.get(inst.value)
        if load is None or load.pointer is not inst.pointer or not self._address(inst.pointer):
            return False
        between = self.block.instructions[self.block.position(load) : self.block.position(inst)]
        self.added = True
        return not any(isinstance(other, Store) and other.pointer in self.interleaved for other in between)

    def _rule(self, inst: Instruction) -> bool:
        rule = lookup_instruction(inst)
        if rule is None:
            return False
        base: Load | None = None
        for _, operand, partial in active_partials(rule, inst, self.activity.active_value):
            if isinstance(operand, Instruction) and operand.block is self.block:
                if isinstance(operand, Phi):
                    return False
                load = self.sums.get(operand)
                if load is not None:
                    if base is not None or partial != Const(1.0):
                        return False
                    base = load
            else:
                self.factors[operand] = None
            values = operand_values(inst)
            for leaf in leaves(partial):
                self.needed.add(values[leaf.index] if isinstance(leaf, (Operand, IntOperand)) else inst)
        if base is not None:
            self.sums[inst] = base
        return True

    def _stays(self) -> bool:
        """Whether the loop can be run again for its tangents: what they are computed with is not overwritten by it."""
        writes = [inst for inst in self.block.instructions if isinstance(inst, Store)]
        alias, seen = self.subject.alias, set()
        end = self.block.terminator
        assert end is not None
        work: list[Value] = [*self.needed, end]
        while work:
            value = work.pop()
            if value in seen or not isinstance(value, Instruction) or value.block is not self.block:
                continue
            seen.add(value)
            if isinstance(value, Load) and any(
                alias.mod_ref(write, alias.location(value), same_iteration=False).may_write for write in writes
            ):
                return False
            work.extend(value.operands)
        return True


def _is_mark(inst: Instruction) -> bool:
    """The beginning of a scope of pointers that do not alias."""
    return isinstance(inst, CallBase) and (inst.callee_name or "").startswith("llvm.experimental.noalias.scope.decl")


def _is_pure(subject: Subject, call: Call) -> bool:
    return lookup_instruction(call) is not None and "memory(none)" in subject.module.fn_attributes(call)


def adding_loops(subject: Subject, activity: ActivityResult, interleaved: Interleaved) -> list[AddingLoop]:
    """The loops of this kind of a function."""
    found = []
    for loop in subject.loops.loops:
        block = loop.header
        if not _is_plain(loop):
            continue
        reader = _Reader(subject, activity, interleaved, block)
        if reader.adds():
            found.append(AddingLoop(block, loop.exits[0][1], tuple(reader.factors)))
    return found


def _is_plain(loop: Loop) -> bool:
    """One block, and one edge out of it."""
    end = loop.header.terminator
    return len(loop.blocks) == 1 and len(loop.exits) == 1 and isinstance(end, Branch) and len(end.operands) == 3


def emit_group_loops(forward: ForwardLanes, loop: AddingLoop) -> None:
    """Behind the loop, the same loop for the tangents of each group of lanes, unless all of them are zero."""
    if not loop.factors:
        return
    copy, target = forward.copy, forward.copy.target
    body, after = copy.blocks[loop.block], copy.blocks[loop.exit]
    instructions = list(body.instructions)
    first = test = target.append_block("lanes.test")
    _retarget(body.terminator, {after: first})
    for group in forward.groups:
        run, following = target.append_block("lanes.add"), target.append_block("lanes.test")
        build = Builder(test)
        build.cond_br(_any_moves(forward, build, loop.factors, group), run, following)
        made: dict[Value, Value] = {body: run}
        for inst in instructions:
            if not isinstance(inst, (Store, DebugRecord)) and not _is_mark(inst):
                made[inst] = run.append(inst.clone())
        for inst in run.instructions:
            for index, operand in enumerate(inst.operands):
                outside = test if isinstance(inst, Phi) and isinstance(operand, Block) else operand
                inst.set_operand(index, made.get(operand, outside))
        _retarget(run.terminator, {first: following})
        before: dict[Value, Value] = {i: copy.values[i] for i in loop.block.instructions if i in copy.values}
        copy.values.update({inst: made[value] for inst, value in before.items() if value in made})
        forward.visit_group(_tangents(forward, loop.block), group, Builder(run, before=run.terminator))
        copy.values.update(before)
        test = following
    Builder(test).br(after)
    for phi in after.phis:
        for index, operand in enumerate(phi.operands):
            if operand is body:
                phi.set_operand(index, test)


def _tangents(forward: ForwardLanes, block: Block) -> Iterable[Instruction]:
    """What of a loop has a tangent."""
    activity = forward.activity
    for inst in block.instructions:
        if activity.active_value(inst) or (isinstance(inst, Store) and activity.needs_shadow(inst.pointer)):
            yield inst


def _retarget(branch: Instruction | None, edges: dict[Block, Block]) -> None:
    assert branch is not None
    for index, operand in enumerate(branch.operands):
        if isinstance(operand, Block) and operand in edges:
            branch.set_operand(index, edges[operand])


def _any_moves(forward: ForwardLanes, build: Builder, factors: Iterable[Value], group: Group) -> Value:
    """Whether a tangent of one of the factors is not zero in a lane of the group."""
    found: Value | None = None
    for factor in factors:
        vector = forward.vector(factor, group)
        moves = build.fcmp("une", vector, zero(vector.type), ())
        found = moves if found is None else build.or_(found, moves)
    assert found is not None
    name = f"llvm.vector.reduce.or.v{len(group.lanes)}i1"
    type = FunctionType(I1, (VectorType(len(group.lanes), I1),))
    return build.call(forward.subject.module.declare_function(name, type), [found])
