"""Nests of loops whose rows wait for themselves, and may run one round behind each other (skewed_rows.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import INNER, OUTER, IntegerForms, NestForms, Polynomial
from enzyme.analysis.tripcount import constant_value
from enzyme.gradient.latencies import WIDTH, cycles_between_iterations, lengths_in, work
from enzyme.gradient.loop_versions import leaves_by_phis
from enzyme.gradient.nests import Access, Nest
from enzyme.gradient.row_nests import Memory, Reader, RowNest
from enzyme.gradient.skewed_values import Handed, hand_on
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64
from enzyme.ir.values import (
    Block,
    CallBase,
    ConstantInt,
    Load,
    Store,
    Value,
)

_MOST = 4
"""Rows at once."""
_LEAST = 8
"""Cycles from one round to the next: rows that wait for less, or for less than what a round's operations take, are left
as they are."""
_LARGEST = 60
"""Instructions of the body, which is copied for each row and for rounds in which not all of them run."""
_MOST_PAIRS = 48


@dataclass(frozen=True)
class Distance:
    """Two accesses, ``form`` bytes between them where both rows are in their first round, and ``stride`` bytes from
    round to round. They must not meet where the first is ``least`` rounds and more ahead of the second."""

    form: Polynomial
    stride: int
    least: int
    size: int


@dataclass
class Skew:
    """How many rows run at once, and what must hold for it."""

    count: int
    distances: list[Distance]
    handed: Handed


def find_skewed(loops: Iterable[Loop], memory: Memory) -> Iterator[tuple[RowNest, Skew]]:
    for outer in loops:
        if len(outer.children) == 1:
            found = _Reader(outer, outer.children[0], memory).read_skewed()
            if found is not None:
                yield found


class _Reader(Reader):
    def read_skewed(self) -> tuple[RowNest, Skew] | None:
        outer, body = self.outer, self.body
        if self.inner.blocks != {body} or len(body.instructions) > _LARGEST:
            return None
        count = self._rows()
        frame = self._frame() if count > 1 else None
        if frame is None:
            return None
        ahead, behind, guards = frame.ahead, frame.behind, frame.guards
        known = constant_value(frame.inner_count)
        forms = NestForms(outer, self.inner, self.layout)
        length = forms.of_sym(frame.inner_count)
        if length is None or length.degree(OUTER, INNER) or known is not None and known < 2 * count:
            return None
        self.varying = {inst for block in outer.blocks for inst in block.instructions}
        self._count_ahead(behind, forms, length)
        if len(guards) == 1:
            self._without_merges(behind, *guards[0])
        forms = NestForms(outer, self.inner, self.layout)
        needed = self._needed(ahead, behind)
        if needed is None or not leaves_by_phis(outer):
            return None
        nest = self._bare(frame, length, forms)
        distances = self._distances(ahead, behind, forms, count, nest)
        if distances is None:
            return None
        rows = RowNest(nest, outer, ahead, body, behind, self.varying, {}, needed, guards, self.scoped, False, False)
        return rows, Skew(count, distances, self._handed(forms, count, distances))

    def _rows(self) -> int:
        """How many rows at once fill the time that one waits; 1 where there is nothing to gain."""
        body = self.body
        numbers = [phi for phi in body.phis if phi.type.is_float]
        if not numbers or not any(isinstance(inst, Store) for inst in body.instructions):
            return 1
        lengths = lengths_in(self.inner)
        made = {phi: lengths.get(phi.value_from(body), {}) for phi in numbers}
        waits = cycles_between_iterations(made)
        busy = sum(map(work, body.instructions)) / WIDTH
        return min(_MOST, ceil(waits / busy)) if waits >= max(_LEAST, busy) else 1

    def _may_access(self, inst: Load | Store) -> bool:
        """Accesses that were made atomic for windows.py are of one thread all the same."""
        return inst.ordering in ("", "unordered") and "volatile" not in inst.flags

    def _may_call(self, call: CallBase) -> bool:
        return self._is_pure(call)

    def _count_ahead(self, behind: list[Block], forms: NestForms, length: Polynomial) -> None:
        """Compute integers that the body counts, as they are behind it, the same for all rows, in front of the nest."""
        ahead = self.outer.preheader
        assert ahead is not None
        for phi in list(behind[0].phis):
            form = forms.integer(phi.value_from(self.body)) if phi.type is I64 and len(phi.incoming) == 1 else None
            form = form.replaced(INNER, length) if form is not None and form.degree(INNER) <= 1 else None
            if form is not None and not form.degree(OUTER, INNER):
                phi.replace_all_uses_with(form.emit(Builder(ahead, before=ahead.terminator)))
                phi.erase()

    def _without_merges(self, behind: list[Block], guard: Value, enters: bool) -> None:
        """What grows by the same in each row that enters the inner loop, and not in the others: a sum in place of a
        phi, with an amount that is chosen in front of the nest."""
        ahead, forms = self.outer.preheader, IntegerForms(self.layout)
        assert ahead is not None
        inside = {self.body, *behind}
        for block in behind:
            for phi in [each for each in block.phis if each.type is I64 and len(each.incoming) == 2]:
                grown, start = (
                    next((value for value, source in phi.incoming if (source in inside) == within), None)
                    for within in (True, False)
                )
                if grown is None or start is None:
                    continue
                whole, old = forms.integer(grown), forms.integer(start)
                by = whole.minus(old) if whole is not None and old is not None else None
                if by is None or not all(isinstance(v, Value) and self.outer.is_invariant(v) for v, _ in by.variables):
                    continue
                build, none = Builder(ahead, before=ahead.terminator), ConstantInt(I64, 0)
                amount = by.emit(build)
                chosen = build.select(guard, *((amount, none) if enters else (none, amount)))
                place = Builder(block, before=block.instructions[len(block.phis)])
                phi.replace_all_uses_with(place.add(start, chosen))
                phi.erase()

    # memory

    def _handed(self, forms: NestForms, count: int, distances: list[Distance]) -> Handed:
        """What rows hand on in registers; what must be asked for that goes to ``distances``."""
        touched = [inst for inst in self.body.instructions if isinstance(inst, (Load, Store))]
        accesses = [found for each in touched if (found := self._access(each, forms)) is not None]
        if len(accesses) < len(touched):
            return Handed()
        handed = hand_on(accesses, count, self.body, self._are_apart)
        asked = [Distance(form, 0, 0, size) for form, size in handed.apart]
        if len(distances) + len(asked) > _MOST_PAIRS:
            return Handed()
        distances += asked
        return handed

    def _distances(
        self, ahead: list[Block], behind: list[Block], forms: NestForms, count: int, nest: Nest
    ) -> list[Distance] | None:
        """What must be asked; pairs that may be anywhere go to ``nest.apart``."""
        found: dict[Distance, None] = {}
        first, inside, last = (
            [inst for block in blocks for inst in block.instructions if isinstance(inst, (Load, Store))]
            for blocks in (ahead, [self.body], behind)
        )
        # The one of an earlier row, which came first and may now come second, and the one of a later row.
        groups = ((inside, inside), (inside, first), (last, first), (last, inside))
        pairs = [(a, b) for early, late in groups for a in early for b in late]
        apart: dict[tuple[object, object], tuple[Access, Access]] = {}
        for a, b in pairs:
            if not isinstance(a, Store) and not isinstance(b, Store) or self._are_apart(a, b):
                continue
            one, other = self._access(a, forms), self._access(b, forms)
            if one is None or other is None:
                return None
            if one.base is other.base and one.form.factor(OUTER) == other.form.factor(OUTER):
                made = [self._distance(one, other, rows) for rows in range(1, count)]
                if None in made:
                    return None
                found.update((each, None) for each in made if each is not None and not _holds(each))
            else:
                apart[a.pointer, b.pointer] = one, other
        nest.apart = list(apart.values())
        return list(found) if len(found) + len(apart) <= _MOST_PAIRS else None

    def _access(self, inst: Load | Store, forms: NestForms) -> Access | None:
        """As bytes behind a pointer that is not made of another one."""
        found = super()._access(inst, forms)
        if found is None:
            return None
        base, more = forms.from_base(found.base)
        return Access(inst, base, found.form.plus(more), found.size)

    def _distance(self, one: Access, other: Access, rows: int) -> Distance | None:
        """Of ``one`` and what ``other`` is so many rows later."""
        form = other.form.minus(one.form).without(INNER).plus(one.form.factor(OUTER), rows).without(OUTER)
        strides = [each.form.stride(INNER) for each in (one, other)]
        within = [each.inst.block is self.body for each in (one, other)]
        size = max(one.size, other.size)
        if None in strides or all(within) and strides[0] != strides[1]:
            return None
        # They meet where form = stride * rounds, ``rounds`` being how far the first is ahead.
        stride, least = strides[0] if within[0] else strides[1], rows + 1 if all(within) else 0
        assert stride is not None
        if not within[0] and not within[1]:
            stride = 0
        elif not within[0]:
            form = Polynomial(()).minus(form)
        if stride < 0:
            form, stride = Polynomial(()).minus(form), -stride
        return Distance(form, stride, least, size) if stride >= size or stride == 0 else None


def _holds(distance: Distance) -> bool:
    """Whether it is known that the accesses do not meet."""
    form = distance.form.constant
    if form is None:
        return False
    if not distance.stride:
        return abs(form) >= distance.size
    return form <= distance.stride * distance.least - distance.size
