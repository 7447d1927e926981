"""Kept values that are the same in every run of an inner loop.

A product of a matrix and a vector reads the vector once for each row. Where the vector is overwritten later, the
reverse sweep needs what was read; but one copy of it does for all rows. The entry on the tape belongs then to an
iteration of the inner loop, whichever iteration of the loops around it that is in: each writes the same value to it.

A value repeats in a loop around its own if it is made of what does not change in that loop, of the inner loop's
counter, and of memory that nothing in that loop writes.
"""

from __future__ import annotations

from enzyme.analysis.alias import AliasAnalysis
from enzyme.analysis.loops import Loop
from enzyme.ir.types import I1
from enzyme.ir.values import (
    BinaryOp,
    Cast,
    Compare,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    UnaryOp,
    Value,
)
from enzyme.rules.scalar import lookup_instruction

_PURE = (BinaryOp, UnaryOp, Cast, Compare, Select, GetElementPtr)
_DEPTH = 8
_MOST = 64  # instructions of a loop that may write


class Repeated:
    """The answer for values of one function."""

    def __init__(self, alias: AliasAnalysis) -> None:
        self.alias = alias
        self._writers: dict[Loop, list[Instruction] | None] = {}

    def around(self, value: Instruction, loop: Loop) -> Loop | None:
        """The outermost of the loops around ``loop``, the value's own, in all iterations of which it is the same."""
        found: Loop | None = None
        outer = loop.parent
        while outer is not None and value.type is not I1 and self._same(value, loop, outer, _DEPTH):
            found, outer = outer, outer.parent
        return found

    def _same(self, value: Value, loop: Loop, outer: Loop, depth: int) -> bool:
        if not isinstance(value, Instruction) or outer.is_invariant(value):
            return True
        if depth == 0 or value.block not in loop.blocks:
            return False
        if isinstance(value, Phi):
            return value.block is loop.header and self._counts(value, loop, outer)
        if isinstance(value, Load):
            again = not value.ordering and "volatile" not in value.flags and self._unchanged(value, outer)
        else:
            again = isinstance(value, _PURE) or lookup_instruction(value) is not None
        return again and all(self._same(each, loop, outer, depth - 1) for each in value.operands)

    def _counts(self, phi: Phi, loop: Loop, outer: Loop) -> bool:
        """Whether a header phi begins with the same value each time and goes on by the same step."""
        begin = [value for value, source in phi.incoming if source not in loop.blocks]
        later = [value for value, source in phi.incoming if source in loop.blocks]
        steps = [each for value in later if isinstance(value, (BinaryOp, GetElementPtr)) for each in value.operands]
        known = all(isinstance(value, (BinaryOp, GetElementPtr)) for value in later)
        return known and all(each is phi or outer.is_invariant(each) for each in (*begin, *steps))

    def _unchanged(self, load: Load, outer: Loop) -> bool:
        if outer not in self._writers:
            found = [each for block in outer.order for each in block.instructions if self.alias.effect(each).writes]
            self._writers[outer] = found if len(found) <= _MOST else None
        writers = self._writers[outer]
        place = self.alias.location(load)
        return writers is not None and all(
            not self.alias.mod_ref(each, place, same_iteration=False).may_write
            or self.alias.overwrites.stays_apart(load, each, outer)
            or self.alias.overwrites.writes_newer_blocks(load, each, outer)
            for each in writers
        )
