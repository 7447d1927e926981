"""Frames of the tape that are allocated where something is put into them.

A derivative in two functions carries what the second one needs in a frame, which the first one allocates. Calls at the
end of a recursion often have nothing to carry, and there are more of them than of all others: half of the calls where a
problem is halved. So the frame is allocated in the first block from which on something is put into it; on other ways
there is none. The second function must not look into it on those ways: each of its blocks that does is run only
together with the reversal of the block that allocates. (To free none is allowed.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import analyse_loops
from enzyme.analysis.pointer_walks import reaches
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.primal import PrimalCopy
from enzyme.gradient.tape import Frame
from enzyme.ir.builder import Builder
from enzyme.ir.types import PTR
from enzyme.ir.values import (
    Block,
    CallBase,
    ConstantToken,
    Function,
    GetElementPtr,
    InsertValue,
    Instruction,
    Return,
    Store,
    Value,
)


def allocate_late(frame: Frame, copy: PrimalCopy, reversed_blocks: Mapping[Block, Block], reverse: Function) -> None:
    """Move the allocation of a frame, once all that uses it is there. ``reversed_blocks`` has the reversal of each
    block of the subject."""
    made, augmented = frame.allocation, frame.forward_entry.function
    if made is None or not frame.size or frame.counted is not None or augmented is None or not made.users:
        return
    users = [user for user in made.users if isinstance(user, Instruction)]
    puts = [user for user in users if isinstance(user, (GetElementPtr, Store))]
    ends = [user for user in users if isinstance(user, (InsertValue, Return))]
    if len(puts) + len(ends) < len(users) or any(isinstance(put, Store) and put.value is made for put in puts):
        return
    if not puts:
        return
    dominators = DominatorTree(ControlFlowGraph(augmented))
    loops = analyse_loops(augmented)
    place = puts[0].block
    for put in puts[1:]:
        assert put.block is not None
        place = dominators.nearest_common(place, put.block) if place is not None else None
    while place is not None and (loops.loop_of(place) is not None or copy.back.get(place) not in reversed_blocks):
        place = dominators.idom(place)
    if place is None or place is frame.forward_entry:
        return
    assert frame.reverse_tape is not None
    if not _only_with(reversed_blocks[copy.back[place]], reverse, _looks(frame.reverse_tape)):
        return
    slot = entry_slot(frame.forward_entry, PTR, ConstantToken(PTR, "null"))
    made.block.remove(made)  # type: ignore[union-attr]
    place.insert(len(place.phis), made)
    Builder(place, before=place.instructions[len(place.phis) + 1]).store(made, slot)
    for end in ends:
        assert end.block is not None
        end.replace_operand(made, Builder(end.block, before=end).load(PTR, slot))


def _looks(tape: Value) -> Iterable[Block]:
    """Where something is read from a frame."""
    for user in tape.users:
        if isinstance(user, CallBase) and user.callee_name == "free":
            continue
        if isinstance(user, Instruction) and user.block is not None:
            yield user.block


def _only_with(block: Block, function: Function, others: Iterable[Block]) -> bool:
    """Whether ``block`` is run in each call that runs any of ``others``."""
    cfg = ControlFlowGraph(function)
    if block not in cfg.index:
        return False
    ends = [each for each in cfg.blocks if isinstance(each.terminator, Return)]
    return not any(
        reaches(cfg.entry, each, without=block) and any(reaches(each, end, without=block) for end in ends)
        for each in others
    )
