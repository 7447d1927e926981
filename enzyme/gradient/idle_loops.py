"""Loops in which nothing is differentiated, and which the reverse sweep passes by.

A search for an interval or a slot of a table, the reversal of a number's bits: such a loop makes integers of integers,
however often it has to. Reversed as others are, it would be run again with nothing to do, as often as the tape says:
eight bytes for each time that it was run. The reverse sweep goes from behind the loop to what is in front of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.ir.values import (
    BinaryOp,
    Branch,
    Cast,
    Compare,
    Freeze,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Switch,
    UnaryOp,
)

if TYPE_CHECKING:
    from enzyme.gradient.reverse import ReverseSweep

_PLAIN = (BinaryOp, Branch, Cast, Compare, Freeze, GetElementPtr, Phi, Select, Switch, UnaryOp)


def find_idle(sweep: ReverseSweep) -> dict[Loop, None]:
    """Loops in which no instruction has an adjoint or writes to memory; of nests the outermost."""
    if not sweep.engine.config.idle_loops:
        return {}
    special = {*sweep.windows.of_loop, *sweep.passing}
    found: dict[Loop, None] = {}
    for loop in sorted(sweep.subject.loops.loops, key=lambda each: each.depth):
        inside = any(each in found for each in loop.ancestors())
        if not inside and special.isdisjoint(_with_inner(loop)) and _is_idle(sweep, loop):
            found[loop] = None
    return found


def _with_inner(loop: Loop) -> list[Loop]:
    return [loop, *(each for child in loop.children for each in _with_inner(child))]


def _is_idle(sweep: ReverseSweep, loop: Loop) -> bool:
    outside = [each for each in sweep.subject.cfg.predecessors(loop.header) if each not in loop.blocks]
    if len(outside) != 1 or sweep.subject.loops.loop_of(outside[0]) is not loop.parent:
        return False
    return all(_does_nothing(sweep, inst) for block in loop.blocks for inst in block.instructions)


def _does_nothing(sweep: ReverseSweep, inst: Instruction) -> bool:
    if sweep.activity.active_value(inst):
        return False
    return isinstance(inst, _PLAIN) or (isinstance(inst, Load) and not inst.ordering and "volatile" not in inst.flags)
