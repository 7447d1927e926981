"""Loops that choose one of their iterations are reversed by that iteration alone.

In ``for (c) if (distance(c) < least) least = distance(c)`` the adjoint of the result goes to the last iteration that
was chosen; those behind it hand it on as it is, and those in front of it get nothing. So the forward sweep notes which
iteration that was, one number in place of a decision per iteration, and the reverse sweep goes there at once, without
branches that no processor can predict. Where none was chosen, the first iteration stands for all: it hands the adjoint
on to what the loop began with.

This is right where a loop carries one active number only, by a ``select`` between it and what the iteration computed;
where nothing active leaves the loop but the result of that; and where the reversal of all else does nothing but add
what is proportional to adjoints, which are zero in the iterations that are passed over (see
:mod:`enzyme.gradient.unchosen`). It is noted where iterations have loops of their own. The reversal of simpler ones
takes less time than noting them: there the decisions are kept, and the reversed loop ends at the first that it finds,
if the place cannot be found behind the loop (:mod:`enzyme.gradient.found_choices`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.analysis.tripcount import constant_value
from enzyme.gradient.primal import builder_after, incoming_edges
from enzyme.gradient.unchosen import only_adds
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I64
from enzyme.ir.values import Block, ConstantInt, Instruction, Phi, Select, Value

if TYPE_CHECKING:
    from enzyme.gradient.primal import PrimalCopy

NONE = ConstantInt(I64, -1)
_SHORT = 8
"""Iterations that LLVM runs one after the other, without a loop."""


@dataclass(frozen=True)
class LastChoice:
    """``last`` is a value of the primal copy, known behind the loop: the last iteration in which ``select``, of
    the subject, took its first operand (``first``) or its second; -1 where there is none."""

    loop: Loop
    select: Select
    first: bool
    last: Value

    @property
    def carried(self) -> Value:
        """The phi of the number that the loop hands on."""
        return self.select.operands[2 if self.first else 1]

    def entered_at(self, build: Builder, last: Value) -> Value:
        """The iteration that the reverse sweep goes to."""
        return build.select(build.icmp("slt", last, ConstantInt(I64, 0)), ConstantInt(I64, 0), last)

    def condition(self, build: Builder, counter: Value, last: Value) -> Value:
        """The condition of the select in a reversed iteration."""
        return build.icmp("eq" if self.first else "ne", counter, last)


@dataclass(frozen=True)
class KeptChoice:
    """A loop whose reversal ends with the iteration in which ``select`` took its first operand (``first``) or its
    second."""

    loop: Loop
    select: Select
    first: bool


def note_last_choices(copy: PrimalCopy) -> list[LastChoice]:
    """Let the primal copy note them."""
    found = _choices(copy, [loop for loop in copy.subject.loops.loops if loop.children])
    return [LastChoice(loop, chosen, first, _note(copy, loop, chosen, first)) for loop, chosen, first in found]


def kept_choices(copy: PrimalCopy) -> list[KeptChoice]:
    """The loops without loops of their own, unless they are short."""
    loops = [loop for loop in copy.subject.loops.loops if not loop.children and not _is_short(copy, loop)]
    return [KeptChoice(*each) for each in _choices(copy, loops)]


def _choices(copy: PrimalCopy, loops: list[Loop]) -> list[tuple[Loop, Select, bool]]:
    """Of some loops, those that choose, by what, and whether its first operand is what is chosen."""
    if copy.request.keep_tape or copy.request.renewable:
        return []
    live = set(copy.subject.live_blocks)
    found = ((loop, _Finder(copy, loop, live).choice()) for loop in loops)
    return [(loop, *choice) for loop, choice in found if choice is not None]


def _is_short(copy: PrimalCopy, loop: Loop) -> bool:
    count = copy.subject.backedge_count(loop)
    number = constant_value(count) if count is not None else None
    return number is not None and number < _SHORT


class _Finder:
    def __init__(self, copy: PrimalCopy, loop: Loop, live: set[Block]) -> None:
        self.copy, self.loop, self.live = copy, loop, live
        self.activity = copy.activity

    def choice(self) -> tuple[Select, bool] | None:
        loop, live = self.loop, self.live
        if loop.header not in live or len(loop.exits) != 1 or len(loop.latches) != 1:
            return None
        (latch,), ((left_from, target),) = loop.latches, loop.exits
        if left_from is not latch or target not in live or self.copy.subject.loops.loop_of(target) is not loop.parent:
            return None
        if any(self.copy.back[source] is not latch for source in incoming_edges(self.copy.blocks[target])):
            return None
        carried = [phi for phi in loop.header.phis if self.activity.active_value(phi)]
        if len(carried) != 1:
            return None
        chosen = carried[0].value_from(latch)
        if isinstance(chosen, Select) and self._is_chosen(chosen, carried[0]) and only_adds(self.activity, loop, live):
            return chosen, chosen.operands[2] is carried[0]
        return None

    def _is_chosen(self, chosen: Select, carried: Phi) -> bool:
        """Whether a value is handed back by this select alone, and nothing else of the loop is used behind it."""
        loop = self.loop
        condition, on_true, on_false = chosen.operands
        if condition.type is not I1 or not isinstance(condition, Instruction) or on_true is on_false:
            return False
        if carried not in (on_true, on_false) or self.copy.subject.loops.loop_of(chosen.block) is not loop:
            return False
        if any(user is not chosen for user in self._users(carried)):
            return False
        if any(user is not carried and loop.contains(user) for user in self._users(chosen)):
            return False
        made = (inst for block in loop.order if block in self.live for inst in block.instructions)
        others = (inst for inst in made if inst is not chosen and self.activity.active_value(inst))
        return all(loop.contains(user) for inst in others for user in self._users(inst))

    def _users(self, value: Value) -> Iterator[Instruction]:
        """Who may hand something to a value's adjoint."""
        for user in dict.fromkeys(value.users):
            if user.block in self.live:
                if user.is_terminator or self.activity.active_instruction(user) or self.activity.active_value(user):
                    yield user


def _note(copy: PrimalCopy, loop: Loop, chosen: Select, first: bool) -> Phi:
    ((left_from, target),) = loop.exits
    header, latch, behind = (copy.blocks[block] for block in (loop.header, left_from, target))
    before = Phi(I64, (), name="chosen.before")
    header.insert(0, before)
    copied = copy.of(chosen)
    assert isinstance(copied, Instruction)
    build = builder_after(copied)
    condition, counter = copy.of(chosen.operands[0]), copy.counters[loop]
    taken, kept = (counter, before) if first else (before, counter)
    now = build.select(condition, taken, kept, name="chosen")
    for source in incoming_edges(header):
        before.add_incoming(now if source is latch else NONE, source)
    last = Phi(I64, [(now, source) for source in incoming_edges(behind)], name="chosen.last")
    behind.insert(0, last)
    return last
