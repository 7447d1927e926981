"""Where the lanes of an adjoint share a vector: reverse mode of several lanes.

The partials of an instruction are the same for all lanes, so what its reversal does to the adjoints is one instruction
on vectors of a number for each lane. Left apart, lanes are copies of the same code, which LLVM may or may not put
together again. Shadows stay where they are: each lane loads and stores its own numbers, of its part of the vector.

LLVM's loop vectoriser takes no loop that has vectors in it. So loops that it would make vectors of, over their
iterations, are better off with lanes apart. It cannot where an iteration goes on computing with an active number of the
one before it, unless that is a sum, nor where there is a loop inside. Loops of up to three iterations are unrolled, and
short for any vector.

A derivative that is differentiated once more has its lanes apart: it is a program for the engine then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import constant_value
from enzyme.gradient.ascending import is_sum

if TYPE_CHECKING:
    from enzyme.analysis.activity import ActivityResult
    from enzyme.gradient.subject import Subject

_UNROLLED = 3
"""Iterations of loops whose shadows LLVM keeps in registers: of four, it makes vectors of the iterations."""
_LEAST = 4
"""Lanes in other loops: with two, loading and storing both took as long as was gained (0.97 to 0.98)."""


def lanes_together(subject: Subject, activity: ActivityResult, width: int) -> bool:
    """Whether the adjoints of a function are vectors of its lanes."""
    if width == 1:
        return False
    return all(
        (width >= _LEAST and _goes_on_computing(activity, loop)) or not _computes(activity, loop)
        for loop in subject.loops.loops
        if not _is_unrolled(subject, loop) and all(_is_unrolled(subject, child) for child in loop.children)
    )


def _computes(activity: ActivityResult, loop: Loop) -> bool:
    return any(activity.active_value(inst) for block in loop.blocks for inst in block.instructions)


def _is_unrolled(subject: Subject, loop: Loop) -> bool:
    count = subject.backedge_count(loop)
    known = constant_value(count) if count is not None else None
    return known is not None and known < _UNROLLED


def _goes_on_computing(activity: ActivityResult, loop: Loop) -> bool:
    """Whether an iteration needs an active number of the one before, other than to add to it."""
    latch = loop.latch
    return latch is not None and any(
        activity.active_value(phi) and not is_sum(loop, phi, phi.value_from(latch)) for phi in loop.header.phis
    )
