"""What the running program asks in front of a nest whose loops are to be exchanged (see nests.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from enzyme.analysis.polynomials import INNER, OUTER, Polynomial
from enzyme.gradient.nests import Access, Nest
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I64
from enzyme.ir.values import ConstantInt, Value

_HALF = 1 << 31
"""Counts, and distances between neighbours, are less than this: then products of two of them do not wrap."""
_FAR = 1 << 62


def _number(value: int) -> ConstantInt:
    return ConstantInt(I64, value)


class NestChecks:
    """``number`` gives forms without counters in front of the nest; ``last`` is the number of the last outer iteration
    that is to be exchanged."""

    def __init__(self, nest: Nest, build: Builder, number: Callable[[Polynomial], Value], last: Value) -> None:
        self.nest, self.build, self.number, self.last = nest, build, number, last
        self._ranges: dict[tuple[Value, Polynomial, int], tuple[Value, Value]] = {}
        self._small: set[Polynomial] = set()
        self.conditions: list[Value] = []

    def all(self) -> Value:
        nest, build = self.nest, self.build
        guarded = nest.shape.guard is not None
        self._below(self.last, _HALF)
        start = self.number(nest.length.without(OUTER))
        end = build.add(start, build.mul(self.last, _number(nest.slope)))
        self.lengths = start, end
        self.rows: tuple[Value, Value] = _number(0), self.last  # the first and the last with an iteration
        for each in dict.fromkeys(self.lengths):
            self._below(build.add(each, _number(1)) if guarded and nest.slope else each, _HALF)
        if guarded and nest.slope:
            none = [build.zext(build.icmp("slt", each, _number(0)), I64) for each in self.lengths]
            self.rows = none[0], build.sub(self.last, none[1])
            self.lengths = (
                build.add(start, build.mul(none[0], _number(nest.slope))),
                build.sub(end, build.mul(none[1], _number(nest.slope))),
            )
        for forms, rows in ((nest.ordered, (_number(0), self.last)), (nest.assumed, self.rows)):
            for form in forms:
                self._is_small(form.factor(OUTER))
                first, by = self.number(form.without(OUTER)), self.number(form.factor(OUTER))
                for row in rows:
                    self._below(build.add(first, build.mul(row, by)), _FAR)
        for access in nest.distinct:
            self._distinct(access)
        for access in nest.apart_rows:
            self._apart_rows(access)
        for a, b in nest.apart:
            self.apart(a, b, self)
        return self.taken()

    def taken(self) -> Value:
        """Whether all holds that has been asked since it was last taken."""
        result: Value = ConstantInt(I1, 1)
        for condition in self.conditions:
            result = self.build.and_(condition, result)
        self.conditions = []
        return result

    def apart(self, a: Access, b: Access, others: NestChecks) -> None:
        """What ``a`` touches in all of the nest and what ``b`` does in that of ``others`` do not overlap."""
        build = self.build
        (low, end_a), (low_b, end_b) = self._range(a), others._range(b)
        self.conditions.append(build.or_(build.icmp("ule", end_a, low_b), build.icmp("ule", end_b, low)))

    def _below(self, value: Value, limit: int) -> None:
        """0 <= value < limit."""
        self.conditions.append(self.build.icmp("ult", value, _number(limit)))

    def _is_small(self, form: Polynomial) -> None:
        if form not in self._small:
            self._small.add(form)
            plain = form.constant
            if plain is None or abs(plain) >= _HALF:
                self._below(self.build.add(self.number(form), _number(_HALF)), 2 * _HALF)

    def _distinct(self, access: Access) -> None:
        """No two iterations touch one place: the step from row to row is longer than a row."""
        build = self.build
        self._is_small(access.form.factor(INNER))
        step = self.number(access.form.factor(INNER))
        size = build.select(build.icmp("slt", step, _number(0)), build.sub(_number(0), step), step)
        row = build.mul(build.add(self.last, _number(1)), _number(access.size))
        self.conditions.append(build.icmp("ule", row, size))

    def _apart_rows(self, access: Access) -> None:
        """No two rows touch one place: each is shorter than the step to the next."""
        build = self.build
        for counter in (OUTER, INNER):
            self._is_small(access.form.factor(counter))
        steps = [self.number(access.form.factor(counter)) for counter in (OUTER, INNER)]
        by_row, by_number = (
            build.select(build.icmp("slt", each, _number(0)), build.sub(_number(0), each), each) for each in steps
        )
        row = build.add(build.mul(self.lengths[1], by_number), _number(access.size))
        self.conditions.append(build.icmp("ule", row, by_row))

    def _range(self, access: Access) -> tuple[Value, Value]:
        key = access.base, access.form, access.size
        found = self._ranges.get(key)
        if found is None:
            build = self.build
            self._is_small(access.form.factor(OUTER))
            self._is_small(access.form.factor(INNER))
            origin = build.add(build.cast("ptrtoint", access.base, I64), self.number(access.form.without(OUTER, INNER)))
            corners = list(self._corners(access))
            low = high = corners[0]
            for each in corners[1:]:
                low = build.select(build.icmp("slt", each, low), each, low)
                high = build.select(build.icmp("sgt", each, high), each, high)
            end = build.add(build.add(origin, high), _number(access.size))
            found = self._ranges[key] = build.add(origin, low), end
        return found

    def _corners(self, access: Access) -> Iterator[Value]:
        """The distances from the origin at the corners."""
        build = self.build
        by_outer, by_inner = (self.number(access.form.factor(each)) for each in (OUTER, INNER))
        inside = bool(access.form.degree(INNER)) or access.inst.block is self.nest.shape.body
        for row, length in zip(self.rows if inside else (_number(0), self.last), self.lengths, strict=True):
            place = build.mul(row, by_outer)
            yield place
            if access.form.degree(INNER):
                yield build.add(place, build.mul(length, by_inner))
