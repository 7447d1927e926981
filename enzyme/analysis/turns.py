"""Pointers that take turns: two buffers of which each step reads one and writes the other, and swaps them.

They are phis at the head of a loop that hand each other on. If they begin in different objects, they are in different
ones in every iteration, though over all iterations each of them may be in any.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from enzyme.analysis.loops import Loop
from enzyme.ir.values import Phi, Value

_MOST = 8
"""Pointers that take turns."""


def take_turns(loop: Loop, one: Value, other: Value, apart: Callable[[Value, Value], bool]) -> bool:
    """Whether two pointers are phis of a loop that are in different objects in each iteration. ``apart`` tells of two
    pointers from in front of the loop whether they are."""
    found: dict[Phi, Value] = {}
    work = [one, other]
    while work:
        phi = work.pop()
        if phi in found:
            continue
        if not isinstance(phi, Phi) or phi.block is not loop.header or loop.latch is None or len(found) == _MOST:
            return False
        if one is other or len(phi.incoming) != 2:
            return False
        found[phi] = phi.value_from(loop.latch)
        work.append(found[phi])
    if len(set(found.values())) < len(found):
        return False
    starts = [value for phi in found for value, source in phi.incoming if source is not loop.latch]
    return all(apart(*pair) for pair in combinations(starts, 2))
