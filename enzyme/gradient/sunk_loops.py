"""Reversed loops that go along memory are run inside of the short loops that stand in them.

``y[j] += k[b] * x[j + b]``, a convolution, reverses to a loop over j around one over b that adds to neighbouring
elements of the shadow of x, and to all of the shadow of k: each iteration of j reads what the last one has written, and
the loop over b is too short for vectors. Here the outer iterations are taken :data:`STRIP` at a time, and each block of
the loop is run for all of them before the next one is: the adjoint of ``y[j]`` is taken and kept in an array for all j,
then the loop over b is gone through once, and in it a loop over j adds ``k[b]`` times that array to a whole row, and
sums up what is added to the shadow of ``k[b]`` in a register. Blocks that add to several neighbours, as an optimiser
leaves them that has unrolled the loop over b, get a loop over j for each of these. All of them run in vectors.

The loop as it was stays beside the strips, and runs where it has few iterations, where the loops in it are long, and
where arrays overlap that must not. sunk_nests.py says which loops qualify. What is added is the same, in another order.
"""

from __future__ import annotations

from functools import cache, partial

from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.analysis.symbolic import constant_value, emit_sym, signed
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.interchange import may_have_nests
from enzyme.gradient.read_once import read_once
from enzyme.gradient.sums import Sum
from enzyme.gradient.sunk_nests import LEAST, SHORT, Access, Nest, find_nests
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, ArrayType, Type
from enzyme.ir.values import (
    Alloca,
    Block,
    ConstantInt,
    DebugRecord,
    Function,
    Instruction,
    Load,
    Phi,
    Store,
    Value,
    zero,
)

STRIP = 256
"""Iterations at a time, at most: what is kept of them, and what they touch, stays in the nearest cache."""
_BELOW = 1 << 31


def with_sunk_loops(text: str, exchange: bool) -> str | None:
    """The program with such loops inside of others; None where there are none. The text must have been optimised, and
    its loops be in simplified and LCSSA form. ``exchange``: whether nests are exchanged afterwards."""
    program = read_once(text)
    module, changed = program.module, False
    for function, body in program.bodies:
        if not may_have_nests(body):
            continue
        rooms: list[Value] = []
        pointers = cache(partial(PointerAnalysis, function, module))
        for nest in list(find_nests(pointers, program.loops(function).loops, module.datalayout, exchange)):
            _Sink(function, nest, module, rooms).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


class _Sink:
    def __init__(self, function: Function, nest: Nest, module: Module, rooms: list[Value]) -> None:
        self.function, self.nest, self.module, self.rooms = function, nest, module, rooms
        self.made: dict[Value, Value] = {}
        """What is the same in all iterations of a strip, and the blocks."""
        self.arrays: dict[Value, Value] = {}
        self.handed: dict[Phi, Value] = {}
        sums = [each for found in nest.sums.values() for each in found]
        self.parts = {part for each in sums for part in (each.load, each.add, each.store)}

    def emit(self) -> None:
        nest = self.nest
        loop = nest.loop
        ahead, head = loop.preheader, loop.header
        assert ahead is not None and ahead.terminator is not None
        ahead.remove(ahead.terminator)
        build = Builder(ahead)
        self.count = emit_sym(nest.count, build)
        checks, strips = self._block("checks"), self._block("strips")
        few = build.sub(self.count, _number(LEAST - 1))
        build.cond_br(build.icmp("ult", few, _number(_BELOW)), checks, head)
        entry = Builder(checks)
        good = self._checked(entry)
        self.starts = {phi: emit_sym(affine.start, entry) for phi, affine in nest.counters.items()}
        for phi in nest.carried:
            self.handed[phi] = entry_slot(self.function.entry, phi.type, None)
            entry.store(phi.value_from(ahead), self.handed[phi])
        for phi in head.phis:
            phi.add_incoming(phi.value_from(ahead), checks)
        self._strips(strips, checks)
        entry.cond_br(good, strips, head)

    def _block(self, name: str) -> Block:
        return self.function.append_block(Block(f"sunk.{name}"))

    def _room(self, kind: Type) -> Value:
        """An array for a number of each iteration; nests that follow one another share them."""
        type = ArrayType(STRIP, kind)
        taken = list(self.arrays.values())
        for room in self.rooms:
            if isinstance(room, Alloca) and room.allocated_type == type and room not in taken:
                return room
        self.rooms.append(entry_slot(self.function.entry, type, None, "sunk"))
        return self.rooms[-1]

    # in front of the loop

    def _checked(self, build: Builder) -> Value:
        """Whether the loop may be run so."""
        nest = self.nest
        conditions = [build.icmp("ult", emit_sym(each, build), _number(SHORT)) for each in nest.short]
        counts = {nest.loop: self.count, **{loop: emit_sym(count, build) for loop, count in nest.inner.items()}}

        def ends(access: Access) -> tuple[Value, Value]:
            """The least address, and the one behind the greatest."""
            assert access.form is not None
            form = access.form
            moving = [loop for loop in counts if form.degree(counter(loop))]
            start = form.without(*map(counter, moving)).emit(build)
            low = high = build.add(build.cast("ptrtoint", access.root, I64), start)
            for loop in moving:
                way = build.mul(form.factor(counter(loop)).emit(build), counts[loop])
                falls = build.icmp("slt", way, _number(0))
                low = build.add(low, build.select(falls, way, _number(0)))
                high = build.add(high, build.select(falls, _number(0), way))
            return low, build.add(high, _number(access.size))

        known: dict[tuple[Value, Polynomial, int], tuple[Value, Value]] = {}
        whole: dict[tuple[Value, bool], tuple[Value, Value]] = {}
        merged: set[tuple[tuple[Value, bool], tuple[Value, Polynomial, int]]] = set()

        def merge(access: Access) -> tuple[Value, bool]:
            """Note what is touched in all by accesses of this kind behind one pointer."""
            assert access.form is not None
            key, place = (access.root, access.adds), (access.root, access.form, access.size)
            if place not in known:
                known[place] = ends(access)
            if (key, place) not in merged:
                merged.add((key, place))
                low, high = known[place]
                if key in whole:
                    least, most = whole[key]
                    low = build.select(build.icmp("ult", low, least), low, least)
                    high = build.select(build.icmp("ugt", high, most), high, most)
                whole[key] = low, high
            return key

        pairs = dict.fromkeys((merge(a), merge(b)) for a, b in nest.apart)
        for a, b in pairs:
            before = build.icmp("ule", whole[a][1], whole[b][0])
            conditions.append(build.or_(before, build.icmp("ule", whole[b][1], whole[a][0])))
        result: Value = ConstantInt(I1, 1)
        for condition in conditions:
            result = build.and_(result, condition)
        return result

    # the strips

    def _strips(self, strips: Block, source: Block) -> None:
        nest = self.nest
        loop = nest.loop
        build = Builder(strips)
        self.first = build.phi(I64, [(_number(0), source)])
        left = build.sub(self.count, self.first)
        self.rest = build.select(build.icmp("ult", left, _number(STRIP - 1)), left, _number(STRIP - 1))
        is_last = build.icmp("eq", left, self.rest)
        following = build.add(self.first, build.add(self.rest, _number(1)))
        for each in nest.kept:
            self.arrays[each] = self._room(each.type)
        begins = {block: self._block("block") for block in loop.order}
        for block, begin in begins.items():
            self.made[block] = begin
        ends: dict[Block, Block] = {}
        phis: list[tuple[Phi, Phi]] = []
        build.br(begins[loop.header])
        for block in loop.order:
            build = Builder(begins[block])
            for inst in block.instructions:
                if isinstance(inst, Phi):
                    if inst not in nest.varying:
                        made = build.phi(inst.type)
                        self.made[inst] = made
                        phis.append((inst, made))
                elif not self._is_made_by_loops(inst) and inst is not block.terminator:
                    copied = inst.clone([self.made.get(each, each) for each in inst.operands])
                    copied.name = None
                    self.made[inst] = build.insert(copied)
            build = self._pieces(block, build)
            ends[block] = build.block
            assert block.terminator is not None
            if block is loop.latch:
                (out,) = loop.exit_blocks
                self._leave(build, out)
                build.cond_br(is_last, out, strips)
                self.first.add_incoming(following, build.block)
            else:
                end = block.terminator.clone([self.made.get(each, each) for each in block.terminator.operands])
                end.metadata = {}
                build.insert(end)
        for old, new in phis:
            for value, came in old.incoming:
                new.add_incoming(self.made.get(value, value), ends[came])

    def _leave(self, build: Builder, out: Block) -> None:
        latch = self.nest.loop.latch
        assert latch is not None
        last = {phi.value_from(latch): slot for phi, slot in self.handed.items()}
        for phi in out.phis:
            value = phi.value_from(latch)
            phi.add_incoming(build.load(phi.type, last[value]) if value in last else value, build.block)

    def _is_made_by_loops(self, inst: Instruction) -> bool:
        return inst in self.nest.varying or inst in self.parts or isinstance(inst, (Store, DebugRecord))

    def _pieces(self, block: Block, build: Builder) -> Builder:
        """What a block does for all iterations of a strip, behind what it does once."""
        nest = self.nest
        groups = nest.groups.get(block)
        kept = [each for each in nest.kept if each.block is block]
        if nest.is_inside(block):
            for number, group in enumerate(groups or [[]]):
                mine = kept if number == 0 else []
                if group or mine:
                    build = _Piece(self, build, ordered=False).of_sums(group, mine)
            return build
        if kept or block in nest.carried.values() or any(isinstance(inst, Store) for inst in block.instructions):
            return _Piece(self, build, ordered=True).of_block(block, kept)
        return build


class _Piece:
    """A loop over the iterations of a strip: ``ordered``, or as addresses rise."""

    def __init__(self, sink: _Sink, before: Builder, ordered: bool) -> None:
        self.sink, self.before = sink, before
        nest = sink.nest
        self.block, self.behind = sink._block("along"), sink._block("behind")
        self.build = build = Builder(self.block)
        self.number = build.phi(I64, [(_number(0), before.block)])
        turned = self.number if nest.rises else build.sub(sink.rest, self.number)
        self.place = turned if ordered else self.number
        """Where in arrays the iteration's numbers are."""
        at = build.add(sink.first, self.number if ordered else turned)
        self.made: dict[Value, Value] = {}
        for phi, affine in nest.counters.items():
            step = signed(constant_value(affine.step) or 0, 64)
            start = sink.starts[phi]
            if step in (1, -1):
                self.made[phi] = build.add(start, at) if step > 0 else build.sub(start, at)
            else:
                self.made[phi] = build.add(start, build.mul(at, _number(step)))
        self.totals: list[tuple[Sum, Value]] = []
        self.mine: set[Instruction] = set()
        """Numbers that are kept which this loop makes."""

    def value(self, value: Value) -> Value:
        nest = self.sink.nest
        if not isinstance(value, Instruction) or value not in nest.varying:
            return self.sink.made.get(value, value)
        if value not in self.made:
            array = self.sink.arrays.get(value)
            if array is not None and value not in self.mine:
                self.made[value] = self.build.load(value.type, self._of(value.type, array))
            else:
                assert not isinstance(value, (Phi, Store)), value
                self.copy(value)
        return self.made[value]

    def copy(self, value: Instruction) -> None:
        made = value.clone([self.value(each) for each in value.operands])
        made.name = None
        self.made[value] = self.build.insert(made)

    def _of(self, kind: Type, array: Value) -> Value:
        return self.build.gep(kind, array, [self.place], ("inbounds",))

    def of_sums(self, sums: list[Sum], kept: list[Instruction]) -> Builder:
        self.mine = set(kept)
        for each in sums:
            self._sum(each)
        return self._end(kept)

    def of_block(self, block: Block, kept: list[Instruction]) -> Builder:
        nest = self.sink.nest
        self.mine = {inst for inst in block.instructions if inst in nest.kept}
        starts: dict[Phi, Phi] = {}
        for phi in (phi for phi, user in nest.carried.items() if user is block):
            start = self.before.load(phi.type, self.sink.handed[phi])
            starts[phi] = self.build.phi(phi.type, [(start, self.before.block)])
            self.made[phi] = starts[phi]
        sums = {each.store: each for each in nest.sums[block]}
        loads = {each.load for each in sums.values()}
        for inst in block.instructions:
            if inst in sums:
                self._sum(sums[inst])
            elif isinstance(inst, Store) or (isinstance(inst, Load) and inst in nest.varying and inst not in loads):
                self.copy(inst)
        latch = nest.loop.latch
        assert latch is not None
        following = {phi: self.value(phi.value_from(latch)) for phi in starts}
        behind = self._end(kept)
        for phi, made in starts.items():
            made.add_incoming(following[phi], self.block)
            behind.store(following[phi], self.sink.handed[phi])
        return behind

    def _sum(self, each: Sum) -> None:
        pointer = each.store.pointer
        if pointer in self.sink.nest.varying:
            each.emit(self.build, self.value(pointer), self.value(each.amount))
            return
        kind = each.add.type
        total = self.build.phi(kind, [(zero(kind), self.before.block)])
        flags = tuple(dict.fromkeys((*each.add.fast_math, "reassoc", "nsz")))
        result = self.build.fadd(total, self.value(each.amount), ("fast",) if "fast" in flags else flags)
        assert isinstance(total, Phi)
        total.add_incoming(result, self.block)
        self.totals.append((each, result))

    def _end(self, kept: list[Instruction]) -> Builder:
        build, sink = self.build, self.sink
        for value in kept:
            build.store(self.value(value), self._of(value.type, sink.arrays[value]))
        assert isinstance(self.number, Phi)
        self.number.add_incoming(build.add(self.number, _number(1), ("nuw", "nsw")), self.block)
        end = build.cond_br(build.icmp("eq", self.number, sink.rest), self.behind, self.block)
        end.metadata["llvm.loop"] = sink.module.add_loop_metadata('"llvm.loop.interleave.count", i32 2')
        self.before.br(self.block)
        behind = Builder(self.behind)
        for each, result in self.totals:
            each.emit(behind, sink.made.get(each.store.pointer, each.store.pointer), result)
        return behind


def _number(value: int) -> ConstantInt:
    return ConstantInt(I64, value)


__all__ = ["with_sunk_loops"]
