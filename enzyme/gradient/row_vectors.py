"""The inner loop of several rows in vectors: each lane of four numbers is a row (rows_beside.py).

Two rounds are run at a time. What a row reads in both is loaded at once; those of four rows become two vectors, one for
each round, in which the rows lie side by side: ``(a0 a1) (b0 b1) (c0 c1) (d0 d1)`` is made ``(a0 b0 c0 d0)`` and
``(a1 b1 c1 d1)``. What is the same for all rows is in all lanes. So a row's numbers are added up in their order, as
before, and four additions are one.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.row_lanes import FOUR, LANES, RowLanes
from enzyme.gradient.row_nests import RowNest, numbers_of
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import DOUBLE, I1, I64, VectorType
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
    Value,
)

_TWO = VectorType(2, DOUBLE)
Quads = list[Value]
"""A number of each row, four rows in each vector."""


class RowVectors(RowLanes):
    """Two rounds at a time, and the last of an odd number of them. While a round is being made, ``made`` has addresses
    as well."""

    def __init__(
        self, module: Module, rows: RowNest, count: int, row: Callable[[int, Value], Value], last: Value
    ) -> None:
        super().__init__(module, rows, count, row, last)
        self._outside: dict[Value, Quads] = {}

    def emit(self, ahead: Block, body: Block, middle: Block, single: Block, behind: Block) -> None:
        rows, build = self.rows, Builder(ahead)
        one, source = ConstantInt(I64, 1), rows.ahead[-1]
        rounds = build.add(self.last, one)
        pairs, odd = build.lshr(rounds, one), build.trunc(rounds, I1)
        starts = {phi: self.row(0, phi.value_from(source)) for phi in self._alike()}
        sums = {phi: self._vectors(build, phi.value_from(source)) for phi in rows.sums}
        for inst in self._numbers():
            for each in numbers_of(inst):
                if not self.inside(each):
                    self._vectors(build, each)
        self.taken()
        build.cond_br(build.icmp("eq", pairs, ConstantInt(I64, 0)), middle, body)

        build = Builder(body)
        number = build.phi(I64, [(ConstantInt(I64, 0), ahead)])
        begun = {phi: build.phi(phi.type, [(start, ahead)]) for phi, start in starts.items()}
        added = {phi: [build.phi(FOUR, [(each, ahead)]) for each in quads] for phi, quads in sums.items()}
        steps, totals = self._rounds(build, dict(begun.items()), {phi: [*quads] for phi, quads in added.items()}, 2)
        following = build.add(number, one)
        number.add_incoming(following, body)
        end = build.cond_br(build.icmp("eq", following, pairs), middle, body)
        self.ends(end)
        for phi, value in begun.items():
            value.add_incoming(self.alike(steps[-1], phi.value_from(rows.body)), body)
        for phi, quads in added.items():
            for vector, total in zip(quads, totals[phi], strict=True):
                vector.add_incoming(total, body)

        build = Builder(middle)
        after: dict[Value, Value] = {
            phi: build.phi(phi.type, [(start, ahead), (self.alike(steps[-1], phi.value_from(rows.body)), body)])
            for phi, start in starts.items()
        }
        used = [inst for inst in rows.body.instructions if inst not in rows.varying and self._is_used_behind(inst)]
        left = {
            inst: build.phi(inst.type, [(ConstantToken(inst.type, "poison"), ahead), (steps[-1][inst], body)])
            for inst in used
        }
        sums = {
            phi: [
                build.phi(FOUR, [(start, ahead), (total, body)])
                for start, total in zip(sums[phi], totals[phi], strict=True)
            ]
            for phi in sums
        }
        build.cond_br(odd, single, behind)

        build = Builder(single)
        (step,), totals = self._rounds(build, after, sums, 1)
        build.br(behind)

        build = Builder(behind)
        for inst in used:
            self.shared[inst] = build.phi(inst.type, [(left[inst], middle), (step[inst], single)])
        ends = {
            phi: [
                build.phi(FOUR, [(even, middle), (total, single)])
                for even, total in zip(sums[phi], totals[phi], strict=True)
            ]
            for phi in sums
        }
        for phi, add in rows.sums.items():
            for row in range(self.count):
                self.made[row][add] = build.extract_element(ends[phi][row // LANES], row % LANES)

    # what there is

    def _alike(self) -> list[Phi]:
        return [phi for phi in self.rows.body.phis if phi not in self.rows.varying]

    def _numbers(self) -> list[Instruction]:
        """What becomes vectors, but for the sums' phis."""
        rows = self.rows
        return [
            inst
            for inst in rows.body.instructions
            if inst in rows.varying and inst.type is DOUBLE and not isinstance(inst, Phi)
        ]

    def _is_used_behind(self, inst: Instruction) -> bool:
        return any(isinstance(user, Instruction) and user.block is not self.rows.body for user in inst.users)

    def _vectors(self, build: Builder, value: Value) -> Quads:
        """A value from in front of the body."""
        found = self._outside.get(value)
        if found is None:
            found = []
            for first in range(0, self.count, LANES):
                lanes = [self.row(row, value) for row in range(first, first + LANES)]
                if isinstance(value, ConstantToken):
                    found.append(ConstantToken(FOUR, value.keyword))
                elif isinstance(value, Constant):
                    found.append(ConstantAggregate(FOUR, [value], splat=True))
                elif all(each is lanes[0] for each in lanes):
                    found.append(build.splat(lanes[0], FOUR))
                else:
                    found.append(self._joined(build, lanes))
            self._outside[value] = found
        return found

    def _joined(self, build: Builder, lanes: list[Value]) -> Value:
        whole: Value = ConstantToken(FOUR, "poison")
        for lane, each in enumerate(lanes):
            whole = build.insert_element(whole, each, lane)
        return whole

    # rounds

    def _rounds(
        self, build: Builder, values: dict[Value, Value], sums: dict[Phi, Quads], count: int
    ) -> tuple[list[dict[Value, Value]], dict[Phi, Quads]]:
        """One or two rounds, from the values of the phis: what they make for all rows, and the sums."""
        rows, steps = self.rows, list[dict[Value, Value]]()
        for _ in range(count):
            step = dict(values)
            for inst in rows.body.instructions:
                if (
                    inst in rows.varying
                    or inst.is_terminator
                    or isinstance(inst, (Phi, DebugRecord))
                    or declares_scope(inst)
                ):
                    continue
                step[inst] = self.rows.insert(build, inst.clone([self.alike(step, each) for each in inst.operands]))
            steps.append(step)
            values = {phi: self.alike(step, phi.value_from(rows.body)) for phi in self._alike()}
        read = self._read(build, steps)
        for step, loaded in zip(steps, read, strict=True):
            numbers: dict[Value, Quads] = {**loaded}
            numbers.update(sums.items())
            for inst in self._numbers():
                if not isinstance(inst, Load):
                    operands = zip(*self._operands(build, inst, step, numbers), strict=True)
                    numbers[inst] = [self.computed(build, inst, [*each], FOUR) for each in operands]
            sums = {phi: numbers[add] for phi, add in rows.sums.items()}
        return steps, sums

    def _read(self, build: Builder, steps: list[dict[Value, Value]]) -> list[dict[Value, Quads]]:
        """What each row reads, in each round."""
        rows, found = self.rows, [dict[Value, Quads]() for _ in steps]
        for inst in rows.body.instructions:
            if inst not in rows.varying or isinstance(inst, Phi) or inst.type.is_float and not isinstance(inst, Load):
                continue
            parts: list[Value] = []
            for made, row in zip(self.made, range(self.count), strict=True):
                operands = [self._of_row(row, each, steps[0]) for each in inst.operands]
                clone = inst.clone(operands)
                if isinstance(inst, Load) and len(steps) == 2:
                    clone.type = _TWO
                made[inst] = self.rows.insert(build, clone)
                parts.append(made[inst])
            if isinstance(inst, Load):
                for first in range(0, self.count, LANES):
                    for into, quad in zip(found, self._abreast(build, parts[first : first + LANES]), strict=True):
                        into.setdefault(inst, []).append(quad)
        return found

    def _of_row(self, row: int, value: Value, step: dict[Value, Value]) -> Value:
        """Part of an address."""
        if not self.inside(value):
            return self.row(row, value)
        return self.made[row][value] if value in self.rows.varying else step[value]

    def _abreast(self, build: Builder, parts: list[Value]) -> list[Value]:
        """The numbers of four rows side by side, for each round."""
        if parts[0].type is DOUBLE:
            return [self._joined(build, parts)]
        a, b, c, d = parts
        even, other = build.shuffle(a, (0, 1, 2, 3), c), build.shuffle(b, (0, 1, 2, 3), d)
        return [build.shuffle(even, (first, first + 4, first + 2, first + 6), other) for first in (0, 1)]

    def _operands(
        self, build: Builder, inst: Instruction, step: dict[Value, Value], numbers: dict[Value, Quads]
    ) -> list[Quads]:
        """What a number is computed from; what all rows have alike is put into all lanes."""
        found: list[Quads] = []
        for value in numbers_of(inst):
            if not self.inside(value):
                found.append(self._outside[value])
                continue
            if value not in numbers:
                numbers[value] = [build.splat(step[value], FOUR)] * (self.count // LANES)
            found.append(numbers[value])
        return found
