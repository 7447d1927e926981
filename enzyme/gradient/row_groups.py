"""Groups of rows of a nest that run beside each other: what both ways to do so are emitted with (rows_beside.py and
skewed_rows.py).

What stands in front of the inner loop is run for all of the rows first, then the inner loops, then what stands behind
them, row by row. The nest as it was is run for the rows that are left, and for all of them where what the running
program asks in front of the nest does not hold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from enzyme.analysis.polynomials import Polynomial
from enzyme.analysis.symbolic import emit_sym
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.nest_checks import NestChecks
from enzyme.gradient.row_nests import RowNest
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I1, I64
from enzyme.ir.values import (
    Block,
    Branch,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    Function,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
)


class RowGroups(ABC):
    """A nest of which ``sizes`` rows at a time run beside each other, as long as there are so many left."""

    def __init__(self, module: Module, function: Function, rows: RowNest, sizes: Sequence[int], rounds: int) -> None:
        self.module, self.function, self.rows = module, function, rows
        self.sizes, self.rounds = sizes, rounds
        self._numbers: dict[Polynomial, Value] = {}

    @abstractmethod
    def run(self, group: Group) -> None:
        """The inner loops of a group, from ``group.ahead`` to ``group.behind``."""

    def conditions(self, build: Builder) -> list[Value]:
        """What must hold besides what the nest asks for."""
        return []

    def emit(self) -> None:
        outer = self.rows.outer
        preheader, head, out = outer.preheader, outer.header, self.rows.nest.shape.exit
        assert preheader is not None and preheader.terminator is not None
        state = self.state()
        values = state.values
        preheader.remove(preheader.terminator)
        checks = self.function.append_block(Block("rows.checks"))
        build = Builder(preheader)
        build.cond_br(self.enough(build), checks, head)
        for phi in head.phis:
            phi.add_incoming(values[phi], checks)
        build = Builder(checks)
        good = self.good(build)
        state.left = build.add(self.last, ConstantInt(I64, 1))
        source = self.function.append_block(Block("rows.test"))
        build.cond_br(good, source, head)
        for size in self.sizes:
            state, source = Group(self, size).emit(source, state)
        build = Builder(source)
        build.cond_br(build.icmp("eq", state.left, ConstantInt(I64, 0)), out, head)
        for phi, value in state.results.items():
            phi.add_incoming(value, source)
        for phi in head.phis:
            phi.add_incoming(state.values[phi], source)

    def state(self) -> State:
        """What there is in front of the nest; it is not known yet how many rows there are."""
        outer, preheader = self.rows.outer, self.rows.outer.preheader
        assert preheader is not None
        values: dict[Phi, Value] = {phi: phi.value_from(preheader) for phi in outer.header.phis}
        results = {phi: ConstantToken(phi.type, "poison") for phi in self.rows.nest.shape.exit.phis}
        return State(ConstantInt(I64, 0), values, dict(results.items()))

    def enough(self, build: Builder) -> Value:
        """Whether there are rows, and rounds, for a group; ``last`` and ``round`` are the numbers of the last ones."""
        rows = self.rows
        self.last = emit_sym(rows.nest.outer_count, build)
        enough = build.icmp("uge", self.last, ConstantInt(I64, self.sizes[-1] - 1))
        self.round = self._numbers[rows.nest.length] = rows.nest.length.emit(build)
        if self.rounds:
            enough = build.and_(enough, build.icmp("uge", self.round, ConstantInt(I64, self.rounds)))
        return enough

    def good(self, build: Builder) -> Value:
        """Whether all holds that the nest asks for."""
        self.entry = build
        self.checks = NestChecks(self.rows.nest, build, self.number, self.last)
        good = self.checks.all()
        for condition, enters in self.rows.guards:
            good = build.and_(good, condition if enters else build.xor(condition, ConstantInt(I1, 1)))
        for condition in self.conditions(build):
            good = build.and_(good, condition)
        return good

    def number(self, form: Polynomial) -> Value:
        """A form without counters, made in front of the nest."""
        found = self._numbers.get(form)
        if found is None:
            found = self._numbers[form] = form.emit(self.entry)
        return found


@dataclass
class State:
    """Between groups: how many rows are ``left``, ``values`` of the outer loop's phis, and the ``results``: those of
    the phis behind the nest where no row is left."""

    left: Value
    values: dict[Phi, Value]
    results: dict[Phi, Value]

    def either(self, source: Block, other: State, other_source: Block, build: Builder) -> State:
        """This state behind one block, the other behind another."""

        def both(mine: dict[Phi, Value], others: dict[Phi, Value]) -> dict[Phi, Value]:
            return {
                phi: build.phi(phi.type, [(value, source), (others[phi], other_source)]) for phi, value in mine.items()
            }

        left = build.phi(self.left.type, [(self.left, source), (other.left, other_source)])
        return State(left, both(self.values, other.values), both(self.results, other.results))


class Group:
    """A loop over groups of ``count`` rows, as long as there are as many left."""

    def __init__(self, groups: RowGroups, count: int) -> None:
        self.groups, self.rows, self.count = groups, groups.rows, count
        blocks = [groups.function.append_block(Block(f"rows.{name}")) for name in ("ahead", "body", "behind")]
        self.ahead, self.body, self.behind = blocks
        self.build = Builder(self.ahead)
        self.made: list[dict[Value, Value]] = [{} for _ in range(count)]
        self.shared: dict[Value, Value] = {}

    def emit(self, test: Block, state: State) -> tuple[State, Block]:
        """From what there is in the block in front to what there is in the one behind."""
        limit = ConstantInt(I64, self.count)
        following = self.groups.function.append_block(Block("rows.next"))
        front = Builder(test)
        front.cond_br(front.icmp("uge", state.left, limit), self.ahead, following)
        rest = self.build.phi(I64, [(state.left, test)])
        firsts = self.begin(self.build, test, state)
        self.copy_rows()
        build = self.build
        now = build.sub(rest, limit)
        rest.add_incoming(now, self.behind)
        ended = self.end(self.behind, firsts, state)
        build.cond_br(build.icmp("uge", now, limit), self.ahead, following)
        ended.left = now
        return state.either(test, ended, self.behind, Builder(following)), following

    def begin(self, build: Builder, source: Block, state: State) -> dict[Phi, Phi]:
        """The values with which each group begins, made in the block that all of them begin with."""
        firsts = {phi: build.phi(phi.type, [(value, source)]) for phi, value in state.values.items()}
        self.made[0].update(firsts.items())
        return firsts

    def copy_rows(self) -> None:
        rows = self.rows
        for row in range(self.count):
            for phi in rows.needed:
                self.made[row][phi] = self.value(row, phi)
            for block in rows.ahead:
                self._copy(row, block)
        self.groups.run(self)
        self.build = Builder(self.behind)
        for row in range(self.count):
            for block in rows.behind:
                self._copy(row, block)

    def end(self, source: Block, firsts: dict[Phi, Phi], state: State) -> State:
        """What there is behind a group; from ``source`` the next one begins with it."""
        latch, last = self.rows.behind[-1], self.count - 1
        values: dict[Phi, Value] = {phi: self.value(last, phi.value_from(latch)) for phi in firsts}
        for phi, first in firsts.items():
            first.add_incoming(values[phi], source)
        return State(state.left, values, {phi: self.value(last, phi.value_from(latch)) for phi in state.results})

    def value(self, row: int, value: Value) -> Value:
        rows = self.rows
        if not isinstance(value, Instruction) or value.block not in rows.outer.blocks:
            return value
        if value.block is rows.body and value not in rows.varying:
            return self.shared[value]
        made = self.made[row]
        found = made.get(value)
        if found is None:
            if isinstance(value, Phi) and value.block is rows.outer.header:
                found = self.value(row - 1, value.value_from(rows.behind[-1]))
            elif isinstance(value, Phi):
                found = self.value(row, value.value_from(self._before(value)))
            else:
                assert not isinstance(value, (Load, Store)) and value.block is not rows.body, value
                found = self.clone(row, value)
            made[value] = found
        return found

    def _before(self, phi: Phi) -> Block:
        """The block from which a row comes to that of a phi around the body."""
        way = [*self.rows.ahead, self.rows.body, *self.rows.behind]
        assert phi.block is not None
        return way[way.index(phi.block) - 1]

    def clone(self, row: int, inst: Instruction) -> Instruction:
        return self.rows.insert(self.build, inst.clone([self.value(row, each) for each in inst.operands]))

    def _copy(self, row: int, block: Block) -> None:
        made = self.made[row]
        for inst in block.instructions:
            if not isinstance(inst, (Phi, DebugRecord, Branch)) and not declares_scope(inst) and inst not in made:
                made[inst] = self.clone(row, inst)
