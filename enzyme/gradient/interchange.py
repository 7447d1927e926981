"""Exchanging the loops of reversed nests, so that the inner one walks along memory.

``y[i] += A[j][i] * x[j]`` in a loop over i around one over j reverses to a nest that steps through A and its shadow by
whole rows. Exchanged, the inner loop goes along the rows, and what it adds to the shadow of ``x[j]`` stays in a
register. The outer iterations are taken :data:`STRIP` at a time: what stands before the inner loop is run for all of
them, and the numbers it hands to the inner loop are kept; then the exchanged nest; then what stands after it.

The nest as it was stays beside the exchanged one and runs where arrays overlap that must not (see nests.py). What is
added is the same, and so is its order at each place, but for sums that are kept in registers.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.analysis.loops import analyse_loops
from enzyme.analysis.symbolic import emit_sym
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.nests import Access, Nest, Sum, find_nests
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, ArrayType, FloatType
from enzyme.ir.values import (
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
"""Outer iterations at a time: what they hand to the inner loop, and the elements they touch, stay in cache."""
_TWO_COUNTERS = ("%iteration.r.", "%iteration.r.1.")


def may_have_nests(text: str) -> bool:
    """Whether any function has two reversed loops."""
    return all(each in text for each in ("%iteration.r =", "%iteration.r.1 ="))


def interchanged(text: str) -> str | None:
    """The program with its nests exchanged where that pays; None where there are none. The text must have been
    optimised and its loops simplified."""
    module = parse_module(text)
    changed = False
    for function in module.functions.values():
        if function.body_text is None or not all(each in function.body_text for each in _TWO_COUNTERS):
            continue
        for nest in list(find_nests(analyse_loops(function).loops, module.datalayout)):
            _Exchange(function, nest, module.datalayout).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


def _narrow(build: Builder, number: Value, phi: Phi) -> Value:
    return number if phi.type is I64 else build.trunc(number, phi.type)


class _Exchange:
    def __init__(self, function: Function, nest: Nest, layout: DataLayout) -> None:
        self.function, self.nest, self.layout = function, nest, layout
        self.starts: dict[Phi, tuple[Value, Value]] = {}  # the first value of a counter, and its step
        self.kept: dict[Value, Value] = {}  # values of the block before the inner loop, and where they are kept

    def emit(self) -> None:
        nest = self.nest
        ahead = nest.outer.preheader
        assert ahead is not None and ahead.terminator is not None
        ahead.remove(ahead.terminator)
        build = Builder(ahead)
        counts = [emit_sym(count, build) for count in (nest.outer_count, nest.inner_count)]
        for phi, affine in nest.counters.items():
            start, step = (emit_sym(each, build) for each in (affine.start, affine.step))
            self.starts[phi] = _narrow(build, start, phi), _narrow(build, step, phi)
        apart = self._apart(build, counts[0], counts[1])
        names = ("strips", "strip.before", "exchanged", "along", "exchanged.end", "strip.after", "strip.end")
        blocks = [self.function.append_block(Block(name)) for name in names]
        build.cond_br(apart, blocks[0], nest.before)
        self._strips(ahead, blocks, counts[0], counts[1])

    # whether arrays are apart

    def _apart(self, build: Builder, outer: Value, inner: Value) -> Value:
        nothing = ConstantInt(I64, 0)
        corners = [self._counters(build, o, i) for o in (nothing, outer) for i in (nothing, inner)]
        ranges: dict[Value, tuple[Value, Value]] = {}
        result: Value = ConstantInt(I1, 1)
        for a, b in self.nest.apart:
            (low, end), (low_b, end_b) = (self._range(build, ranges, each, corners) for each in (a, b))
            clear = build.or_(build.icmp("ule", end, low_b), build.icmp("ule", end_b, low))
            result = build.and_(result, clear)
        return result

    def _range(
        self, build: Builder, known: dict[Value, tuple[Value, Value]], access: Access, corners: list[dict[Value, Value]]
    ) -> tuple[Value, Value]:
        found = known.get(access.pointer)
        if found is None:
            ends = [build.cast("ptrtoint", self._copy(build, access.pointer, made), I64) for made in corners]
            low = high = ends[0]
            for end in ends[1:]:
                low = build.select(build.icmp("ult", end, low), end, low)
                high = build.select(build.icmp("ult", high, end), end, high)
            inst = access.inst
            size = self.layout.size_of(inst.type if isinstance(inst, Load) else inst.value.type)
            found = known[access.pointer] = low, build.add(high, ConstantInt(I64, size))
        return found

    def _counters(self, build: Builder, outer: Value | None, inner: Value | None) -> dict[Value, Value]:
        """The phis of the nest in given iterations."""
        made: dict[Value, Value] = {}
        for phi, affine in self.nest.counters.items():
            number = outer if phi.block is self.nest.before else inner
            if number is None:
                continue
            start, step = self.starts[phi]
            moved = build.mul(_narrow(build, number, phi), step)
            made[phi] = build.sub(start, moved) if affine.down else build.add(start, moved)
        return made

    def _copy(self, build: Builder, value: Value, made: dict[Value, Value]) -> Value:
        """``value``, made of the counters in ``made``."""
        if not isinstance(value, Instruction) or value.block not in self.nest.outer.blocks:
            return value
        found = made.get(value)
        if found is None:
            assert not isinstance(value, (Phi, Store)), value
            copy = value.clone([self._copy(build, op, made) for op in value.operands])
            copy.name = None
            found = made[value] = build.insert(copy)
        return found

    # the exchanged nest

    def _strips(self, ahead: Block, blocks: list[Block], outer: Value, inner: Value) -> None:
        """``outer`` and ``inner``: the numbers of the last iterations."""
        strips, before, exchanged, along, end, after, last = blocks
        build = Builder(strips)
        first = build.phi(I64, [(ConstantInt(I64, 0), ahead)])
        left = build.sub(outer, first)
        most = ConstantInt(I64, STRIP - 1)
        rest = build.select(build.icmp("ult", left, most), left, most)
        build.br(before)

        def walk(block: Block, source: Block, to: Value, out: Block, fill: Callable[[Builder, Value], None]) -> None:
            """A loop of one block from 0 up to and with ``to``."""
            build = Builder(block)
            number = build.phi(I64, [(ConstantInt(I64, 0), source)])
            fill(build, number)
            number.add_incoming(build.add(number, ConstantInt(I64, 1), ("nuw", "nsw")), block)
            build.cond_br(build.icmp("eq", number, to), out, block)

        nest = self.nest
        by_inner = [each for each in nest.sums if each.store.pointer not in nest.of_outer]
        walk(before, strips, rest, exchanged, lambda b, n: self._around(b, n, first, nest.before))

        build = Builder(exchanged)
        at = build.phi(I64, [(ConstantInt(I64, 0), before)])
        fixed: dict[Value, Value] = self._counters(build, None, at)
        of_sums = {part for each in nest.sums for part in (each.load, each.add, each.store)}
        for inst in nest.body.instructions:
            if not isinstance(inst, (Phi, DebugRecord)) and not inst.is_terminator and inst not in of_sums:
                if inst not in nest.of_outer:
                    self._copy(build, inst, fixed)
        for each in nest.sums:
            if each in by_inner:
                self._copy(build, each.store.pointer, fixed)
        build.br(along)
        totals = self._along(along, exchanged, end, rest, first, fixed, by_inner)

        build = Builder(end)
        for each, total in zip(by_inner, totals, strict=True):
            pointer = each.store.pointer
            self._add(build, each, fixed.get(pointer, pointer), total)
        at.add_incoming(build.add(at, ConstantInt(I64, 1), ("nuw", "nsw")), end)
        build.cond_br(build.icmp("eq", at, inner), after, exchanged)

        walk(after, end, rest, last, lambda b, n: self._around(b, n, first, nest.after))
        build = Builder(last)
        following = build.add(build.add(first, rest), ConstantInt(I64, 1))
        first.add_incoming(following, last)
        build.cond_br(build.icmp("ugt", following, outer), nest.exit, strips)

    def _along(
        self,
        block: Block,
        source: Block,
        out: Block,
        to: Value,
        first: Value,
        fixed: dict[Value, Value],
        by_inner: list[Sum],
    ) -> list[Value]:
        """The loop over the outer iterations of a strip; gives the sums that stay in registers."""
        nest, build = self.nest, Builder(block)
        number = build.phi(I64, [(ConstantInt(I64, 0), source)])
        totals = [build.phi(each.add.type, [(zero(each.add.type), source)]) for each in by_inner]
        made = {**fixed, **self._counters(build, build.add(first, number), None)}
        for value, slot in self.kept.items():
            made[value] = build.load(value.type, build.gep(value.type, slot, [number]))
        results: list[Value] = []
        for inst in nest.body.instructions:
            match = next((each for each in nest.sums if each.store is inst), None)
            if match is not None and match not in by_inner:
                pointer = self._copy(build, match.store.pointer, made)
                self._add(build, match, pointer, self._copy(build, match.amount, made))
            elif isinstance(inst, Load) and not any(each.load is inst for each in nest.sums):
                self._copy(build, inst, made)
        for each, total in zip(by_inner, totals, strict=True):
            flags = tuple(dict.fromkeys((*each.add.fast_math, "reassoc", "nsz")))
            flags = ("fast",) if "fast" in flags else flags
            results.append(build.fadd(total, self._copy(build, each.amount, made), flags))
            total.add_incoming(results[-1], block)
        number.add_incoming(build.add(number, ConstantInt(I64, 1), ("nuw", "nsw")), block)
        build.cond_br(build.icmp("eq", number, to), out, block)
        return results

    def _add(self, build: Builder, sum: Sum, pointer: Value, amount: Value) -> None:
        old = build.insert(sum.load.clone([pointer]))
        new = build.fadd(old, amount, sum.add.fast_math)
        stored = sum.store.clone([new, pointer])
        old.name = None
        build.insert(stored)

    def _around(self, build: Builder, number: Value, first: Value, block: Block) -> None:
        """What stands before or after the inner loop, in iteration ``first + number``."""
        nest = self.nest
        made = self._counters(build, build.add(first, number), None)
        if block is nest.after:
            for value, slot in self.kept.items():
                made[value] = build.load(value.type, build.gep(value.type, slot, [number]))
        for inst in block.instructions:
            if isinstance(inst, (Phi, DebugRecord)) or inst is block.terminator:
                continue
            if isinstance(inst, Store):
                copy = inst.clone([self._copy(build, op, made) for op in inst.operands])
                build.insert(copy)
            else:
                self._copy(build, inst, made)
        if block is nest.before:
            for inst in block.instructions:
                if isinstance(inst.type, FloatType) and any(user.block is not block for user in inst.users):
                    slot = entry_slot(self.function.entry, ArrayType(STRIP, inst.type), None)
                    self.kept[inst] = slot
                    build.store(made[inst], build.gep(inst.type, slot, [number]))
