"""Loops whose pointer goes from one end of an array to the other: how far it goes.

``for (p = first; p != first + N; p++)`` is what compilers make of the construction and destruction of arrays, and of
loops over arrays of fixed length. The pointer stays between the two ends, where the test that ends the loop is made on
every round.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.ir.containers import Block
from enzyme.ir.layout import DataLayout
from enzyme.ir.values import Branch, Compare, GetElementPtr, Phi, Value


@dataclass(frozen=True)
class Walk:
    """A pointer that is ``start``, and ``step`` bytes further each time, ``extent`` bytes in all."""

    start: Value
    step: int
    extent: int


def walk_of(phi: Phi, layout: DataLayout) -> Walk | None:
    """The walk of a pointer from a fixed place in steps of one length up to a fixed distance."""
    if len(phi.incoming) != 2 or phi.block is None:
        return None
    for (start, _), (following, latch) in (phi.incoming, phi.incoming[::-1]):
        base, step = _steps(following, layout, phi)
        if base is phi and step > 0:
            for end in _compared(phi, following, latch):
                extent = _distance(start, end, layout)
                if extent is not None and extent > 0 and extent % step == 0:
                    return Walk(start, step, extent)
    return None


def _steps(value: Value, layout: DataLayout, stop: Value | None = None) -> tuple[Value, int]:
    """A pointer without the constant steps it was made by, and their sum."""
    total = 0
    while value is not stop and isinstance(value, GetElementPtr):
        step = layout.gep_offset(value.source_type, value.indices)
        if step is None:
            break
        total += step
        value = value.base
    return value, total


def _distance(start: Value, end: Value, layout: DataLayout) -> int | None:
    (first, before), (last, behind) = _steps(start, layout), _steps(end, layout)
    return behind - before if first is last else None


def _compared(phi: Phi, following: Value, latch: Block) -> list[Value]:
    """What the pointer is tested against to end the loop, on every round."""
    found = []
    for pointer in (phi, following):
        for test in pointer.users:
            if not isinstance(test, Compare) or test.predicate not in ("eq", "ne") or test.block is None:
                continue
            branch = test.block.terminator
            if not isinstance(branch, Branch) or not branch.is_conditional or branch.operands[0] is not test:
                continue
            equal = test.block.successors[0 if test.predicate == "eq" else 1]
            ends = equal is not phi.block and not reaches(equal, latch, phi.block)
            if ends and (test.block in (phi.block, latch) or not reaches(phi.block, latch, test.block)):
                found.append(test.operands[1] if test.operands[0] is pointer else test.operands[0])
    return found


def reaches(start: Block | None, goal: Block, without: Block | None) -> bool:
    """Whether a path leads from ``start`` to ``goal`` that does not go through ``without``.

    Looked for from the goal: where that is a latch, and the loop's head is one of the others, only the loop is walked.
    """
    seen: set[Block | None] = {without, None}
    work = [goal] if start is not without else []
    while work:
        block = work.pop()
        if block in seen:
            continue
        if block is start:
            return True
        seen.add(block)
        work += block.predecessors
    return False
