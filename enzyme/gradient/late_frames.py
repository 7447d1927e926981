"""Frames of the tape that are allocated where something is put into them.

A derivative in two functions carries what the second one needs in a frame, which the first one allocates. Calls at the
end of a recursion often have nothing to carry, and there are more of them than of all others: half of the calls where a
problem is halved. So the frame is allocated in the first block from which on something is put into it; on other ways
there is none. The second function must not look into it on those ways: each of its blocks that does is run only
together with the reversal of the block that allocates. (To free none is allowed.)

In recursions, locals that the second function looks at lie in the frame, with their shadows. A block for each of them
would be asked for, noted on a list and freed in each call. Their addresses, and what clears their shadows, stand where
the call first needs them, so that other ways need no frame for their sake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from enzyme.analysis.cfg import ControlFlowGraph
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import analyse_loops
from enzyme.analysis.pointer_walks import reaches
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.frames import Frame, HeldLocal
from enzyme.gradient.primal import PrimalCopy
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
    Phi,
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
    users = _users(made)
    puts = [user for user in users if isinstance(user, (GetElementPtr, Store))]
    ends = [user for user in users if isinstance(user, (InsertValue, Return))]
    if len(puts) + len(ends) < len(users) or any(isinstance(put, Store) and put.value is made for put in puts):
        return
    if not puts:
        return
    dominators, loops = DominatorTree(ControlFlowGraph(augmented)), analyse_loops(augmented)

    def fits(block: Block) -> bool:
        return loops.loop_of(block) is None and copy.back.get(block) in reversed_blocks and not _receives(block)

    def runs_where(block: Block, looks: Iterable[Block | None]) -> bool:
        """Whether the reversal of a block is run in each call that runs one of ``looks``."""
        return _only_with(reversed_blocks[copy.back[block]], reverse, (each for each in looks if each is not None))

    for local in frame.locals:
        place = _in_front(dominators, [user for user in _users(local.address) if user is not local.fill])
        looks = [look.block for look in local.looks]
        while place is not None and not (fits(place) and runs_where(place, looks)):
            place = dominators.idom(place)
        if place is not None:
            _move(local, place)
    place = _in_front(dominators, puts)
    while place is not None and not fits(place):
        place = dominators.idom(place)
    if place is None or place is frame.forward_entry:
        return
    assert frame.reverse_tape is not None
    if not runs_where(place, _looks(frame.reverse_tape)):
        return
    slot = entry_slot(frame.forward_entry, PTR, ConstantToken(PTR, "null"))
    made.block.remove(made)  # type: ignore[union-attr]
    place.insert(len(place.phis), made)
    Builder(place, before=place.instructions[len(place.phis) + 1]).store(made, slot)
    for end in ends:
        assert end.block is not None
        end.replace_operand(made, Builder(end.block, before=end).load(PTR, slot))


def _users(value: Value) -> list[Instruction]:
    return [user for user in value.users if isinstance(user, Instruction)]


def _in_front(dominators: DominatorTree, users: Sequence[Instruction]) -> Block | None:
    """The last block that is run before all of these, or None."""
    if not users or any(isinstance(user, Phi) for user in users):
        return None
    place = users[0].block
    for user in users[1:]:
        place = dominators.nearest_common(place, user.block) if place is not None and user.block is not None else None
    return place


def _move(local: HeldLocal, place: Block) -> None:
    """Put the address of a local, and what clears it, at the head of a block."""
    at = len(place.phis)
    for each in (local.address, local.fill):
        if each is not None and each.block is not None and each.block is not place:
            each.block.remove(each)
            place.insert(at, each)
            at += 1


def _receives(block: Block) -> bool:
    """Whether exceptions get to a block, which begins with a landing pad."""
    return any(inst.opcode == "landingpad" for inst in block.instructions)


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
