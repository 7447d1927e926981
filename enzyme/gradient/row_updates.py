"""Rows that change what lies along them, such as ``A[i][j] += s[i] * x[j]`` and ``z[j] += s[i] * B[i][j]``, four at a
time, four numbers of each in a vector (rows_beside.py).

One row after the other, z and x are loaded for each of them, and z is stored. Four at a time, they are loaded and
stored once: to each number of z comes what it comes to in the order of the rows, so no bit changes. What each row adds
up along itself may be added in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.row_lanes import FOUR, LANES, RowLanes
from enzyme.gradient.row_nests import RowNest, numbers_of
from enzyme.gradient.sums import Sum
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import DOUBLE, I64, FunctionType, Type
from enzyme.ir.values import (
    Block,
    Constant,
    ConstantAggregate,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)
from enzyme.rules.emit import mangle

_REDUCE = f"llvm.vector.reduce.fadd.{mangle(FOUR)}"
_Sums = list[dict[Phi, Value]]


@dataclass(frozen=True)
class Moved:
    """What the body of another nest adds to the same numbers first (shared_rows.py). ``chain`` makes the amount of
    what is in front of that body, which ``row`` gives for a row, and of numbers that have been copied (``copies``)."""

    sum: Sum
    chain: list[Instruction]
    copies: Mapping[Value, Value]
    row: Callable[[int, Value], Value]

    def taken(self) -> list[Value]:
        """What is made in front of the other body."""
        inside = {*self.chain, *self.copies, self.sum.load}
        return [each for inst in (*self.chain, self.sum.add) for each in numbers_of(inst) if each not in inside]


class RowUpdates(RowLanes):
    """:data:`LANES` rounds at a time, of which there are at least so many, and what is left of them."""

    def __init__(
        self, module: Module, rows: RowNest, count: int, row: Callable[[int, Value], Value], last: Value
    ) -> None:
        super().__init__(module, rows, count, row, last)
        self._splats: dict[Value, Value] = {}
        self.copies: Mapping[Value, Value] = {}
        """Where numbers that the body loads have been copied to, for all rows alike, from the first round on."""
        self.left_out: Collection[Instruction] = ()
        self.moved: Mapping[Value, Moved] = {}
        """What to add to what the body loads."""

    def emit(self, ahead: Block, body: Block, middle: Block, single: Block, behind: Block) -> None:
        rows, build, source = self.rows, Builder(ahead), self.rows.ahead[-1]
        one, none = ConstantInt(I64, 1), ConstantInt(I64, 0)
        rounds = build.add(self.last, one)
        fours, rest = build.lshr(rounds, ConstantInt(I64, 2)), build.and_(rounds, ConstantInt(I64, LANES - 1))
        starts = {phi: self.row(0, phi.value_from(source)) for phi in rows.body.phis if phi not in rows.sums}
        nothing = build.const_float(DOUBLE, -0.0)
        zero = ConstantAggregate(FOUR, [nothing], splat=True)
        sums: _Sums = [
            {phi: build.insert_element(zero, self.row(row, phi.value_from(source)), 0) for phi in rows.sums}
            for row in range(self.count)
        ]
        moved = [(each, value) for each in self.moved.values() for value in each.taken()]
        others = [each.row(row, value) for each, value in moved for row in range(self.count)]
        for each in (*(each for _, each in self.taken()), *others):
            if each.type is DOUBLE and not isinstance(each, Constant) and each not in self._splats:
                self._splats[each] = build.splat(each, FOUR)
        build.br(body)
        after, sums = self._loop(body, ahead, middle, (none, fours), starts, sums, LANES)

        build = Builder(middle)
        reduce = self.module.declare_function(_REDUCE, FunctionType(DOUBLE, (DOUBLE, FOUR)))
        totals: _Sums = [
            {phi: build.call(reduce, [nothing, total], flags=rows.sums[phi].flags) for phi, total in each.items()}
            for each in sums
        ]
        first = build.sub(rounds, rest) if self.copies or self.moved else none
        build.cond_br(build.icmp("eq", rest, none), behind, single)
        _, ends = self._loop(single, middle, behind, (first, rest), after, totals, 1)

        build = Builder(behind)
        for made, even, odd in zip(self.made, totals, ends, strict=True):
            for phi, add in rows.sums.items():
                made[add] = build.phi(DOUBLE, [(even[phi], middle), (odd[phi], single)])

    def _loop(
        self,
        block: Block,
        before: Block,
        out: Block,
        rounds: tuple[Value, Value],
        starts: dict[Phi, Value],
        sums: _Sums,
        lanes: int,
    ) -> tuple[dict[Phi, Value], _Sums]:
        """Rounds from the first of ``rounds`` on, ``lanes`` of them at a time, as often as the second says: the values
        of the phis behind them, and the sums."""
        build, one = Builder(block), ConstantInt(I64, 1)
        offset, count = rounds
        number = build.phi(I64, [(ConstantInt(I64, 0), before)])
        begun = {phi: build.phi(phi.type, [(start, before)]) for phi, start in starts.items()}
        added = [{phi: build.phi(start.type, [(start, before)]) for phi, start in each.items()} for each in sums]
        if self.copies or self.moved:
            self._copied: dict[Value, Value] = {}
            self._place = build.add(build.mul(number, ConstantInt(I64, lanes)), offset)
        values, totals = self._rounds(build, dict(begun.items()), [dict(each.items()) for each in added], lanes)
        following = build.add(number, one)
        number.add_incoming(following, block)
        end = build.cond_br(build.icmp("eq", following, count), out, block)
        self.ends(end)
        for phi, start in begun.items():
            start.add_incoming(values[phi], block)
        for each, total in zip(added, totals, strict=True):
            for phi, start in each.items():
                start.add_incoming(total[phi], block)
        return values, totals

    def _rounds(
        self, build: Builder, values: dict[Value, Value], sums: _Sums, lanes: int
    ) -> tuple[dict[Phi, Value], _Sums]:
        rows, type = self.rows, FOUR if lanes == LANES else DOUBLE
        phis = [phi for phi in rows.body.phis if phi not in rows.sums]
        first: dict[Value, Value] | None = None  # integers and addresses of the first of these rounds
        for _ in range(lanes):
            step = dict(values)
            for inst in rows.body.instructions:
                if self._is_integer(inst) and inst not in rows.varying:
                    step[inst] = self.rows.insert(build, inst.clone([self.alike(step, each) for each in inst.operands]))
            values = {phi: self.alike(step, phi.value_from(rows.body)) for phi in phis}
            first = first or step
        assert first is not None
        shared: dict[Value, Value] = dict(first)
        for inst in rows.body.instructions:
            if inst not in rows.varying and self._is_work(inst):
                shared[inst] = self._work(build, inst, shared, 0, type)
        changed: dict[Value, tuple[Store, Value]] = {}  # what all rows change, by its place
        found: _Sums = []
        for row, begun in enumerate(sums):
            numbers = dict(shared)
            numbers.update(begun.items())
            for inst in rows.body.instructions:
                if inst not in rows.varying or isinstance(inst, Phi) or inst in self.left_out:
                    continue
                alike = isinstance(inst, (Load, Store)) and inst.pointer not in rows.varying
                if self._is_integer(inst):
                    operands = [self._of_row(row, each, numbers) for each in inst.operands]
                    numbers[inst] = self.rows.insert(build, inst.clone(operands))
                elif isinstance(inst, Store) and alike:
                    changed[inst.pointer] = inst, self._number(build, inst.value, numbers, row, type)
                elif isinstance(inst, Load) and alike and inst.pointer in changed:
                    numbers[inst] = changed[inst.pointer][1]
                else:
                    numbers[inst] = self._work(build, inst, numbers, row, type)
                    if inst in self.moved:
                        numbers[inst] = self._with_moved(build, self.moved[inst], numbers[inst], row, type)
            found.append({phi: numbers[add] for phi, add in rows.sums.items()})
        for pointer, (store, value) in changed.items():
            self.rows.insert(build, store.clone([value, shared.get(pointer, pointer)]))
        return {phi: values[phi] for phi in phis}, found

    # values

    def _is_integer(self, inst: Instruction) -> bool:
        """Whether this is part of an address or a counter."""
        return not (inst.type.is_float or isinstance(inst, (Phi, Store, DebugRecord)) or inst.is_terminator) and not (
            declares_scope(inst)
        )

    def _is_work(self, inst: Instruction) -> bool:
        return isinstance(inst, Store) or inst.type.is_float and not isinstance(inst, Phi)

    def _of_row(self, row: int, value: Value, numbers: dict[Value, Value]) -> Value:
        return numbers[value] if self.inside(value) else self.row(row, value)

    def _number(self, build: Builder, value: Value, numbers: dict[Value, Value], row: int, type: Type) -> Value:
        if self.inside(value):
            return numbers[value]
        if isinstance(value, ConstantToken):
            return ConstantToken(type, value.keyword)
        if isinstance(value, Constant):
            return value if type is DOUBLE else ConstantAggregate(FOUR, [value], splat=True)
        return self._for_all(self.row(row, value), type)

    def _for_all(self, value: Value, type: Type) -> Value:
        """A number from in front of the body, in each lane."""
        return value if type is DOUBLE else self._splats[value]

    def _from_copy(self, build: Builder, room: Value, type: Type) -> Value:
        found = self._copied.get(room)
        if found is None:
            place = build.gep(DOUBLE, room, [self._place], flags=("inbounds",))
            found = self._copied[room] = build.load(type, place, align=8)
        return found

    def _with_moved(self, build: Builder, moved: Moved, old: Value, row: int, type: Type) -> Value:
        numbers = {load: self._from_copy(build, room, type) for load, room in moved.copies.items()}
        numbers[moved.sum.load] = old

        def number(value: Value) -> Value:
            if value in numbers:
                return numbers[value]
            if isinstance(value, Constant):
                return self._number(build, value, numbers, row, type)
            return self._for_all(moved.row(row, value), type)

        for inst in (*moved.chain, moved.sum.add):
            numbers[inst] = self.computed(build, inst, [number(each) for each in numbers_of(inst)], type)
        return numbers[moved.sum.add]

    def _work(self, build: Builder, inst: Instruction, numbers: dict[Value, Value], row: int, type: Type) -> Value:
        """A load, a store, or arithmetic."""
        if inst in self.copies:
            return self._from_copy(build, self.copies[inst], type)
        if isinstance(inst, Load):
            made = inst.clone([self._of_row(row, inst.pointer, numbers)])
            alike = not self.inside(inst.pointer)  # one and the same number in all rounds
            if not alike:
                made.type = type
            self.rows.insert(build, made)
            return build.splat(made, FOUR) if alike and type is not DOUBLE else made
        if isinstance(inst, Store):
            value = self._number(build, inst.value, numbers, row, type)
            return self.rows.insert(build, inst.clone([value, self._of_row(row, inst.pointer, numbers)]))
        operands = [self._number(build, each, numbers, row, type) for each in numbers_of(inst)]
        return self.computed(build, inst, operands, type)
