"""Loops that have less to do where values from outside of them do not move.

In ``x[i] = a * x[i] + b``, the tangents of a and b, the same ones in all iterations, are zero in most lanes of a
derivative of many: most parameters of a model move what a later stage turns and shifts, few its turning and shifting. A
group of lanes in which none of them moves takes a version of the loop that leaves their terms out. Zero times an
infinite or NaN factor counts as zero here, as in loops that add (group_loops.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.analysis.activity import ActivityResult
from enzyme.analysis.loops import Loop
from enzyme.analysis.tripcount import constant_value
from enzyme.gradient.apply import active_partials
from enzyme.gradient.interleaved import Interleaved
from enzyme.gradient.subject import Subject
from enzyme.ir.types import Type
from enzyme.ir.values import Instruction, Load, Phi, Store, Value
from enzyme.rules.scalar import lookup_instruction

_SHORT = 16
"""Iterations that are over before it has paid to look."""


@dataclass(frozen=True)
class Read:
    """A number of a type, so many bytes behind a pointer from in front of a loop."""

    base: Value
    offset: int
    type: Type


@dataclass(frozen=True)
class Idle:
    """``factors``: the values from outside; ``values``: those, and what in the loop moves with nothing else but the
    numbers in memory at ``reads``."""

    factors: tuple[Value, ...]
    values: frozenset[Value]
    reads: tuple[Read, ...] = ()


def find_idle(subject: Subject, activity: ActivityResult, interleaved: Interleaved, loop: Loop) -> Idle | None:
    """What a loop of one block may be run without; None where that would save less than a quarter of it."""
    if len(loop.blocks) != 1 or _is_short(subject, loop):
        return None
    factors: dict[Value, None] = {}
    idle: set[Value] = set()
    terms = saved = 0
    for inst in loop.header.instructions:
        if isinstance(inst, (Load, Store)):
            if activity.active_instruction(inst) and inst.pointer not in interleaved:
                return None
            continue
        rule = lookup_instruction(inst) if activity.active_value(inst) and not isinstance(inst, Phi) else None
        operands = [each for _, each, _ in active_partials(rule, inst, activity.active_value)] if rule else []
        for operand in operands:
            if not (isinstance(operand, Instruction) and operand.block is loop.header):
                factors[operand] = None
                idle.add(operand)
        left_out = sum(operand in idle for operand in operands)
        terms, saved = terms + len(operands), saved + left_out
        if operands and left_out == len(operands):
            idle.add(inst)
    return Idle(tuple(factors), frozenset(idle)) if saved and 4 * saved >= terms else None


def _is_short(subject: Subject, loop: Loop) -> bool:
    count = subject.backedge_count(loop)
    number = constant_value(count) if count is not None else None
    return number is not None and number < _SHORT
