"""What rows that run beside each other hand on in registers (skewed_rows.py).

A round of a row writes numbers that the next row reads a round later, or that its own next round adds to. In the loop
over rounds in which all rows run, each of these is a store and a load, and the load waits for the store. Addresses are
linear in the numbers of the row and of the round: of two of them is known how far they lie apart, or it is asked in
front of the nest whether they are. So a load takes what was last stored to its place, or loaded from it, in its round
or in the one before, and what is stored again before anybody reads it is stored once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from enzyme.analysis.polynomials import INNER, OUTER, Polynomial
from enzyme.gradient.nests import Access
from enzyme.ir.types import Type
from enzyme.ir.values import BinaryOp, Block, Cast, GetElementPtr, Instruction, Load, Phi, Store, Value

Place = tuple[int, Load | Store]
"""An access in a round: of which row, and which of the body's it is."""


@dataclass
class Handed:
    """``loads``: what a load takes the number of, and whether in the round before. ``dead``: the stores that another
    one follows, and whether in the next round, so that the last of all is still to be stored. ``apart``: what must be
    so many bytes away from zero."""

    loads: dict[Place, tuple[Place, bool]] = field(default_factory=dict)
    dead: dict[Place, bool] = field(default_factory=dict)
    apart: dict[tuple[Polynomial, int], None] = field(default_factory=dict)


@dataclass(frozen=True)
class _Touch:
    place: Place
    base: Value
    form: Polynomial
    """Bytes behind ``base``, in the first row's round."""
    step: int
    size: int

    @property
    def inst(self) -> Load | Store:
        return self.place[1]

    @property
    def type(self) -> Type:
        return self.inst.accessed

    def is_beside(self, other: _Touch) -> bool:
        """Whether these stay as far from each other as they are. Of others, one of them written, it is known or asked
        that they never meet."""
        if self.base is not other.base or self.step != other.step:
            return False
        return self.form.factor(OUTER) == other.form.factor(OUTER)


def hand_on(
    accesses: Sequence[Access], count: int, body: Block, apart: Callable[[Load | Store, Load | Store], bool]
) -> Handed:
    """What ``count`` rows hand on, of what the body touches, in order. ``apart``: whether it is known that two accesses
    never meet."""
    return _Search(accesses, count, body, apart).found()


class _Search:
    def __init__(
        self, accesses: Sequence[Access], count: int, body: Block, apart: Callable[[Load | Store, Load | Store], bool]
    ) -> None:
        self.apart = apart
        self.body = body
        self.handed = Handed()
        self.touches: list[_Touch] = []
        for row in range(count):
            for each in accesses:
                step = each.form.stride(INNER)
                if step is None:  # nothing that is written lies where this goes
                    continue
                form = each.form.plus(each.form.factor(OUTER), row).plus(Polynomial.number(-row * step))
                self.touches.append(_Touch((row, each.inst), each.base, form, step, each.size))

    def found(self) -> Handed:
        for index, each in enumerate(self.touches):
            if isinstance(each.inst, Load) and abs(each.step) >= each.size and self._is_plain(each.inst.pointer):
                self._load(index, each)
        for index, each in enumerate(self.touches):
            if isinstance(each.inst, Store) and abs(each.step) >= each.size:
                self._store(index, each)
        return self.handed

    def _is_plain(self, value: Value, depth: int = 8) -> bool:
        """Whether an address may be made in front of the loop."""
        if not isinstance(value, Instruction) or value.block is not self.body or isinstance(value, Phi):
            return True
        plain = depth > 0 and isinstance(value, (BinaryOp, Cast, GetElementPtr))
        return plain and all(self._is_plain(each, depth - 1) for each in value.operands)

    def _between(self, one: _Touch, other: _Touch, rounds: int) -> Polynomial | None:
        """How far ``other`` is behind ``one`` so many rounds later; None where they never meet."""
        if not one.is_beside(other) or self.apart(one.inst, other.inst):
            return None
        return other.form.plus(Polynomial.number(rounds * other.step)).minus(one.form)

    def _load(self, index: int, load: _Touch) -> None:
        asked: list[tuple[Polynomial, int]] = []
        before = [(each, 0) for each in reversed(self.touches[:index])]
        before += [(each, -1) for each in reversed(self.touches)]
        for each, rounds in before:
            form = self._between(load, each, rounds)
            if form is None:
                continue
            if form.constant == 0:
                if each.type is load.type:
                    self.handed.loads[load.place] = each.place, rounds < 0
                    self._ask(asked)
                return
            if isinstance(each.inst, Store) and not self._misses(form, max(each.size, load.size), asked):
                return

    def _store(self, index: int, store: _Touch) -> None:
        asked: list[tuple[Polynomial, int]] = []
        behind = [(each, 0) for each in self.touches[index + 1 :]] + [(each, 1) for each in self.touches]
        for each, rounds in behind:
            form = self._between(store, each, rounds)
            if form is None:
                continue
            if isinstance(each.inst, Store) and form.constant == 0 and each.size >= store.size:
                self.handed.dead[store.place] = rounds > 0
                self._ask(asked)
                return
            if each.place not in self.handed.loads and not self._misses(form, max(each.size, store.size), asked):
                return

    def _misses(self, form: Polynomial, size: int, asked: list[tuple[Polynomial, int]]) -> bool:
        """Whether two accesses do not meet, if what is ``asked`` holds."""
        known = form.constant
        if known is None:
            negative = Polynomial(()).minus(form)
            asked.append((form if (negative, size) not in self.handed.apart else negative, size))
        return known is None or abs(known) >= size

    def _ask(self, asked: list[tuple[Polynomial, int]]) -> None:
        self.handed.apart.update((each, None) for each in asked)
