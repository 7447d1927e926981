"""Rows that several iterations read, side by side.

Where iterations run together (together.py), a number that each reads from a row of its own, ``x[i * n + j]``, is read
lane by lane. In a nest of loops that is done again for each round of the outer one. Here the rows are read once, before
all else, into scratch that has the numbers of all iterations beside each other, and the nest loads vectors.

That is for rows that begin where the parameters say, and of which one loop inside of another reads each number from the
first on, whenever the function is called: so nothing is read that would not have been, and how many numbers there are
is known in front.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, Variable, counter, widened
from enzyme.gradient.alignment import place_align
from enzyme.gradient.wide_bodies import Body, Widening
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import DOUBLE, FLOAT, I64, Type
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Constant,
    ConstantInt,
    ConstantToken,
    GetElementPtr,
    Load,
    Phi,
    Return,
    Value,
)

MOST = 1 << 16
"""Bytes of a row's numbers for all iterations: they should stay near."""
_DEPTH = 8
_PLAIN = ("add", "sub", "mul", "shl", "or", "xor", "and")


@dataclass(frozen=True)
class Row:
    """``count`` numbers of a ``type`` from ``start`` on, another address in each iteration; ``loads`` read them."""

    start: Value
    type: Type
    count: Polynomial
    loads: tuple[Load, ...]

    def most(self, lanes: int, layout: DataLayout) -> int:
        """How many numbers are not too many."""
        return MOST // (lanes * layout.size_of(self.type))

    def emit_count(self, build: Builder, call: CallBase) -> Value:
        """How many numbers there are, in front of the ``call`` for one iteration."""

        def actual(variable: Variable) -> Value:
            argument, how = variable
            assert isinstance(argument, Argument)
            return widened(build, call.args[argument.index], how)

        return self.count.emit(build, actual)

    def emit_packing(self, wide: Widening, entry: Block, into: Value, count: Value) -> Block:
        """Read the row in all lanes, behind ``entry``; returned is the block that goes on from there."""
        build, function = Builder(entry), entry.function
        assert function is not None
        starts = [self._start(wide, build, lane) for lane in range(wide.count)]
        loop, behind = function.append_block("pack"), function.append_block("packed")
        build.br(loop)
        build = Builder(loop)
        at = Phi(I64, [(ConstantInt(I64, 0), entry)], name="packed")
        loop.append(at)
        vector, align = wide.vector(self.type), place_align(wide.body.module.datalayout, self.loads[0])
        whole: Value = ConstantToken(vector, "poison")
        for lane, start in enumerate(starts):
            place = build.gep(self.type, start, [at])
            whole = build.insert_element(whole, build.load(self.type, place, align), lane)
        build.store(whole, build.gep(vector, into, [at]), align)
        following = build.add(at, ConstantInt(I64, 1), ("nuw", "nsw"))
        at.add_incoming(following, loop)
        build.cond_br(build.icmp("eq", following, count), behind, loop)
        return behind

    def _start(self, wide: Widening, build: Builder, lane: int) -> Value:
        made: dict[Value, Value] = {}

        def value(of: Value) -> Value:
            if isinstance(of, Argument):
                step = wide.body.steps.get(of, 0) * lane
                twin = wide.made.args[of.index]
                return build.add(twin, ConstantInt(of.type, step)) if step else twin
            if not isinstance(of, (BinaryOp, Cast, GetElementPtr)):
                return of
            if of not in made:
                made[of] = build.insert(of.clone([value(each) for each in of.operands]))
            return made[of]

        return value(self.start)


def find_rows(body: Body, forms: FunctionForms) -> list[Row]:
    """The rows of a function for one iteration, whose ``forms`` are given."""
    found: dict[tuple[Value, Type, Polynomial], list[Load]] = {}
    for load, start, count in _reads(body, forms):
        found.setdefault((start, load.type, count), []).append(load)
    return [Row(start, type, count, tuple(loads)) for (start, type, count), loads in found.items()]


def _reads(body: Body, forms: FunctionForms) -> Iterator[tuple[Load, Value, Polynomial]]:
    for inst in body.function.instructions():
        if not isinstance(inst, Load) or inst not in body.varying or inst.type not in (DOUBLE, FLOAT):
            continue
        place, loop = inst.pointer, forms.loops.loop_of(inst.block)
        if loop is None or loop.parent is None or body.array(place) is not None:
            continue
        if not isinstance(place, GetElementPtr) or place.source_type != inst.type or len(place.indices) != 1:
            continue
        index, start = place.indices[0], place.base
        if index in body.varying or not _is_known(start, _DEPTH) or not _always_runs(inst, loop, forms):
            continue
        if forms.integer(index) == Polynomial.variable(counter(loop)):
            count = forms.rounds(loop)
            if count is not None and all(_is_uniform(each, body) for each in count.variables):
                yield inst, start, count


def _is_uniform(variable: Variable, body: Body) -> bool:
    return isinstance(variable[0], Argument) and variable[0] not in body.varying


def _is_known(value: Value, depth: int) -> bool:
    """Whether a value is made of parameters and constants by plain arithmetic."""
    if isinstance(value, Argument):
        return True
    if isinstance(value, (BinaryOp, Cast, GetElementPtr)):
        plain = not isinstance(value, BinaryOp) or value.opcode in _PLAIN
        return plain and depth > 0 and all(_is_known(each, depth - 1) for each in value.operands)
    return isinstance(value, Constant)


def _always_runs(load: Load, loop: Loop, forms: FunctionForms) -> bool:
    """Whether each round of the loop, of which there is one at least, comes to the load whenever the function runs."""
    block = load.block
    assert block is not None
    for each in loop.ancestors():
        latch = each.latch
        if latch is None or each.exiting_blocks != [latch] or not forms.dominators.dominates(block, latch):
            return False
        block = each.header
    ends = [each for each in forms.dominators.cfg.blocks if isinstance(each.terminator, Return)]
    return all(forms.dominators.dominates(block, each) for each in ends)
