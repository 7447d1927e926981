"""Emission of what linear_maps.py has found: a room of sums beside the reversed loop, and two derivatives to fill and
to use it.

The room is allocated where the loop's reversal begins, zeroed, and freed where it ends. It has a number for each
execution of each home in one iteration; that is no more than the numbers one iteration stores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Variable, widened
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.linear_maps import Edge, Home, LinearMaps
from enzyme.gradient.tape_count import TapeCounter
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64, PTR, VOID
from enzyme.ir.values import Argument, CallBase, ConstantInt, ConstantToken, Instruction, Value

if TYPE_CHECKING:
    from enzyme.gradient.augmentation import ActiveCall
    from enzyme.gradient.reverse import ReverseSweep, Site

COLLECT, APPLY = "collect", "apply"
"""The two derivatives: for all iterations but the one that is reversed last, and for that."""


def _number(value: int) -> ConstantInt:
    return ConstantInt(I64, value)


def _of_parameter(build: Builder, parameter: Callable[[Argument], Value], variable: Variable) -> Value:
    argument, how = variable
    assert isinstance(argument, Argument)
    return widened(build, parameter(argument), how)


def _bytes(build: Builder, home: Home, size: int, parameter: Callable[[Argument], Value]) -> Value:
    """What the sums of one home take."""
    total: Value = _number(size)
    for form in home.rounds:
        rounds = form.emit(build, lambda each: _of_parameter(build, parameter, each))
        none = build.icmp("slt", rounds, _number(0))  # of a loop that is not entered
        total = build.mul(total, build.select(none, _number(0), rounds))
    return build.and_(build.add(total, _number(7)), _number(-8))


class Sums:
    """The room, as a derivative of the function sees it; ``way`` says which of the two that is."""

    def __init__(self, sweep: ReverseSweep, maps: LinearMaps, way: str, room: Value) -> None:
        self.sweep, self.maps, self.way, self.room = sweep, maps, way, room
        self.homes = maps.homes
        self.layout = sweep.subject.module.datalayout

    def is_silent(self, inst: Instruction) -> bool:
        """Whether a store takes nothing in this derivative."""
        return self.way == COLLECT and inst in self.maps.silent

    def collect(self, site: Site, inst: Instruction, amount: Value) -> None:
        """Add what a store has taken to the sum of its execution, if it is a home."""
        home = next((each for each in self.homes if each.store is inst), None)
        if self.way == COLLECT and home is not None:
            build = site.build
            address = build.offset(self._start(site, home), self._row(site, home, len(home.loops)))
            align = self._align(home)
            old = build.load(home.type, address, align)
            build.store(build.fadd(old, amount, ("nsz",)), address, align)

    def adjoint(self, site: Site, inst: Instruction, index: int, adjoint: Value) -> Value | None:
        """What a product hands to an operand's side, before it is multiplied; None: nothing in this derivative."""
        edge = self.maps.edges.get((inst, index))
        if edge is None:
            return adjoint
        if self.way == COLLECT:
            return None
        build = site.build
        total = build.load(edge.home.type, self._place(site, edge), self._align(edge.home))
        return (build.fadd if edge.sign > 0 else build.fsub)(adjoint, total, ("nsz",))

    def _place(self, site: Site, edge: Edge) -> Value:
        home, build = edge.home, site.build
        start = self._start(site, home)
        if edge.at is None:
            return build.offset(start, self._row(site, home, len(home.loops)))
        around = len(home.loops) - 1
        row = build.mul(self._row(site, home, around), self._rounds(site, home, around))
        assert edge.array is not None
        here, array = (
            build.cast("ptrtoint", each, I64)
            for each in (self.sweep.primal(site, edge.at), self.sweep.arguments[self.sweep.copy.of(edge.array)])
        )
        begin = edge.first.emit(build, lambda each: self._variable(site, each))
        return build.offset(start, build.add(row, build.sub(build.sub(here, array), begin)))

    def _variable(self, site: Site, variable: Variable) -> Value:
        loop, _ = variable
        if isinstance(loop, Loop):
            return self.sweep.lookup(site, self.sweep.copy.counters[loop])
        return _of_parameter(site.build, self._parameter, variable)

    def _parameter(self, argument: Argument) -> Value:
        return self.sweep.arguments[self.sweep.copy.of(argument)]

    def _start(self, site: Site, home: Home) -> Value:
        start = self.room
        for each in self.homes[: self.homes.index(home)]:
            start = site.build.offset(start, _bytes(site.build, each, self._size(each), self._parameter))
        return start

    def _size(self, home: Home) -> int:
        return self.layout.size_of(home.type)

    def _align(self, home: Home) -> int:
        """The room is aligned for numbers, not for vectors of them."""
        return self.layout.abi_align(home.type.scalar)

    def _rounds(self, site: Site, home: Home, depth: int) -> Value:
        return home.rounds[depth].emit(site.build, lambda each: self._variable(site, each))

    def _row(self, site: Site, home: Home, depth: int) -> Value:
        """The bytes in front of what the outer ``depth`` loops of a home count, as if there were no others."""
        build = site.build
        total: Value = _number(0)
        for index, loop in enumerate(home.loops[:depth]):
            counter = self.sweep.lookup(site, self.sweep.copy.counters[loop])
            total = build.add(build.mul(total, self._rounds(site, home, index)), counter) if index else counter
        return build.mul(total, _number(self._size(home)))


def call_with_room(sweep: ReverseSweep, inst: CallBase, call: ActiveCall, site: Site, operands: list[Value]) -> Value:
    """Call the derivative that uses the room in the first iteration of the loop, which is reversed last, and in the
    others the one that fills it."""
    loop = sweep.subject.loops.loop_of(inst.block)
    assert loop is not None and call.maps is not None and call.last is not None
    state, build = sweep.loops[loop], site.build
    slot = entry_slot(sweep.slots_block, PTR, ConstantToken(PTR, "null"), "sums")
    maps, layout = call.maps, sweep.subject.module.datalayout
    counted = TapeCounter(sweep.engine)

    def enter(outside: Site) -> None:
        def parameter(argument: Argument) -> Value:
            return sweep.primal(outside, inst.args[argument.index])

        total: Value = _number(0)
        for home in maps.homes:
            total = outside.build.add(total, _bytes(outside.build, home, layout.size_of(home.type), parameter))
        room = outside.build.call(sweep.engine.heap("calloc"), [total, _number(1)], name="sums")
        counted.take(outside.build, room)
        outside.build.store(room, slot)

    def leave(outside: Builder) -> None:
        room = outside.load(PTR, slot)
        counted.give(outside, room)
        outside.call(sweep.engine.heap("free"), [room])

    state.entering.append(enter)
    state.leaving.append(leave)
    operands = [*operands, build.load(PTR, slot)]
    last = build.icmp("eq", build.load(I64, state.counter), _number(0))
    apply, collect, behind = (sweep.function.append_block(f"sums.{name}") for name in (APPLY, COLLECT, "done"))
    build.cond_br(last, apply, collect)
    made = []
    for block, function in ((apply, call.last), (collect, call.reverse)):
        here = Builder(block)
        made.append((here.call(function, operands), block))
        here.br(behind)
    build.block = behind
    return made[0][0] if call.reverse.result_type is VOID else build.phi(call.reverse.result_type, made)
