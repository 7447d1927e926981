"""Two nests over the same rows, one behind the other, take a few rows at a time through both.

``y = M x``, and then ``x += M^T y``: each is a loop over the rows of M, and so are the loops of their reverse sweep, in
which rows of the adjoint of M are added to as well. A matrix that does not stay in the nearest cache comes from further
away in each of the nests. But what the second one does with a row needs no more than what the first one has found out
of that row, and both may be done with four rows before they begin with the next. And where both add to the same numbers
of a row, these are loaded and stored once, in the second one, which adds both amounts.

In the second nest, rows add to what the first one still reads, as to x above. Then the first nest reads a copy, which
is made in front of both. All other things that the nests touch, and one of them writes, must either be rows of the same
place in both, or lie apart, for which the running program compares addresses. Each number is computed from the same
numbers as before, by the same operations, in the same order. The nests as they were are run where what is asked in
front of them does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from enzyme.analysis.alias import ModuleSummaries
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import INNER, OUTER
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.nests import Access
from enzyme.gradient.read_once import read_once
from enzyme.gradient.row_groups import Group, State
from enzyme.gradient.row_lanes import RowLanes
from enzyme.gradient.row_nests import Memory, RowNest, find_rows, numbers_of, place_of, settle
from enzyme.gradient.row_updates import Moved, RowUpdates
from enzyme.gradient.rows_beside import Beside
from enzyme.gradient.sums import Sum, find_sums, is_arithmetic, is_fused
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMCPY
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import DOUBLE, I1, I8, I64, ArrayType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    CallBase,
    ConstantInt,
    ConstantToken,
    DebugRecord,
    Function,
    Instruction,
    Load,
    Phi,
    Store,
    UnaryOp,
    Value,
    is_speculatable,
)
from enzyme.rules.known import known_callee

ROOM = 1024
"""Numbers of a row of which a copy is made, at most: four longer rows would not stay in the nearest cache."""
_LEAST = 12
"""Rounds of the inner loops. With 10, where all is in the nearest cache, it takes 1.04 of the time, with 12 0.97."""
_MOST_COPIES = 2
_LONGEST = 6
"""Instructions that make an amount."""
_MOST_PAIRS = 24
_DERIVED = re.compile(r"%iteration\b")


@dataclass
class _Pair:
    """``between``: what is computed behind the first nest and needs nothing of it; ``copied``: loads of the first one
    of what the second one changes; ``apart``: what must not overlap; ``moved``: what the first one adds to what the
    second one loads, and what makes the amounts."""

    first: RowNest
    second: RowNest
    between: list[Instruction]
    copied: dict[Load, Access] = field(default_factory=dict)
    apart: list[tuple[Access, Access]] = field(default_factory=list)
    moved: dict[Load, tuple[Sum, list[Instruction]]] = field(default_factory=dict)


def with_shared_rows(text: str) -> str | None:
    """The program with such nests changed; None where there are none. The text must have been optimised, with its loops
    simplified and in LCSSA form."""
    program = read_once(text)
    module, changed = program.module, False
    summaries = ModuleSummaries(module, known_callee)
    for function, body in program.bodies:
        if _DERIVED.search(body) is None:
            continue
        memory = Memory(function, module, summaries)
        for pair in list(_find_pairs(program.loops(function).loops, memory)):
            _Shared(module, function, pair).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


def _find_pairs(loops: Iterable[Loop], memory: Memory) -> Iterator[_Pair]:
    nests = {rows.outer.preheader: rows for rows in find_rows(loops, memory, updates=True)}
    taken: set[Block | None] = set()
    for preheader, first in nests.items():
        way = [] if preheader in taken else _way(first.nest.shape.exit, nests)
        pair = _read(first, nests[way[-1]], way, memory) if way else None
        if pair is not None:
            taken.add(way[-1])
            yield pair


def _way(block: Block, ends: dict[Block | None, RowNest]) -> list[Block]:
    """The blocks from one on up to the next of ``ends``, if nothing else leads there; else none."""
    way: list[Block] = []
    while len(block.predecessors) == 1 and len(block.successors) == 1 and block not in way:
        way.append(block)
        if block in ends:
            return way
        block = block.successors[0]
    return []


def _read(first: RowNest, second: RowNest, way: list[Block], memory: Memory) -> _Pair | None:
    between = _between(first, second, way)
    if between is None or not _share(first, second, memory):
        return None
    pair = _Pair(first, second, between)
    if not _are_ordered(pair, memory):
        return None
    pair.moved = dict(_moved(pair, memory))
    if any(declares_scope(inst) for block in way for inst in block.instructions):
        second.scoped = True  # they begin behind the first nest
    return pair


def _between(first: RowNest, second: RowNest, way: list[Block]) -> list[Instruction] | None:
    """What is computed on the way from values in front of the first nest; None where the second one needs more, or more
    is done than to compute."""
    late: set[Value] = {inst for block in first.outer.blocks for inst in block.instructions}
    early: list[Instruction] = []
    for block in way:
        for inst in block.instructions:
            if isinstance(inst, (DebugRecord, Branch)) or declares_scope(inst):
                continue
            pure = is_speculatable(inst)
            if not pure and not isinstance(inst, Phi) and not (isinstance(inst, CallBase) and is_arithmetic(inst)):
                return None
            if isinstance(inst, Phi) or any(each in late for each in inst.operands):
                late.add(inst)
            else:
                early.append(inst)
    needed = (each for block in second.outer.blocks for inst in block.instructions for each in inst.operands)
    return None if any(each in late for each in needed) else early


def _accesses(rows: RowNest) -> list[Load | Store]:
    blocks = (*rows.ahead, rows.body, *rows.behind)
    return [inst for block in blocks for inst in block.instructions if isinstance(inst, (Load, Store))]


def _place(rows: RowNest, inst: Load | Store, memory: Memory) -> Access | None:
    rows.nest.forms.assume = True
    found = place_of(inst, rows.nest.forms, rows.body, memory.module.datalayout)
    return found if settle(rows.nest, rows.body) else None


def _share(first: RowNest, second: RowNest, memory: Memory) -> bool:
    """Whether both touch the same rows of something."""
    places = [
        [
            found
            for inst in _accesses(rows)
            if inst.block is rows.body and (found := _place(rows, inst, memory)) is not None
            if found.form.degree(OUTER) and found.form.degree(INNER)
        ]
        for rows in (first, second)
    ]
    return any(a.same_place(b) for a in places[0] for b in places[1])


def _are_ordered(pair: _Pair, memory: Memory) -> bool:
    """Whether rows of the second nest may be run in front of later ones of the first, and what is to be asked."""
    first, second = pair.first, pair.second
    apart: dict[tuple[Value, Value], tuple[Access, Access]] = {}
    parent = first.outer.parent
    for a in _accesses(first):
        for b in _accesses(second):
            if not isinstance(a, Store) and not isinstance(b, Store) or (a.pointer, b.pointer) in apart:
                continue
            pointers = memory.pointers
            if pointers.apart_at_any_offset(pointers.location(a), pointers.location(b)):
                continue
            if parent is not None and pointers.apart_in(parent, a, b):
                continue
            mine, other = _place(first, a, memory), _place(second, b, memory)
            if mine is None or other is None:
                return False
            if not mine.same_place(other):
                forms = first.nest.forms
                roots = [forms.from_base(each.base)[0] for each in (mine, other)]
                if roots[0] is roots[1] and not (mine.form.degree(INNER) or other.form.degree(INNER)):
                    return False  # numbers of one array, each for a row, which hardly are apart
                apart[a.pointer, b.pointer] = mine, other
            elif not _apart_by_row(first, second, mine, other):
                if not _may_copy(first, mine, memory):
                    return False
                assert isinstance(a, Load)
                pair.copied[a] = mine
    pair.apart = list(apart.values())
    return len(apart) <= _MOST_PAIRS and len(pair.copied) <= _MOST_COPIES


def _apart_by_row(first: RowNest, second: RowNest, a: Access, b: Access) -> bool:
    """Whether what two rows touch of one and the same lies apart, as the nests ask for or as is seen."""
    if a.inst.block is first.body and b.inst.block is second.body:
        asked = {each.inst.pointer for rows in (first, second) for each in rows.nest.apart_rows}
        return a.inst.pointer in asked or b.inst.pointer in asked
    step = a.form.factor(OUTER).constant
    return not a.form.degree(INNER) and step is not None and abs(step) >= max(a.size, b.size)


def _may_copy(rows: RowNest, access: Access, memory: Memory) -> bool:
    """Whether this loads numbers side by side, the same in each row."""
    if not isinstance(access.inst, Load) or access.inst.block is not rows.body or access.inst in rows.varying:
        return False
    by = access.form.factor(INNER).constant
    size = memory.module.datalayout.size_of(DOUBLE)
    return access.inst.type is DOUBLE and by == size and not access.form.degree(OUTER)


def _moved(pair: _Pair, memory: Memory) -> Iterator[tuple[Load, tuple[Sum, list[Instruction]]]]:
    """What the first nest adds to numbers that the second one loads, where that may as well be done there."""
    first, second = pair.first, pair.second
    mine, others = ([(each, _place(rows, each, memory)) for each in _accesses(rows)] for rows in (first, second))
    for sum in find_sums(first.body):
        place = _place(first, sum.store, memory)
        chain = _chain(pair, sum.amount)
        if place is None or chain is None or not place.form.degree(OUTER) or sum.store not in first.varying:
            continue
        here = ([inst for inst, at in each if at is not None and at.same_place(place)] for each in (mine, others))
        same, other = here
        if set(same) == {sum.load, sum.store} and len(other) == 2 and isinstance(other[1], Store):
            if isinstance(other[0], Load) and other[0].type is DOUBLE and other[0].block is second.body:
                yield other[0], (sum, chain)


def _chain(pair: _Pair, amount: Value) -> list[Instruction] | None:
    """The instructions of the first body that make a number of copied ones and of what is in front of the body."""
    body, chain = pair.first.body, dict[Instruction, None]()
    work = [amount]
    while work:
        value = work.pop()
        if not isinstance(value, Instruction) or value.block is not body or value in pair.copied:
            continue
        plain = isinstance(value, (BinaryOp, UnaryOp)) or is_fused(value)
        if not plain or value.type is not DOUBLE or len(chain) == _LONGEST:
            return None
        chain[value] = None
        work += numbers_of(value)
    return [inst for inst in body.instructions if inst in chain]


class _Nest(Beside):
    """One nest of a pair."""

    def __init__(self, module: Module, function: Function, rows: RowNest) -> None:
        super().__init__(module, function, rows)
        self.rounds = _LEAST - 1
        self.copies: Mapping[Value, Value] = {}
        self.left_out: Collection[Instruction] = ()
        self.moved: Mapping[Value, Moved] = {}

    def prepare(self, vectors: RowLanes) -> None:
        assert isinstance(vectors, RowUpdates)
        vectors.copies, vectors.left_out, vectors.moved = self.copies, self.left_out, self.moved


class _Shared:
    def __init__(self, module: Module, function: Function, pair: _Pair) -> None:
        self.module, self.function, self.pair = module, function, pair
        self.nests = _Nest(module, function, pair.first), _Nest(module, function, pair.second)

    def emit(self) -> None:
        pair, function, nests = self.pair, self.function, self.nests
        front, between = pair.first.outer.preheader, pair.second.outer.preheader
        assert front is not None and front.terminator is not None and between is not None
        self._move_between(front)
        room = ArrayType(ROOM, DOUBLE)
        rooms: dict[Value, Value] = {load: entry_slot(function.entry, room, None, "rows.copy") for load in pair.copied}
        nests[0].copies, nests[0].left_out = rooms, {sum.store for sum, _ in pair.moved.values()}
        states = [each.state() for each in nests]
        front.remove(front.terminator)
        checks, source, rest = (function.append_block(Block(f"rows.{name}")) for name in ("checks", "test", "rest"))

        build = Builder(front)
        enough = build.and_(nests[0].enough(build), nests[1].enough(build))
        for one, other in ((each.last for each in nests), (each.round for each in nests)):
            enough = build.and_(enough, build.icmp("eq", one, other))
        rounds = nests[0].round
        if rooms:
            enough = build.and_(enough, build.icmp("ult", rounds, ConstantInt(I64, ROOM)))
        build.cond_br(enough, checks, rest)

        build = Builder(checks)
        good = build.and_(nests[0].good(build), nests[1].good(build))
        for a, b in pair.apart:
            nests[0].checks.apart(a, b, nests[1].checks)
        build.cond_br(build.and_(good, nests[0].checks.taken()), source, rest)

        build = Builder(source)
        for load, access in pair.copied.items():
            self._copy(build, rooms[load], access, build.add(rounds, ConstantInt(I64, 1)))
        states[0].left = build.add(nests[0].last, ConstantInt(I64, 1))
        for size in (*nests[0].sizes, 1):  # none is left: the first nest as it was would read what is changed by now
            states, source = self._loop(source, states, size)
        Builder(source).br(rest)

        build = Builder(rest)
        done = build.phi(I1, [(ConstantInt(I1, value), each) for value, each in ((0, front), (0, checks), (1, source))])
        for state in states:
            for phi, value in state.results.items():
                nothing = ConstantToken(phi.type, "poison")
                state.results[phi] = build.phi(phi.type, [(nothing, front), (nothing, checks), (value, source)])
        assert between.terminator is not None
        between.remove(between.terminator)
        self._enter(pair.first, front, rest, done, states[0])
        self._enter(pair.second, between, between, done, states[1])

    def _enter(self, rows: RowNest, before: Block, block: Block, done: Value, state: State) -> None:
        """From a block into a nest as it was, which was entered from the one before, or past it."""
        head, out = rows.outer.header, rows.nest.shape.exit
        entry = self.function.append_block(Block("rows.entry"))
        Builder(block).cond_br(done, out, entry)
        Builder(entry).br(head)
        for phi in head.phis:
            phi.replace_operand(before, entry)
        for phi, value in state.results.items():
            phi.add_incoming(value, block)

    def _move_between(self, front: Block) -> None:
        for inst in self.pair.between:
            assert inst.block is not None and front.terminator is not None
            inst.block.remove(inst)
            front.insert_before(front.terminator, inst)

    def _copy(self, build: Builder, room: Value, access: Access, count: Value) -> None:
        """What a load of the first nest reads, in all rounds."""
        start = build.gep(I8, access.base, [access.form.without(INNER).emit(build)])
        copy = self.module.declare_function(*MEMCPY)
        build.call(copy, [room, start, build.mul(count, ConstantInt(I64, access.size)), ConstantInt(I1, 0)])

    def _loop(self, test: Block, states: list[State], size: int) -> tuple[list[State], Block]:
        """A loop over groups of rows that go through both nests, as long as there are so many left."""
        first, second = groups = [Group(each, size) for each in self.nests]
        head, latch, out = first.ahead, second.behind, self.function.append_block(Block("rows.next"))
        limit = ConstantInt(I64, size)
        build = Builder(test)
        build.cond_br(build.icmp("uge", states[0].left, limit), head, out)
        left = first.build.phi(I64, [(states[0].left, test)])
        begun = [each.begin(first.build, test, state) for each, state in zip(groups, states, strict=True)]
        first.copy_rows()
        first.build.br(second.ahead)
        self.nests[1].moved = {
            load: Moved(sum, chain, self.nests[0].copies, first.value) for load, (sum, chain) in self.pair.moved.items()
        }
        second.copy_rows()
        build = second.build
        now = build.sub(left, limit)
        left.add_incoming(now, latch)
        ends = [each.end(latch, values, state) for each, values, state in zip(groups, begun, states, strict=True)]
        build.cond_br(build.icmp("uge", now, limit), head, out)
        for state in ends:
            state.left = now
        build = Builder(out)
        return [state.either(test, end, latch, build) for state, end in zip(states, ends, strict=True)], out
