"""Reversed loops whose results were not chosen are left out.

Of the distances to all centroids a minimum takes one; the adjoints of the others are zero, and so is all that the
reversal of the loops that computed them would add. Where the results of a loop go into ``select``, or into a phi where
ways meet, a bit beside the adjoint says whether anything has been handed to it. The bits follow the way of the adjoint
and never look at its value: a derivative that happens to be zero may have a derivative of its own that is not.

What a loop that takes one of its iterations began with (the first distance, see :mod:`enzyme.gradient.last_choices`) is
chosen where it took none. The bits go through that loop, which is reversed by one iteration, as through a block.

A loop may be left out where its reversal does nothing but add to adjoints and to shadows what is proportional to the
adjoints of its results: it stores nothing active, calls nothing but functions with scalar rules, and loops inside keep
nothing on the tape, whose place they would have to move back.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.behind import APPLY
from enzyme.gradient.calls import defined_callee
from enzyme.gradient.primal import is_dropped
from enzyme.gradient.subject import has_rule
from enzyme.gradient.sums import is_fused
from enzyme.ir.builder import Builder
from enzyme.ir.values import (
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Compare,
    DebugRecord,
    ExtractElement,
    ExtractValue,
    Freeze,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    UnaryOp,
    Value,
)

if TYPE_CHECKING:
    from enzyme.analysis.activity_result import ActivityResult
    from enzyme.gradient.reverse import ReverseSweep

_ADDING = (
    BinaryOp,
    UnaryOp,
    Cast,
    Compare,
    DebugRecord,
    ExtractElement,
    ExtractValue,
    Freeze,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Phi,
    Select,
    ShuffleVector,
)

_FAR = 8
"""Blocks that are followed from a loop on."""


class Unchosen:
    """Which loops of a reverse sweep may be left out, and the values whose adjoints have a bit for it."""

    def __init__(self, sweep: ReverseSweep) -> None:
        self.sweep, self.subject, self.activity = sweep, sweep.subject, sweep.activity
        self.live = set(self.subject.live_blocks)
        self.results: dict[Loop, list[Value]] = {}
        self.followed: set[Value] = set()
        self.in_choices: dict[Value, Loop] = {}
        """The number that a loop hands on which takes one of its iterations, and the select: with the loop."""
        for choice in sweep.choices.values():
            self.in_choices |= dict.fromkeys((choice.select, choice.carried), choice.loop)
        request = sweep.request
        if not sweep.engine.config.skip_unchosen or request.keep_tape or request.renewable:
            return
        if request.behind == APPLY:  # what was not chosen now may have been in another iteration
            return
        for loop in self.subject.loops.loops:
            results = self._results(loop)
            if results and self._may_be_unchosen(loop, results) and only_adds(self.activity, loop, self.live):
                self.results[loop] = results
                self._follow(loop, results)

    def around(self, loop: Loop) -> Block | None:
        """The reversed block that a loop which may be left out leads to; None for other loops."""
        if loop not in self.results:
            return None
        tape = self.sweep.tape
        if tape is not None and any(each.loop is not loop and loop.contains(each.loop) for each in tape.plan.tapes):
            return None
        assert loop.preheader is not None
        return self.sweep.blocks[loop.preheader]

    def chosen(self, build: Builder, loop: Loop) -> Value:
        """Whether anything has been handed to the adjoint of a result of the loop, in any lane."""
        bits = [self.sweep.adjoints.handed(build, each) for _ in self.sweep.lanes for each in self.results[loop]]
        found = bits[0]
        for bit in bits[1:]:
            found = build.or_(found, bit)
        return found

    def is_chosen(self, loop: Loop) -> bool:
        """Whether a result of a loop goes into what the function returns, on the only way that leads on from the loop:
        it has been chosen wherever the loop has run, and the choice was whether that had any rounds."""
        exits = [(inside, outside) for inside, outside in loop.exits if outside in self.live]
        if loop not in self.results or len(exits) != 1:
            return False
        (way,) = exits
        along: dict[Block | None, Block] = {}
        """The blocks behind the loop, each with the one in front of it."""
        while way[1] not in along and len(along) < _FAR:
            source, block = way
            along[block] = source
            if len(block.successors) == 1:
                way = block, block.successors[0]
        work: list[Value] = list(self.results[loop])
        seen: set[Value] = set()
        while work:
            value = work.pop()
            for user in value.users:
                if not isinstance(user, Instruction) or user.block not in along or user in seen:
                    continue
                if isinstance(user, Return):
                    return True
                if isinstance(user, Phi):
                    passes_on = user.value_from(along[user.block]) is value and user not in self.in_choices
                else:
                    passes_on = _hands_on(user) and self.activity.active_value(user)
                if passes_on:
                    seen.add(user)
                    work.append(user)
        return False

    def _results(self, loop: Loop) -> list[Value]:
        """Active values of a loop that are used behind it; none where there is no way around it."""
        outside = loop.preheader
        if outside not in self.live or self.subject.exited_loops(outside, loop.header):
            return []
        blocks = (block for block in loop.order if block in self.live)
        made = (inst for block in blocks for inst in block.instructions if self.activity.active_value(inst))
        return [inst for inst in made if self._users(inst, loop)]

    def _users(self, value: Value, loop: Loop | None = None) -> list[Instruction]:
        """Who may hand something to a value's adjoint, but for users in ``loop``."""
        found = []
        for user in dict.fromkeys(value.users):
            if user.block in self.live and not (loop is not None and loop.contains(user)):
                if user.is_terminator or self.activity.active_instruction(user) or self.activity.active_value(user):
                    found.append(user)
        return found

    def _may_be_unchosen(self, loop: Loop, results: list[Value]) -> bool:
        """Whether all that could be handed to the results comes through a choice made in the loop around."""
        seen: set[Value] = set()
        work = [user for each in results for user in self._users(each, loop)]
        while work:
            user = work.pop()
            if user in seen:
                continue
            seen.add(user)
            if not self._passes_on(user, loop.parent):
                return False
            if not self._chooses(user):
                work += self._users(user)
        return True

    def _follow(self, loop: Loop, results: list[Value]) -> None:
        """Give bits to the results and to what passes on to them in the loop around; others always hand something."""
        self.followed.update(results)
        work = [user for each in results for user in self._users(each, loop)]
        while work:
            user = work.pop()
            if user not in self.followed and self._passes_on(user, loop.parent):
                self.followed.add(user)
                work += self._users(user)

    def _passes_on(self, inst: Instruction, around: Loop | None) -> bool:
        """Whether an instruction hands on nothing but what has been handed to its own adjoint."""
        choosing = self.in_choices.get(inst)
        home = self.subject.loops.loop_of(inst.block) if inst.block is not None else None
        if inst.block is None or (home if choosing is None else choosing.parent) is not around:
            return False
        if isinstance(inst, CallBase) and not _is_scalar(inst):
            return False
        return self.activity.active_value(inst) and (isinstance(inst, (Phi, Select, Freeze)) or has_rule(inst))

    def _chooses(self, inst: Instruction) -> bool:
        """Whether an instruction hands its adjoint to one of its operands."""
        if isinstance(inst, Select):
            return not inst.operands[0].type.is_vector and inst.operands[1] is not inst.operands[2]
        if not isinstance(inst, Phi) or inst.block is None:
            return False
        if inst in self.in_choices:
            return True
        loop = self.subject.loops.loop_of(inst.block)
        meet = len(self.subject.cfg.predecessors(inst.block)) > 1
        return meet and not (loop is not None and loop.header is inst.block)


def _hands_on(inst: Instruction) -> bool:
    """Whether an instruction hands something to each of its active operands."""
    return isinstance(inst, (BinaryOp, UnaryOp)) or is_fused(inst)


def only_adds(activity: ActivityResult, loop: Loop, live: Container[Block]) -> bool:
    """Whether the reversal of a loop does nothing but add what is proportional to the adjoints of its results."""
    return all(_adds(activity, inst) for block in loop.order if block in live for inst in block.instructions)


def _adds(activity: ActivityResult, inst: Instruction) -> bool:
    if isinstance(inst, Load):
        return not inst.ordering and "volatile" not in inst.flags
    if isinstance(inst, Store):
        return not activity.active_instruction(inst)
    if isinstance(inst, CallBase):
        return is_dropped(inst) or declares_scope(inst) or _is_scalar(inst)
    return inst.is_terminator or isinstance(inst, _ADDING)


def _is_scalar(call: CallBase) -> bool:
    """Whether a call takes numbers and gives one, by a rule."""
    given = any(each.type.is_pointer for each in call.args)
    return not given and defined_callee(call) is None and has_rule(call)
