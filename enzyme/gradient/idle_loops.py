"""Loops in which nothing is differentiated, and which the reverse sweep passes by.

A search for an interval or a slot of a table, the reversal of a number's bits: such a loop makes integers of integers,
however often it has to. Reversed as others are, it would be run again with nothing to do, as often as the tape says:
eight bytes for each time that it was run. The reverse sweep goes from behind the loop to what is in front of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.gradient.sums import is_simple_access
from enzyme.ir.values import (
    BinaryOp,
    Block,
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


def find_idle(sweep: ReverseSweep) -> dict[Loop, Block]:
    """Loops in which no instruction has an adjoint or writes to memory, of nests the outermost, and the block in front
    of each."""
    if not sweep.engine.config.idle_loops:
        return {}
    special = [*sweep.windows.of_loop, *sweep.passing]
    found: dict[Loop, Block] = {}
    for loop in sorted(sweep.subject.loops.loops, key=lambda each: each.depth):
        if any(each.contains(loop) for each in found) or any(loop.contains(each) for each in special):
            continue
        ahead = [each for each in sweep.subject.cfg.predecessors(loop.header) if each not in loop.blocks]
        plain = len(ahead) == 1 and sweep.subject.loops.loop_of(ahead[0]) is loop.parent
        if plain and all(_does_nothing(sweep, inst) for block in loop.blocks for inst in block.instructions):
            found[loop] = ahead[0]
    return found


def _does_nothing(sweep: ReverseSweep, inst: Instruction) -> bool:
    if sweep.activity.active_value(inst):
        return False
    return isinstance(inst, _PLAIN) or (isinstance(inst, Load) and is_simple_access(inst))
