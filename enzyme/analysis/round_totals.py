"""The rounds of loops in loops, one by one, where only their own counters say how often each of them runs.

In a triangle of a constant size, ``for (i = 0; i < 4; i++) for (j = 0; j < i; j++)``, the inner loop has no constant
number of rounds, but all its entries together have. The trees of tripcount.py say how often a loop runs that is
entered; whether it is, is asked of the comparisons that hold where it is (guards.py). What cannot be told is taken to
be so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from enzyme.analysis.guards import facts_at
from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import Sym, compare, constant_value, evaluate_sym, expand, leaf, signed
from enzyme.analysis.tripcount import affine_of
from enzyme.ir.values import Phi, Value

_ROUNDS = 1024
"""Rounds of all the loops together that are gone through."""


def total_rounds(loop: Loop, count: Callable[[Loop], Sym | None], most: int) -> int | None:
    """How often at most the body runs in one run of the outermost loop around it; None where that cannot be told, or is
    more than ``most``. ``count`` gives how often a loop's back edge is taken when it is entered."""
    found = 0
    try:
        for _ in each_round(loop.ancestors()[::-1], count):
            found += 1
            if found > most:
                return None
    except LookupError:
        return None
    return found


def each_round(loops: Sequence[Loop], count: Callable[[Loop], Sym | None]) -> Iterator[Mapping[Loop, int]]:
    """The number of the round of each of some loops, outermost first, in all rounds of the innermost one that there may
    be. Raises LookupError where that cannot be told, or they are too many."""
    counts: list[Sym] = []
    for loop in loops:
        found = count(loop)
        if found is None or (not counts and constant_value(found) is None):
            raise LookupError(loop)
        counts.append(found)
    yield from _Nest(loops, counts).rounds_from(0)


class _Nest:
    """Loops, outermost first, and where they are."""

    def __init__(self, loops: Sequence[Loop], counts: Sequence[Sym]) -> None:
        self.loops, self.counts = loops, counts
        self.at: dict[Loop, int] = {}
        self.left = _ROUNDS
        self.facts = {loop: facts_at(loop) for loop in loops[1:]}

    def rounds_from(self, depth: int) -> Iterator[Mapping[Loop, int]]:
        """The rounds of the innermost loop while those around the loop at ``depth`` stand still."""
        if depth == len(self.loops):
            yield self.at
            return
        loop = self.loops[depth]
        if depth and not self._is_entered(loop):
            return
        try:
            rounds = evaluate_sym(self.counts[depth], self._number) + 1
        except ArithmeticError as error:
            raise LookupError(loop) from error
        self.left -= rounds
        if self.left < 0:
            raise LookupError(loop)
        for number in range(rounds):
            self.at[loop] = number
            yield from self.rounds_from(depth + 1)
        del self.at[loop]

    def _is_entered(self, loop: Loop) -> bool:
        """Whether it may be."""
        for predicate, left, right in self.facts[loop]:
            try:
                one, other = evaluate_sym(left, self._number), evaluate_sym(right, self._number)
            except (LookupError, ArithmeticError):
                continue
            if not compare(predicate, one, other, left.bits):
                return False
        return True

    def _number(self, value: Value) -> int:
        """What an integer is in these rounds."""
        if isinstance(value, Phi):
            for loop, number in self.at.items():
                form = affine_of(loop, value) if value.block is loop.header else None
                step = constant_value(form.step) if form is not None else None
                if form is not None and step is not None:
                    moved = signed(step, form.bits) * number
                    start = evaluate_sym(form.start, self._number)
                    return (start - moved if form.down else start + moved) % (1 << form.bits)
            raise LookupError(value)
        tree = expand(value, lambda each: isinstance(each, Phi))
        if tree is None or tree == leaf(value):
            raise LookupError(value)
        return evaluate_sym(tree, self._number)
