"""Reversed loops over stencils make their sums in strips.

``y[i] = f(x[i - 1], x[i], x[i + 1])`` reverses to a loop that adds to three neighbouring elements of a shadow. What one
iteration adds, the next one reads again, so that no vector can be made of several iterations. Here the iterations are
taken :data:`STRIP` at a time: first they put what they have to add into small arrays on the stack, one for each number,
and do all else; then each array is added to where it belongs, by a loop of its own. Both are loops that LLVM makes
vectors of, and nothing has to be known about whether two rows of one array overlap: additions may be made in any
order. Elements of one row get all that is added to them at once, from neighbouring places of the arrays, which have
zeros behind their ends.

A stencil on a ring or with a border decides where its neighbour is: ``left = j == 0 ? n - 1 : j - 1``. Where such
comparisons hold in the first or the last few iterations, and where only sums go depends on them, the arrays have these
iterations as well, and what they add elsewhere is taken from there one by one. Then short rows gain, too: a row that
fits into the arrays is run as a single strip. Else the iterations in which a comparison holds, at either end of the
loop, are run as they were, and so is the last iteration.

The loop itself stays beside the strips, for where there are few iterations, and where what the strips rest on is found
not to hold: that addresses go on by one element from iteration to iteration, which is seen from the first and the last,
that comparisons hold where they seemed to, and that what is added to is not touched otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.symbolic import emit_sym
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.read_once import read_once
from enzyme.gradient.strip_loops import NEAR, NEAREST, Addition, Row, StripLoop, read_loop
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, ArrayType, Type
from enzyme.ir.values import (
    Alloca,
    Block,
    Compare,
    ConstantInt,
    DebugRecord,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
    zero,
)

STRIP = 256
"""Iterations at a time, at most: what they add stays in the nearest cache. Of more than these, half as many are taken,
so that there are no few left in the end."""
_FALSE, _TRUE = ConstantInt(I1, 0), ConstantInt(I1, 1)
_BELOW = 1 << 31
"""There are fewer iterations than these where strips are used: then indices of 32 bits wrap at most once."""


def may_have_strips(text: str) -> bool:
    """Whether any reverse sweep has loops that add to neighbouring elements."""
    return f"%{NEAR}" in text


def in_strips(text: str) -> str | None:
    """The program with such loops in strips; None where there are none. The text must have been optimised and its loops
    be in simplified and LCSSA form."""
    program = read_once(text)
    module, changed = program.module, False
    for function, body in program.bodies:
        if f"%{NEAR}" not in body:
            continue
        pointers = PointerAnalysis(function, module)
        loops = [loop for loop in program.loops(function).loops if not loop.children]
        rooms: list[Value] = []
        for found in [each for loop in loops if (each := read_loop(pointers, loop)) is not None]:
            _Strips(function, found, module, rooms).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


class Place:
    """Values of the loop, made again where its counter is ``made[counter]``; those of the special comparisons that are
    in ``held`` hold. ``bare``: without promises that numbers do not wrap, for iterations that may not be run."""

    def __init__(
        self, found: StripLoop, build: Builder, counter: Value, bare: bool = False, held: Iterable[Compare] = ()
    ) -> None:
        self.found, self.build, self.bare = found, build, bare
        self.made: dict[Value, Value] = {found.counter: counter}
        for each in found.special:
            self.made[each] = _TRUE if (each.predicate == "ne") != (each in held) else _FALSE

    def value(self, value: Value) -> Value:
        """Of what is made of the counter alone."""
        if self.found.loop.is_invariant(value):
            return value
        if value not in self.made:
            assert isinstance(value, Instruction) and not isinstance(value, (Phi, Load)), value
            self.copy(value)
        return self.made[value]

    def copy(self, value: Instruction) -> None:
        decided = self.made.get(value.operands[0]) if isinstance(value, Select) else None
        if decided is _FALSE or decided is _TRUE:  # the other number may be had from memory
            self.made[value] = self.value(value.operands[1 if decided is _TRUE else 2])
            return
        made = value.clone([self.value(each) for each in value.operands])
        made.name = None
        if self.bare:
            made.flags = ()
        self.made[value] = self.build.insert(made)


@dataclass(frozen=True)
class _Strip:
    """Some iterations: how many are in front of them, how many there are but for one, and whether they are the first,
    and the last ones (None: they are)."""

    moved: Value
    rest: Value
    is_first: Value | None = None
    is_last: Value | None = None


@dataclass(frozen=True)
class _Made:
    """The code of a strip: the block behind it, the arrays (see :attr:`Addition.array`), what it hands on, and what the
    block behind the loop takes from its last iteration."""

    end: Block
    arrays: dict[tuple[Value, bool], Value]
    following: dict[Phi, Value]
    results: dict[Phi, Value]


class _Strips:
    def __init__(self, function: Function, found: StripLoop, module: Module, rooms: list[Value]) -> None:
        self.function, self.found, self.module, self.rooms = function, found, module, rooms
        self.layout = module.datalayout
        assert found.loop.preheader is not None
        self.ahead = found.loop.preheader
        self.start = found.counter.value_from(self.ahead)

    def emit(self) -> None:
        found, body, ahead = self.found, self.found.body, self.ahead
        checks, around = self._block("checks"), self._block("around")
        assert ahead.terminator is not None
        ahead.remove(ahead.terminator)
        build = Builder(ahead)
        self.count = emit_sym(found.count, build)
        few = build.sub(self.count, _number(found.least))
        build.cond_br(build.icmp("ult", few, _number(_BELOW)), checks, body)
        build = Builder(checks)
        self._range(build)
        good = self._checked(build)
        for phi in body.phis:
            phi.add_incoming(phi.value_from(ahead), checks)
        begin = {phi: phi.value_from(ahead) for phi in found.carried}
        if found.whole:
            enter, single = self._block("enter"), self._block("single")
            Builder(enter).cond_br(build.icmp("ult", self.count, _number(STRIP)), single, around)
            self._single(single, begin)
            sources = [(enter, begin)]
        elif found.special:
            enter, front = self._block("enter"), self._block("front")
            sources = [(enter, begin), (front, self._front(enter, front, around, begin))]
        else:
            enter, sources = around, [(checks, begin)]
        build.cond_br(good, enter, body)
        self._strips(around, sources)

    def _block(self, name: str) -> Block:
        return self.function.append_block(Block(f"strips.{name}"))

    def _advanced(self, build: Builder, begin: Value, number: Value) -> Value:
        """The counter so many iterations later."""
        return build.add(begin, number) if self.found.step > 0 else build.sub(begin, number)

    def _front(self, enter: Block, front: Block, around: Block, begin: dict[Phi, Value]) -> dict[Phi, Value]:
        """The iterations in front of the strips; what they hand on."""
        found = self.found
        build = Builder(enter)
        stop = self._advanced(build, self.start, self.low)
        build.cond_br(build.icmp("eq", self.low, _number(0)), around, front)
        place = self._plain(front, enter, {found.counter: self.start, **begin})
        build = place.build
        build.cond_br(build.icmp("eq", place.value(found.counter.value_from(found.body)), stop), around, front)
        return {phi: place.value(phi.value_from(found.body)) for phi in found.carried}

    # in front of the loop

    def _range(self, build: Builder) -> None:
        """``low`` and ``high``: the first and the last iteration of those that are run in strips."""
        found = self.found
        self.low: Value = _number(0)
        if found.whole:
            self.high = self.length = self.count
            return
        self.high = build.sub(self.count, _number(1))
        zeroth = Place(found, build, self.start, bare=True)
        half = build.lshr(self.count, _number(1))
        for each in found.special.values():
            begin, fixed = zeroth.value(each.moving), zeroth.value(each.fixed)
            at = build.sub(fixed, begin) if each.up else build.sub(begin, fixed)
            at = build.zext(at, I64) if at.type is not I64 else at
            early = build.icmp("ult", at, half)
            behind = build.add(at, _number(1))
            behind = build.select(build.icmp("ugt", behind, self.low), behind, self.low)
            self.low = build.select(early, behind, self.low)
            before = build.sub(at, _number(1))
            sooner = build.icmp("ult", before, self.high)
            late = build.and_(sooner, build.xor(early, ConstantInt(I1, 1)))
            self.high = build.select(late, before, self.high)
        self.length = build.sub(self.high, self.low)

    def _checked(self, build: Builder) -> Value:
        """Whether strips may be used. Makes the addresses in iteration ``low``, ``self.first``.

        Addresses are compared as distances from where their array begins: what is asked of the same places in two
        arrays is then asked once."""
        found = self.found
        self.places: dict[int, Place] = {}
        self.first = {}
        for each in found.sums:
            ahead, _ = found.cuts.get(each.pointer, (0, 0))
            there = self._place(build, ahead).value(each.pointer)
            self.first[each.pointer] = build.offset(there, -ahead * each.stride) if ahead else there
            for at in self._apart(each):
                self._place(build, at, True).value(each.pointer)
        conditions = [] if found.whole else [build.icmp("sge", self.length, _number(found.least - 1))]
        for compare, at in found.held.items():
            special = found.special[compare]
            conditions.append(build.icmp("eq", self._place(build, at).value(special.moving), special.fixed))
        ends: dict[Value, tuple[Value, Value]] = {}

        def number_of(pointer: Value) -> Value:
            return build.cast("ptrtoint", pointer, I64)

        def range_of(pointer: Value, stride: int, size: int) -> tuple[Value, Value]:
            """From the least address to behind the greatest one."""
            if pointer not in ends:
                ahead, behind = found.cuts.get(pointer, (0, 0))
                begin = number_of(self._place(build, ahead).value(pointer))
                length = build.sub(self.length, _number(ahead + behind)) if ahead + behind else self.length
                way = build.mul(length, _number(stride))
                end = build.add(begin, way)
                if pointer in found.narrow:
                    there = number_of(self._place(build, -1 - behind).value(pointer))
                    base = found.narrow[pointer]
                    root = number_of(base) if base is not None else _number(0)
                    conditions.append(build.icmp("eq", build.sub(there, root), build.add(build.sub(begin, root), way)))
                ends[pointer] = (begin, end) if stride >= 0 else (end, begin)
            low, high = ends[pointer]
            return low, build.add(high, _number(size))

        for row in found.rows:
            root = number_of(row.first.root)
            begin = build.sub(number_of(self.first[row.first.pointer]), root)
            for each, offset in zip(row.sums, row.offsets, strict=True):
                if each.pointer is not row.first.pointer:
                    there = build.sub(number_of(self.first[each.pointer]), root)
                    conditions.append(build.icmp("eq", build.sub(there, begin), _number(offset * abs(row.stride))))
        whole: dict[Value, tuple[Value, Value]] = {}
        asked = {root for _, root in found.apart}
        for each in (*found.sums, *found.totals):
            if each.root in asked or each.pointer in found.narrow:
                low, high = range_of(each.pointer, each.stride, self.layout.size_of(each.sum.add.type))
                least, most = whole.get(each.root, (low, high))
                if low is not least:
                    low = build.select(build.icmp("ult", low, least), low, least)
                    high = build.select(build.icmp("ugt", high, most), high, most)
                for at in self._apart(each) if each.root in asked else ():
                    there = number_of(self._place(build, at, True).value(each.pointer))
                    low = build.select(build.icmp("ult", there, low), there, low)
                    there = build.add(there, _number(self.layout.size_of(each.sum.add.type)))
                    high = build.select(build.icmp("ugt", there, high), there, high)
                whole[each.root] = low, high
        for access, root in found.apart:
            low, high = range_of(access.inst.pointer, access.stride, access.size)
            least, most = whole[root]
            conditions.append(build.or_(build.icmp("ule", high, least), build.icmp("ule", most, low)))
        result = conditions[0]
        for condition in conditions[1:]:
            result = build.and_(result, condition)
        return result

    def _place(self, build: Builder, at: int, apart: bool = False) -> Place:
        """Iteration ``low + at``; below zero ``high + 1 + at``. ``apart``: with the comparisons that hold there."""
        key = 2 * at + apart
        if key not in self.places:
            end = build.add(self.low, _number(at)) if at >= 0 else build.add(self.high, _number(at + 1))
            held = [each for each, there in self.found.held.items() if apart and there == at]
            self.places[key] = Place(self.found, build, self._advanced(build, self.start, end), True, held)
        place = self.places[key]
        place.build = build
        return place

    def _apart(self, addition: Addition) -> Iterable[int]:
        """The iterations (see :meth:`_place`) in which what is added goes elsewhere."""
        ahead, behind = self.found.cuts.get(addition.pointer, (0, 0))
        return [*range(ahead), *range(-1, -1 - behind, -1)]

    # the iterations

    def _plain(self, block: Block, source: Block, begin: dict[Phi, Value]) -> Place:
        """A loop of iterations as they were, all but its end."""
        found, build = self.found, Builder(block)
        made: dict[Value, Value] = {phi: build.phi(phi.type, [(value, source)]) for phi, value in begin.items()}
        place = Place(found, build, made[found.counter])
        place.made = dict(made)
        for inst in self._instructions():
            place.copy(inst)
        for phi in begin:
            value = made[phi]
            assert isinstance(value, Phi)
            value.add_incoming(place.value(phi.value_from(found.body)), block)
        return place

    def _instructions(self) -> Iterable[Instruction]:
        body = self.found.body
        return [
            inst
            for inst in body.instructions
            if inst is not body.terminator and not isinstance(inst, (Phi, DebugRecord))
        ]

    def _single(self, around: Block, begin: dict[Phi, Value]) -> None:
        """All iterations as one strip."""
        strip = _Strip(_number(0), self.count)
        made = self._strip(around, self.start, begin, strip)
        build = Builder(made.end)
        self._elsewhere(build, made, strip, 0)
        self._elsewhere(build, made, strip, 1)
        self._leave(build, made)

    def _strips(self, around: Block, sources: list[tuple[Block, dict[Phi, Value]]]) -> None:
        """One strip after the other."""
        found = self.found
        build = Builder(around)
        first = build.phi(I64, [(self.low, source) for source, _ in sources])
        carried = {
            phi: build.phi(phi.type, [(values[phi], source) for source, values in sources]) for phi in found.carried
        }
        left = build.sub(self.high, first)
        rest = build.select(build.icmp("ult", left, _number(STRIP)), left, _number(STRIP // 2 - 1))
        moved, is_last = build.sub(first, self.low), build.icmp("eq", left, rest)
        strip = _Strip(moved, rest, build.icmp("eq", moved, _number(0)), is_last)
        made = self._strip(around, self._advanced(build, self.start, first), carried, strip)
        build = Builder(made.end)
        following_first = build.add(first, build.add(rest, _number(1)))
        end, behind = made.end, self._block("behind")
        if any(found.cuts.get(each.pointer, (0, 0))[0] for each in found.sums):
            ends, end = self._block("ends"), self._block("following")
            build.cond_br(strip.is_first or _TRUE, ends, end)
            build = Builder(ends)
            self._elsewhere(build, made, strip, 0)
            build.br(end)
            build = Builder(end)
        first.add_incoming(following_first, end)
        for phi, value in carried.items():
            value.add_incoming(made.following[phi], end)
        counter = self._advanced(build, self.start, following_first)
        build.cond_br(is_last, behind, around)
        if found.whole:
            build = Builder(behind)
            self._elsewhere(build, made, strip, 1)
            self._leave(build, made)
        else:
            self._rest(self._plain(behind, end, {found.counter: counter, **made.following}))

    def _strip(self, around: Block, begin: Value, carried: Mapping[Phi, Value], strip: _Strip) -> _Made:
        """The iterations of a strip, and the loops that add what they found, behind the block ``around``."""
        found, body = self.found, self.found.body
        fill, edges, end = self._block("fill"), self._block("edges"), self._block("end")
        Builder(around).br(fill)
        build = Builder(fill)
        number = build.phi(I64, [(_number(0), around)])
        place = Place(found, build, self._advanced(build, begin, number))
        if found.whole:  # here special comparisons hold where they do
            place.made = {found.counter: place.made[found.counter]}
        for phi in found.carried:
            place.made[phi] = build.phi(phi.type, [(carried[phi], around)])
        arrays, totals = self._fill(place, around, number, strip.rest)
        following = {phi: place.value(phi.value_from(body)) for phi in found.carried}
        for phi, value in following.items():
            made = place.made[phi]
            assert isinstance(made, Phi)
            made.add_incoming(value, fill)
        (out,) = found.loop.exit_blocks
        results = {phi: place.value(phi.value_from(body)) for phi in out.phis} if found.whole else {}
        self._again(build, number, strip.rest, fill, edges)
        adding = [self._block("add") for _ in found.groups]
        ahead = Builder(edges)
        self._clear_edges(ahead, arrays, strip.rest)
        for each, total in totals.items():
            each.sum.emit(ahead, each.pointer, total)
        for block, to, group in zip(adding, [*adding[1:], end], found.groups, strict=True):
            source = edges if block is adding[0] else adding[adding.index(block) - 1]
            self._add(block, source, to, group, arrays, ahead, strip)
        ahead.br(adding[0])
        return _Made(end, arrays, following, results)

    def _elsewhere(self, build: Builder, made: _Made, strip: _Strip, end: int) -> None:
        """What goes elsewhere in the first iterations (``end`` 0) of the first strip, or the last ones of the last."""
        for each in self.found.sums:
            for at in self._apart(each):
                if (at < 0) == bool(end):
                    number = build.add(strip.rest, _number(at + 1)) if end else _number(at)
                    number = number if each.stride > 0 else build.sub(strip.rest, number)
                    kind, place = each.sum.add.type, build.add(number, _number(NEAREST))
                    amount = build.load(kind, build.gep(kind, made.arrays[each.array], [place], ("inbounds",)))
                    each.sum.emit(build, self._place(build, at, True).value(each.pointer), amount)

    def _leave(self, build: Builder, made: _Made) -> None:
        """The end, where strips have all iterations."""
        (out,) = self.found.loop.exit_blocks
        build.br(out)
        for phi, value in made.results.items():
            phi.add_incoming(value, build.block)

    def _rest(self, place: Place) -> None:
        """The end of the iterations behind the strips: they leave as the loop does."""
        body, block = self.found.body, place.build.block
        assert body.terminator is not None
        condition, on_true, _ = body.terminator.operands
        (out,) = self.found.loop.exit_blocks
        left = (block, out) if on_true is body else (out, block)
        place.build.cond_br(place.value(condition), *left)
        for phi in out.phis:
            phi.add_incoming(place.value(phi.value_from(body)), block)

    def _fill(
        self, place: Place, around: Block, number: Value, rest: Value
    ) -> tuple[dict[tuple[Value, bool], Value], dict[Addition, Value]]:
        """One iteration, with what it adds put into arrays (see :attr:`Addition.array`); and what a strip adds to
        single places."""
        found, build = self.found, place.build
        sums, totals = ({each.sum.store: each for each in kind} for kind in (found.sums, found.totals))
        mine = {part for each in (*found.sums, *found.totals) for part in (each.sum.load, each.sum.add)}
        added: dict[Addition, Value] = {}
        arrays: dict[tuple[Value, bool], Value] = {}
        for inst in self._instructions():
            if inst in sums:
                each = sums[inst]
                if each.array not in arrays:
                    kind = each.sum.add.type
                    array = arrays[each.array] = self._room(kind, list(arrays.values()))
                    at = build.add(number if each.stride > 0 else build.sub(rest, number), _number(NEAREST))
                    build.store(place.value(each.sum.amount), build.gep(kind, array, [at], ("inbounds",)))
            elif inst in totals:
                each = totals[inst]
                kind = each.sum.add.type
                total = build.phi(kind, [(zero(kind), around)])
                flags = tuple(dict.fromkeys((*each.sum.add.fast_math, "nsz")))
                added[each] = build.fadd(total, place.value(each.sum.amount), flags)
                total.add_incoming(added[each], build.block)
            elif inst not in mine and (isinstance(inst, Store) or inst not in place.made):
                if not (inst.type.is_pointer and all(user in mine or user in sums for user in inst.users)):
                    place.copy(inst)
        return arrays, added

    def _room(self, kind: Type, taken: list[Value]) -> Value:
        """An array for a number of each iteration; loops that follow one another share them."""
        type = ArrayType(STRIP + 2 * NEAREST, kind)
        for room in self.rooms:
            if isinstance(room, Alloca) and room.allocated_type == type and room not in taken:
                return room
        self.rooms.append(entry_slot(self.function.entry, type, None, "strip"))
        return self.rooms[-1]

    def _clear_edges(self, build: Builder, arrays: dict[tuple[Value, bool], Value], rest: Value) -> None:
        """Zeros in front of what is to be added, and behind it: rows read so far where they are wider than one."""
        widths: dict[tuple[Value, bool], tuple[int, int]] = {}
        for row in self.found.rows:
            for each, offset in zip(row.sums, row.offsets, strict=True):
                ahead, behind = widths.get(each.array, (0, 0))
                widths[each.array] = max(offset, ahead), max(row.width - offset, behind)
        for key, (ahead, behind) in widths.items():
            kind, array = key[0].type, arrays[key]
            places: list[Value] = [_number(NEAREST - 1 - place) for place in range(ahead)]
            places += [build.add(rest, _number(NEAREST + 1 + place)) for place in range(behind)]
            for place in places:
                build.store(zero(kind), build.gep(kind, array, [place], ("inbounds",)))

    def _add(
        self,
        block: Block,
        source: Block,
        out: Block,
        group: list[Row],
        arrays: dict[tuple[Value, bool], Value],
        ahead: Builder,
        strip: _Strip,
    ) -> None:
        """A loop that adds to rows."""
        build = Builder(block)
        number = build.phi(I64, [(_number(0), source)])
        for row in group:
            sum = row.first.sum
            kind, rises = sum.add.type, row.stride > 0
            skipped = row.skipped(self.found.cuts) or (0, 0)
            skips = [
                ahead.select(flag, _number(each), _number(0)) if each and flag is not None else _number(each)
                for each, flag in zip(skipped, (strip.is_first, strip.is_last), strict=True)
            ]
            low, high = skips if rises else reversed(skips)
            distance = strip.moved if rises else ahead.add(strip.moved, strip.rest)
            distance = ahead.add(distance, low) if rises else ahead.sub(distance, low)
            start = ahead.offset(self.first[row.first.pointer], ahead.mul(distance, _number(row.stride)))
            pointer = build.gep(kind, start, [number])
            total = sum.read(build, pointer)
            for each, offset in zip(row.sums, row.offsets, strict=True):
                begin = ahead.gep(kind, arrays[each.array], [ahead.add(low, _number(NEAREST - offset))], ("inbounds",))
                amount = build.load(kind, build.gep(kind, begin, [number], ("inbounds",)))
                total = each.sum.to(build, total, amount)
            sum.write(build, total, pointer)
        last = ahead.sub(ahead.add(strip.rest, _number(group[0].width)), ahead.add(low, high))
        self._again(build, number, last, block, out)

    def _again(self, build: Builder, number: Value, rest: Value, block: Block, out: Block) -> None:
        """The end of a loop. Vectors one by one: several at a time are too many for short rows."""
        assert isinstance(number, Phi)
        number.add_incoming(build.add(number, _number(1), ("nuw", "nsw")), block)
        end = build.cond_br(build.icmp("eq", number, rest), out, block)
        end.metadata["llvm.loop"] = self.module.add_loop_metadata('"llvm.loop.interleave.count", i32 1')


def _number(value: int) -> ConstantInt:
    return ConstantInt(I64, value)
