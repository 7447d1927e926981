"""A second version of a loop, and which of the two runs."""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.analysis.loops import Loop
from enzyme.ir.builder import Builder
from enzyme.ir.values import Block, DebugRecord, Function, Instruction, Phi, Value

VERSION = "version"
"""What the blocks of a version are named."""


def split_at(function: Function, place: Instruction, name: str) -> Block:
    """What stands behind an instruction, as a block of its own; nothing leads to it yet."""
    block = place.block
    assert block is not None
    rest = function.append_block(Block(name))
    moved = block.instructions[block.position(place) + 1 :]
    for each in moved:
        block.remove(each)
        rest.append(each)
    for following in dict.fromkeys(rest.successors):
        for phi in following.phis:
            phi.replace_operand(block, rest)
    return rest


def leaves_by_phis(loop: Loop) -> bool:
    """Whether what a loop makes is used behind it by phis at its exits only."""
    exits = set(loop.exit_blocks)
    return all(
        user.block in loop.blocks or (isinstance(user, Phi) and user.block in exits)
        for block in loop.blocks
        for inst in block.instructions
        for user in inst.users
    )


def copied(function: Function, blocks: Sequence[Block]) -> dict[Value, Value]:
    """Copies of blocks, which go to one another where these do: what stands for each block and instruction. Phis of
    other blocks know nothing of them yet."""
    copies: dict[Value, Value] = {block: function.append_block(Block(VERSION)) for block in blocks}
    made: list[Instruction] = []
    for block in blocks:
        into = copies[block]
        assert isinstance(into, Block)
        for inst in block.instructions:
            if not isinstance(inst, DebugRecord):
                copy = inst.clone()
                copy.name = inst.name if isinstance(inst, Phi) else None  # counters of reversed loops are known by it
                copies[inst] = into.append(copy)
                made.append(copy)
    for copy in made:
        for index, operand in enumerate(copy.operands):
            if operand in copies:
                copy.set_operand(index, copies[operand])
    return copies


def add_version(function: Function, loop: Loop, ahead: Block, condition: Value) -> dict[Value, Value]:
    """A copy of a loop, which runs in its place where ``condition`` holds: the copies of its values.

    The block ``ahead`` leads to the loop and to nothing else. What the loop makes must be used behind it by phis at its
    exits only."""
    assert ahead.terminator is not None
    copies = copied(function, loop.order)
    for inside, outside in loop.exits:
        for phi in outside.phis:
            value = phi.value_from(inside)
            source = copies[inside]
            assert isinstance(source, Block)
            phi.add_incoming(copies.get(value, value), source)
    ahead.terminator.erase()
    version = copies[loop.header]
    assert isinstance(version, Block)
    Builder(ahead).cond_br(condition, version, loop.header)
    return copies
