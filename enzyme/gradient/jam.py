"""The same adding loop for two to four rows at once.

In a nest such as ``for row < 3: for v: out[row][v] += w[v] * (a[row] * x[v] + b[row] * y[v])``, lanes of a row take as
long to load x[v], y[v] and w[v], and to spread them over a vector, as to compute with them. All rows of a nest whose
inner loop only adds (group_loops.py) are added in one loop: every iteration of it makes one of each row, and what the
rows share is loaded once. What is added to one number in memory may come in another order, no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import sym_invariant_in
from enzyme.analysis.tripcount import constant_value
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1
from enzyme.ir.values import (
    INT_DIVISIONS,
    BinaryOp,
    Block,
    Branch,
    ConstantInt,
    Function,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)

MOST = 4
"""Rows."""
_REGISTERS = 16
"""Vectors of factors that rows may take together."""


@dataclass(frozen=True)
class Rows:
    """A loop of ``count`` iterations around one that adds. ``straight``: its blocks before and behind the inner one, in
    order; ``guard``: what a test in its header says where the inner loop has anything to do, if there is one."""

    loop: Loop
    inner: Loop
    count: int
    straight: tuple[Block, ...]
    guard: bool | None


def find_rows(subject: Subject, activity: ActivityResult, inner: Loop, factors: int) -> Rows | None:
    """The loop around a loop that adds, if its iterations can be taken at once."""
    loop = inner.parent
    if loop is None or not loop.is_simple or len(loop.exits) != 1 or loop.latch is not loop.exits[0][0]:
        return None
    count, length = (subject.backedge_count(each) for each in (loop, inner))
    number = constant_value(count) if count is not None else None
    if number is None or not 1 <= number < MOST or (number + 1) * factors > _REGISTERS:
        return None
    if length is None or not sym_invariant_in(length, loop):
        return None
    shape = _shape(loop, inner)
    if shape is None:
        return None
    straight, guard = shape
    for block in loop.order:
        for inst in block.instructions:
            if not all(loop.contains(user) for user in inst.users):
                return None
            if block is not inner.header and not _may_move(subject, activity, inner, inst, guard is not None):
                return None
    return Rows(loop, inner, number + 1, straight, guard)


def _shape(loop: Loop, inner: Loop) -> tuple[tuple[Block, ...], bool | None] | None:
    """The blocks of ``loop`` around ``inner``, where one follows the other, and what goes around the inner loop."""
    header, entering, behind = loop.header, inner.preheader, inner.exits[0][1]
    if entering is None or behind.phis:
        return None
    chain = [behind]
    while chain[-1] is not loop.latch:
        following = chain[-1].successors
        if len(following) != 1 or following[0] in chain or following[0].phis:
            return None
        chain.append(following[0])
    if {header, entering, inner.header, *chain} != set(loop.blocks):
        return None
    guard: bool | None = None
    if entering is not header:
        jump = header.terminator
        if not isinstance(jump, Branch) or entering.phis or len(entering.predecessors) != 1:
            return None
        if len(header.successors) == 2:
            around = set(header.successors) - {entering}
            if not loop.is_invariant(jump.operands[0]) or len(around) != 1 or not around <= set(chain):
                return None
            guard = header.successors[0] is entering
    return tuple(dict.fromkeys((header, entering, *chain))), guard


def _may_move(subject: Subject, activity: ActivityResult, inner: Loop, inst: Instruction, guarded: bool) -> bool:
    """Whether an instruction around the inner loop may run before all of it, and where that does not run."""
    if isinstance(inst, Phi):
        return not activity.active_value(inst)
    if isinstance(inst, Store):
        return not activity.needs_shadow(inst.pointer)
    if isinstance(inst, Load):
        if guarded and inst.block is inner.preheader:
            return False
        place, writes = subject.alias.location(inst), [w for w in inner.header.instructions if isinstance(w, Store)]
        return not any(subject.alias.mod_ref(write, place, same_iteration=False).may_write for write in writes)
    return not (isinstance(inst, BinaryOp) and inst.opcode in INT_DIVISIONS)


def emit_rows(rows: Rows, blocks: Mapping[Block, Block], before: Block, shared: Iterable[Instruction]) -> Block:
    """Put one loop in place of the nest, of which ``blocks`` are copies, by the subject's; ``before`` leads to it, and
    ``shared`` are the instructions that belong to the primal. The loop's block."""
    header, inner, latch = (blocks[each] for each in (rows.loop.header, rows.inner.header, rows.straight[-1]))
    entering, behind = blocks[rows.inner.preheader], blocks[rows.inner.exits[0][1]]  # type: ignore[index]
    target = cast(Function, header.function)
    front, together, end = (target.append_block("rows") for _ in range(3))
    copies = [dict[Value, Value]() for _ in range(rows.count)]
    straight = [inst for block in rows.straight for inst in blocks[block].instructions]
    straight = [inst for inst in straight if not isinstance(inst, Phi) and not inst.is_terminator]
    for number, made in enumerate(copies):
        for phi in header.phis:
            first, next = (value for value, _ in sorted(phi.incoming, key=lambda each: each[1] is latch))
            made[phi] = copies[number - 1].get(next, next) if number else first
        for inst in straight:
            made[inst] = front.append(_copied(inst, made))
    _enter(rows, Builder(front), header, entering, copies, (together, end))
    body = [inst for inst in inner.instructions if not isinstance(inst, Phi) and not inst.is_terminator]
    primal = set(shared)
    for made in copies:
        for phi in inner.phis:
            made[phi] = together.append(Phi(phi.type, (), name=phi.name))
    for inst in body:
        if inst in primal:
            for made in copies:
                made[inst] = together.append(_copied(inst, made))
    for made in copies:
        for inst in body:
            if inst not in primal:
                made[inst] = together.append(_copied(inst, made))
        for phi in inner.phis:
            twin = cast(Phi, made[phi])
            for value, source in phi.incoming:
                twin.add_incoming(made.get(value, value), together if source is inner else front)
    jump = inner.terminator
    assert jump is not None
    together.append(_copied(jump, {**copies[0], inner: together, behind: end}))
    leave = latch.terminator
    assert leave is not None
    (outside,) = (each for each in leave.operands if isinstance(each, Block) and each is not header)
    Builder(end).br(outside)
    for phi in outside.phis:  # of counters
        for index, operand in enumerate(phi.operands):
            phi.set_operand(index, end if operand is latch else copies[-1].get(operand, operand))
    jump = before.terminator
    assert jump is not None
    jump.replace_operand(header, front)
    _remove(target, [blocks[block] for block in rows.loop.order])
    return together


def _enter(
    rows: Rows,
    build: Builder,
    header: Block,
    entering: Block,
    copies: list[dict[Value, Value]],
    ways: tuple[Block, Block],
) -> None:
    """Go to the loop of all rows, the first of two ways, unless there is nothing to add in any."""
    jump = entering.terminator
    assert jump is not None
    enters: Value | None = None
    if len(jump.operands) > 1:  # whether lanes of a row move
        for made in copies:
            moves = made.get(jump.operands[0], jump.operands[0])
            enters = moves if enters is None else build.or_(enters, moves)
    if rows.guard is not None:
        test = header.terminator
        assert test is not None
        runs = test.operands[0] if rows.guard else build.xor(test.operands[0], ConstantInt(I1, 1))
        enters = runs if enters is None else build.and_(runs, enters)
    if enters is None:
        build.br(ways[0])
    else:
        build.cond_br(enters, *ways)


def _copied(inst: Instruction, made: Mapping[Value, Value]) -> Instruction:
    return inst.clone([made.get(operand, operand) for operand in inst.operands])


def _remove(function: Function, blocks: Iterable[Block]) -> None:
    gone = list(blocks)
    for block in gone:
        for inst in block.instructions:
            inst.drop_operands()
    for block in gone:
        function.blocks.remove(block)
