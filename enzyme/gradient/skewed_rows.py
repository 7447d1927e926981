"""Rows of a nest beside each other, each one round behind the one before, where a row waits for itself.

``for i: for j: u[i][j] = f(u[i-1][j], u[i][j-1], u[i+1][j], u[i][j+1])``, a sweep of Gauss and Seidel, hands each
number to the next one: a row takes as long as its operations one after the other, and a processor that could begin
four at a time waits. Dynamic programming (edit distances, alignments) and recursive filters over the rows of a picture
are like that. But the next row needs no more of this one than what lies up to its own place: it may begin as soon as
this one is a round ahead. Here up to four rows run at once, in the rounds t, t - 1, t - 2 and t - 3. Each number is
computed from the same numbers as before, by the same operations: results keep their bits.

That is right where nothing that a row touches in a round is touched, and by one of them written, in a round of a later
row that now comes first. Addresses are linear in the numbers of the row and of the round, so that this is a question
about distances: in front of the nest, the running program compares them with the length of a row. The first rounds,
in which the later rows have not begun, and the last ones stand in front of the loop and behind it. In the loop, rows
hand numbers to each other in registers where they can (skewed_values.py).
"""

from __future__ import annotations

import re

from enzyme.analysis.alias import ModuleSummaries
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.read_once import read_once
from enzyme.gradient.row_groups import Group, RowGroups
from enzyme.gradient.row_nests import Memory, RowNest
from enzyme.gradient.skewed_nests import Skew, find_skewed
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I64
from enzyme.ir.values import Block, ConstantInt, DebugRecord, Function, Instruction, Load, Phi, Store, Value
from enzyme.rules.known import known_callee

_DERIVED = re.compile(r"%iteration\b")
_Values = dict[Value, Value]


def with_skewed_rows(text: str) -> str | None:
    """The program with such nests changed; None where there are none. The text must have been optimised, with its loops
    simplified and in LCSSA form."""
    program = read_once(text)
    module, changed = program.module, False
    summaries = ModuleSummaries(module, known_callee)
    for function, body in program.bodies:
        if _DERIVED.search(body) is None:
            continue
        memory = Memory(function, module, summaries)
        for rows, skew in list(find_skewed(program.loops(function).loops, memory)):
            _Skewed(module, function, rows, skew).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


class _Skewed(RowGroups):
    def __init__(self, module: Module, function: Function, rows: RowNest, skew: Skew) -> None:
        super().__init__(module, function, rows, [skew.count], 2 * skew.count - 1)
        self.skew = skew

    def conditions(self, build: Builder) -> list[Value]:
        found: list[Value] = []
        for each in self.skew.distances:
            form = self.number(each.form)
            low = each.stride * each.least - each.size
            high = build.mul(self.round, ConstantInt(I64, each.stride))
            high = build.add(high, ConstantInt(I64, each.size))
            found.append(build.or_(build.icmp("sle", form, ConstantInt(I64, low)), build.icmp("sge", form, high)))
        return found

    def run(self, group: Group) -> None:
        body, count, source = self.rows.body, group.count, self.rows.ahead[-1]
        build = group.build
        rows: list[_Values] = [
            {phi: group.value(row, phi.value_from(source)) for phi in body.phis} for row in range(count)
        ]
        for last in range(count - 1):
            for row in range(last + 1):
                rows[row] = self._next(self._round(build, group, row, rows[row]))
        build.br(group.body)

        ahead, build = Builder(group.ahead, before=group.ahead.terminator), Builder(group.body)
        number = build.phi(I64, [(ConstantInt(I64, 0), group.ahead)])
        begun = [{phi: build.phi(phi.type, [(value, group.ahead)]) for phi, value in each.items()} for each in rows]
        taken: dict[tuple[int, Load | Store], Phi] = {}
        for (row, load), (_, is_before) in self.skew.handed.loads.items():
            if is_before:
                pointer = self._made(ahead, group, row, rows[row], load.pointer)
                started_with = ahead.load(load.type, pointer, load.align)
                taken[row, load] = build.phi(load.type, [(started_with, group.ahead)])
        made: list[_Values] = [{**each} for each in begun]
        for row in range(count):
            self._together(build, group, row, made, taken)
        for place, number_before in taken.items():
            (source_row, inst), _ = self.skew.handed.loads[place]
            number_before.add_incoming(self._number(group, source_row, made[source_row], inst), group.body)
        rows = [self._next(each) for each in made]
        for before, after in zip(begun, rows, strict=True):
            for phi, started in before.items():
                started.add_incoming(after[phi], group.body)
        following = build.add(number, ConstantInt(I64, 1))
        number.add_incoming(following, group.body)
        rest = self.function.append_block(Block("rows.rest"))
        rounds = build.sub(self.round, ConstantInt(I64, count - 2))
        build.cond_br(build.icmp("eq", following, rounds), rest, group.body)

        build = Builder(rest)
        for (of_row, store), is_last in self.skew.handed.dead.items():
            if is_last:
                self._copy(build, group, of_row, made[of_row], store)
        for first in range(1, count):
            for row in range(first, count):
                made[row] = self._round(build, group, row, rows[row])
                rows[row] = self._next(made[row])
        build.br(group.behind)
        for row, values in enumerate(made):
            group.made[row].update(values)

    def _round(self, build: Builder, group: Group, row: int, values: _Values) -> _Values:
        """A round of a row, from the values of the body's phis: all that it makes."""
        made = dict(values)
        for inst in self._instructions():
            self._copy(build, group, row, made, inst)
        return made

    def _together(
        self, build: Builder, group: Group, row: int, made: list[_Values], taken: dict[tuple[int, Load | Store], Phi]
    ) -> None:
        """The same in the loop, where rows hand numbers on."""
        handed = self.skew.handed
        for inst in self._instructions():
            place = row, inst
            if place in taken:
                made[row][inst] = taken[place]
            elif place in handed.loads:
                (source, other), _ = handed.loads[place]
                made[row][inst] = self._number(group, source, made[source], other)
            elif place not in handed.dead:
                self._copy(build, group, row, made[row], inst)

    def _instructions(self) -> list[Instruction]:
        return [
            inst
            for inst in self.rows.body.instructions
            if not isinstance(inst, (Phi, DebugRecord)) and not inst.is_terminator and not declares_scope(inst)
        ]

    def _copy(self, build: Builder, group: Group, row: int, made: _Values, inst: Instruction) -> None:
        operands = [made[each] if each in made else group.value(row, each) for each in inst.operands]
        made[inst] = self.rows.insert(build, inst.clone(operands))

    def _number(self, group: Group, row: int, made: _Values, inst: Load | Store) -> Value:
        """What an access has stored or loaded."""
        value = inst.value if isinstance(inst, Store) else inst
        return made[value] if value in made else group.value(row, value)

    def _made(self, build: Builder, group: Group, row: int, values: _Values, value: Value) -> Value:
        """An address of a round that is still to come."""
        if value in values or not isinstance(value, Instruction) or value.block is not self.rows.body:
            return values[value] if value in values else group.value(row, value)
        operands = [self._made(build, group, row, values, each) for each in value.operands]
        return self.rows.insert(build, value.clone(operands))

    def _next(self, made: _Values) -> _Values:
        """The values of the phis in the next round."""
        body = self.rows.body
        return {phi: made.get(value := phi.value_from(body), value) for phi in body.phis}
