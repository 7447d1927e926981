"""Tangents that are cleared group by group, each right in front of the loop that adds to them.

A program clears an array and adds to it in a nest behind that. A derivative of many lanes clears the tangents of all
groups where the program clears the numbers, and goes through the nest for one group after the other (group_loops.py):
by the time a group has its turn, its zeros may have left the first levels of cache. What the groups put into such a
loop's arrays is seen by no one before that, so each group clears its own in front of its run. On ways that lead past
the loop all groups are cleared where the way leaves, and where other ways lead to the loop the number of bytes is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.calls import facts
from enzyme.gradient.group_loops import GroupLoop
from enzyme.gradient.interleaved import Interleaved
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64
from enzyme.ir.values import Block, Branch, CallBase, ConstantInt, Instruction, Load, Store, Value

if TYPE_CHECKING:
    from enzyme.gradient.forward_lanes import ForwardLanes, Group

_BLOCKS = 4
"""Of which the way from the call to the loop is made, at most."""


@dataclass
class LateClear:
    """A call that clears ``destination``, and the way from its block to the one in front of ``loop``."""

    call: CallBase
    destination: Value
    loop: Loop
    way: tuple[Block, ...]
    sizes: list[Value] = field(default_factory=list)
    """Bytes of a lane to be cleared still, in each block of the way."""

    def reach(self, forward: ForwardLanes) -> None:
        """Say in each block of the way how much there is to clear, given ``sizes`` of the first."""
        copy = forward.copy
        for before, block in zip(self.way, self.way[1:], strict=False):
            others = [each for each in forward.subject.cfg.predecessors(block) if each is not before]
            size = self.sizes[-1]
            if others:
                none = [(ConstantInt(I64, 0), copy.blocks[each]) for each in others]
                size = Builder(copy.blocks[block]).phi(I64, [(size, copy.blocks[before]), *none])
            self.sizes.append(size)

    def clear(self, forward: ForwardLanes, build: Builder, group: Group, size: Value) -> None:
        bytes = build.mul(size, ConstantInt(I64, len(group.lanes)))
        forward.engine.memset_zero(build, forward.place(self.destination, group), bytes, 1)

    def leave(self, forward: ForwardLanes) -> None:
        """Clear all groups where the way may be left."""
        following = [*self.way[1:], self.loop.header]
        for block, next, size in zip(self.way, following, self.sizes, strict=True):
            for other in forward.subject.cfg.successors(block):
                if other is next:
                    continue
                source, jump = forward.copy.blocks[block], forward.copy.blocks[block].terminator
                assert jump is not None
                index = 1 + block.terminator.operands[1:].index(other)  # type: ignore[union-attr]
                target = jump.operands[index]
                assert isinstance(target, Block)
                between = forward.copy.target.append_block("clear")
                jump.set_operand(index, between)
                for phi in target.phis:
                    phi.replace_operand(source, between)
                build = Builder(between)
                for group in forward.groups:
                    self.clear(forward, build, group, size)
                build.br(target)


def find_late_clears(subject: Subject, interleaved: Interleaved, plan: Sequence[GroupLoop]) -> list[LateClear]:
    """The calls that clear what a loop of the plan adds to, and that nothing else of those tangents sees first."""
    found: list[LateClear] = []
    for each in plan:
        loop = each.loop
        if loop.preheader is None or each.ahead or not _ends_in_branches(loop.preheader):
            continue
        stores = (i for block in loop.order for i in block.instructions if isinstance(i, Store))
        owners = {interleaved.owners[store.pointer] for store in stores if store.pointer in interleaved}
        way: tuple[Block, ...] = (loop.preheader,)
        while way:
            calls, clean = _clears(way[0], interleaved, owners)
            for call, destination in calls:
                if subject.dominators.dominates(destination.block, loop.preheader):  # type: ignore[arg-type]
                    found.append(LateClear(call, destination, loop, way))
            before = _before(subject, interleaved, owners, way) if clean and len(way) < _BLOCKS else None
            way = (before, *way) if before is not None else ()
    return found


def _before(
    subject: Subject, interleaved: Interleaved, owners: set[Instruction], way: tuple[Block, ...]
) -> Block | None:
    """The block to go on with: the one in front, or of several one that only leads here and clears something."""
    blocks = list(subject.cfg.predecessors(way[0]))
    home = subject.loops.loop_of(way[0])
    if not all(map(_ends_in_branches, blocks)) or any(each in way for each in blocks):
        return None
    if len(blocks) > 1:
        single = [each for each in blocks if len(subject.cfg.successors(each)) == 1]
        blocks = [each for each in single if _clears(each, interleaved, owners)[0]]
    if len(blocks) != 1 or subject.loops.loop_of(blocks[0]) is not home:
        return None
    return blocks[0] if not any(each in way[1:] for each in subject.cfg.successors(blocks[0])) else None


def _ends_in_branches(block: Block) -> bool:
    """Whether a block ends in a branch, to one or two blocks."""
    jump = block.terminator
    return isinstance(jump, Branch) and len(set(jump.operands)) == len(jump.operands)


def _clears(
    block: Block, interleaved: Interleaved, owners: set[Instruction]
) -> tuple[list[tuple[CallBase, Instruction]], bool]:
    """The calls at the end of a block that clear memory of ``owners``, and whether nothing in the block touches
    tangents of interleaved memory otherwise."""
    found: list[tuple[CallBase, Instruction]] = []
    for inst in reversed(block.instructions):
        if isinstance(inst, (Load, Store)):
            if inst.pointer in interleaved:
                return found, False
        elif isinstance(inst, CallBase) and not is_dropped(inst) and not declares_scope(inst):
            known = facts(inst)
            transfer = known.transfer if known is not None else None
            if transfer is None:
                if known is None or not known.math:
                    return found, False
                continue
            to = inst.args[transfer.destination]
            if to not in interleaved:
                if transfer.source is not None and inst.args[transfer.source] in interleaved:
                    return found, False
            elif transfer.source is not None:
                return found, False
            elif interleaved.owners[to] in owners and isinstance(to, Instruction):
                found.append((inst, to))
    return found, True
