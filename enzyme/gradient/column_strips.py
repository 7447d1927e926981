"""Nests whose inner loops all run over one range of columns, run for a strip of columns after the other.

``for bone: for row < 3: for v < n: skin[row][v] += weights[bone][v] * (...)`` goes through all of ``skin`` once for
each bone. What is added to one column has nothing to do with other columns, so the whole nest may be run for the first
columns, then for the next: what it writes then stays in the first level of cache from one bone to the next. Tangents
of a group of lanes are several times as large as the numbers they belong to, and are gone over as often.

An inner loop may have been divided already, into iterations that share registers (pack.py) and the rest of an odd
number. Nothing is made twice: a loop over strips is put around the nest, whose inner loops begin and end with the
strip, and where a strip is not worth it, or memory may overlap, the first strip is all there is. What the nest
computes around its inner loops is computed once more for each strip, the same each time, for it stores nothing there
and nothing that it loads is written in the nest. Every number sees the same operations in the same order.

What is cleared right in front of the nest, all rows of it, is cleared strip by strip: there the zeros are still in
cache when something is added to them. Whether it is all rows, and these are as long as the columns are many, the
running program asks; where it is not so, all is cleared in front, as it was.

Which nests: column_nests.py.
"""

from __future__ import annotations

from enzyme.analysis.alias import ModuleSummaries
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, widened
from enzyme.gradient.column_nests import COLUMN, Cleared, ColumnNest, find_column_nests
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I1, I64
from enzyme.ir.values import Block, ConstantInt, Freeze, Function, Value

LARGEST = 1 << 27
"""Counts and distances that a running program multiplies are less than this: products of two, times the size of an
element, do not wrap."""


def with_column_strips(function: Function, module: Module, summaries: ModuleSummaries, halves: bool = False) -> bool:
    """Put loops over strips around the nests of a function where that pays; whether there are any. ``halves``: on a
    processor that works on halves of its registers."""
    nests = find_column_nests(function, module, summaries, halves)
    for nest in nests:
        _Strips(nest).emit()
    return bool(nests)


class _Strips:
    def __init__(self, nest: ColumnNest) -> None:
        self.nest = nest
        ahead = nest.outer.preheader
        assert ahead is not None and ahead.terminator is not None
        self.ahead = ahead
        self.build = Builder(ahead, before=ahead.terminator)
        self._small: dict[Value, None] = {}

    def emit(self) -> None:
        nest, ahead = self.nest, self.ahead
        function = ahead.function
        assert function is not None
        header, ((leaving, outside),) = nest.outer.header, nest.outer.exits
        pays = self.build.insert(Freeze(self._pays()))
        # where the columns are none, and the nest knows, their number may be no number at all
        end = nest.end if isinstance(nest.end, ConstantInt) else self.build.insert(Freeze(nest.end))
        size = self.build.select(pays, ConstantInt(I64, nest.strip), end)
        head, after = function.append_block(Block("columns")), function.append_block(Block("columns.next"))
        ahead.terminator.replace_operand(header, head)  # type: ignore[union-attr]
        for phi in header.phis:
            phi.replace_operand(ahead, head)
        clears = [self._leave_to_strips(each, end) for each in nest.cleared]
        build = Builder(head)
        first = build.phi(I64, [(ConstantInt(I64, 0), ahead)])
        left = build.sub(end, first)
        count = build.select(build.icmp("ult", left, size), left, size)
        last = build.add(first, count)
        for each, by_strips in zip(nest.cleared, clears, strict=True):
            self._clear(build, each, build.select(by_strips, count, ConstantInt(I64, 0)), end, first)
            each.call.erase()
        build.br(header)
        first.add_incoming(last, after)
        assert leaving.terminator is not None
        leaving.terminator.replace_operand(outside, after)
        for phi in outside.phis:
            phi.replace_operand(leaving, after)
        build = Builder(after)
        build.cond_br(build.icmp("ult", last, end), head, outside)
        for user, index in nest.ends:
            user.set_operand(index, last)
        for user, index in nest.starts:
            user.set_operand(index, first)

    def _leave_to_strips(self, cleared: Cleared, end: Value) -> Value:
        """Clear nothing in front of the nest where the strips clear the same; whether they do."""
        build, (pointer, _, size, _) = self.build, cleared.call.args
        width = ConstantInt(I64, cleared.rows * cleared.stride)
        same = build.and_(
            build.icmp("ult", end, ConstantInt(I64, LARGEST)), build.icmp("eq", build.mul(end, width), size)
        )
        if cleared.length is not None:
            same = build.and_(same, build.icmp("eq", self._number(cleared.length), end))
        same = build.insert(Freeze(same))
        _fill(build, cleared, pointer, build.select(same, ConstantInt(I64, 0), size))
        return same

    def _clear(self, build: Builder, cleared: Cleared, count: Value, end: Value, first: Value) -> None:
        """Clear ``count`` columns, from the ``first`` on, in all rows."""
        stride = ConstantInt(I64, cleared.stride)
        size, at = build.mul(count, stride), build.mul(first, stride)
        for row in range(cleared.rows):
            _fill(build, cleared, build.offset(cleared.call.args[0], at), size)
            at = build.add(at, build.mul(end, stride)) if row + 1 < cleared.rows else at

    def _pays(self) -> Value:
        """Whether there are several strips, and columns may be run apart from each other."""
        nest, build = self.nest, self.build
        conditions = [build.icmp("ugt", nest.end, ConstantInt(I64, 2 * nest.strip))]
        conditions.append(build.icmp("ult", nest.end, ConstantInt(I64, LARGEST)))
        for length in nest.lengths:
            row = self._number(length)
            conditions += [build.icmp("ule", nest.end, row), build.icmp("ult", row, ConstantInt(I64, LARGEST))]
        for a, b in nest.apart:
            (low, high), (low_b, high_b) = self._range(*a), self._range(*b)
            conditions.append(build.or_(build.icmp("ule", high, low_b), build.icmp("ule", high_b, low)))
        conditions += [build.icmp("ult", each, ConstantInt(I64, LARGEST)) for each in self._small]
        result: Value = ConstantInt(I1, 1)
        for condition in conditions:
            result = condition if isinstance(result, ConstantInt) else build.and_(result, condition)
        return result

    def _number(self, form: Polynomial) -> Value:
        return form.emit(self.build)

    def _range(self, base: Value, form: Polynomial, size: int) -> tuple[Value, Value]:
        """Where what an access touches in all of the nest begins and ends."""
        build = self.build
        low = build.add(build.cast("ptrtoint", base, I64), ConstantInt(I64, form.offset))
        high = build.add(low, ConstantInt(I64, size))
        for product, factor in form.varying:
            most: Value = ConstantInt(I64, factor)
            for what, how in product:
                most = build.mul(most, self._most(what, how))
            if factor < 0:
                low = build.add(low, most)
            else:
                high = build.add(high, most)
        return low, high

    def _most(self, what: Value | Loop | None, how: str) -> Value:
        """What a variable is at most; none is negative."""
        build = self.build
        if (what, how) == COLUMN:
            found = build.sub(self.nest.end, ConstantInt(I64, 1))
        elif isinstance(what, Loop):
            rounds = self.nest.rounds[what]
            found = build.sub(self._number(rounds), ConstantInt(I64, 1))
        else:
            found = widened(build, what, how)
        if not isinstance(found, ConstantInt):
            self._small[found] = None
        return found


def _fill(build: Builder, cleared: Cleared, pointer: Value, size: Value) -> None:
    """Fill other memory with what a call fills its own with."""
    _, fills, _, volatile = cleared.call.args
    build.call(cleared.call.callee, [pointer, fills, size, volatile])
