"""Exchanging the loops of reversed nests, so that the inner one walks along memory.

``y[i] += A[j][i] * x[j]`` in a loop over i around one over j reverses to a nest that steps through A and its shadow by
whole rows. Exchanged, the inner loop goes along the rows, and what it adds to the shadow of ``x[j]`` stays in a
register. The outer iterations are taken :data:`STRIP` at a time: what stands before the inner loop is run for all of
them, and the numbers it hands to the inner loop are kept; then the exchanged nest; then what stands after it, where
that uses what the inner loop has summed up. In a triangle, the exchanged inner loop runs over those iterations that
there are (see nests.py).

The nest as it was stays beside the exchanged one and runs where arrays overlap that must not, and where there are few
iterations. What is added is the same, and so is its order at each place, but for sums that are kept in registers and
for places to which both the inner loop and what stands around it add.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from enzyme.analysis.polynomials import INNER, OUTER, Polynomial
from enzyme.analysis.symbolic import emit_sym
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.nest_checks import NestChecks
from enzyme.gradient.nests import Nest, find_nests
from enzyme.gradient.read_once import read_once
from enzyme.ir.builder import Builder
from enzyme.ir.printer import print_module
from enzyme.ir.types import I8, I64, ArrayType, FloatType
from enzyme.ir.values import (
    Block,
    ConstantInt,
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
LEAST = 8
"""Fewer outer iterations than these are left as they are."""
_SECOND_COUNTER = re.compile(r"%iteration\.r\.(?:1|near)(?: =|\.)")


def may_have_nests(text: str) -> bool:
    """Whether any function has two reversed loops."""
    return _SECOND_COUNTER.search(text) is not None


def interchanged(text: str) -> str | None:
    """The program with its nests exchanged where that pays; None where there are none. The text must have been
    optimised and its loops simplified."""
    program = read_once(text)
    module, changed = program.module, False
    for function, body in program.bodies:
        if not _SECOND_COUNTER.search(body):
            continue
        for nest in list(find_nests(program.loops(function).loops, module.datalayout)):
            _Exchange(function, nest).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


class _Place:
    """Where values of the nest are made: in one outer iteration ``k``, and for the body with one ``u``.

    What does not depend on k is made by ``ahead``, in front of the loop over k.
    """

    def __init__(self, exchange: _Exchange, build: Builder, k: Value, ahead: Builder, u: Value | None = None) -> None:
        self.exchange, self.build, self.k, self.ahead, self.u = exchange, build, k, ahead, u
        self.made: dict[Value, Value] = {}
        self._linear: dict[Polynomial, Value] = {}

    def value(self, value: Value) -> Value:
        forms = self.exchange.nest.forms
        if not forms.varies(value):
            return value
        found = self.made.get(value)
        if found is not None:
            return found
        assert isinstance(value, Instruction)
        if value.type.is_pointer:
            address = forms.address(value)
            assert address is not None
            base, form = address
            made = self._builder(value).gep(I8, base, [self._of_form(form)])
        elif (number := forms.integer(value)) is not None:
            wide = self._of_form(number)
            made = wide if value.type is I64 else self._builder(value).trunc(wide, value.type)
        else:
            assert not isinstance(value, (Phi, Load, Store)), value
            made = self.copy(value)
        self.made[value] = made
        return made

    def copy(self, value: Instruction) -> Value:
        made = value.clone([self.value(each) for each in value.operands])
        made.name = None
        self.made[value] = made
        return self._builder(value).insert(made)

    def _builder(self, value: Value) -> Builder:
        return self.ahead if self.u is not None and self.exchange.is_fixed(value) else self.build

    def _of_form(self, form: Polynomial) -> Value:
        """``start + k * by``, where all but the last part is made ahead."""
        exchange = self.exchange
        form = exchange.nest.skewed(form) if self.u is not None else form
        found = self._linear.get(form)
        if found is None:
            start = exchange.number(form.without(OUTER, INNER))
            if self.u is not None:
                start = _plus(self.ahead, start, self.u, exchange.number(form.factor(INNER)))
            found = _plus(self.build, start, self.k, exchange.number(form.factor(OUTER)))
            self._linear[form] = found
        return found


def _plus(build: Builder, start: Value, number: Value, by: Value) -> Value:
    """``start + number * by``."""
    if isinstance(by, ConstantInt):
        if by.value == 0:
            return start
        if by.value == -1:
            return build.sub(start, number)
    return build.add(build.mul(number, by), start)


class _Exchange:
    def __init__(self, function: Function, nest: Nest) -> None:
        self.function, self.nest = function, nest
        self.kept: dict[Value, Value] = {}  # numbers of the blocks around that others need, and where they are kept
        self.totals: dict[Phi, Value] = {}  # what is summed up per outer iteration
        self.carried: dict[Phi, Value] = {}
        self._numbers: dict[Polynomial, Value] = {}
        self._fixed: dict[Value, bool] = {}

    def emit(self) -> None:
        nest = self.nest
        ahead, head = nest.outer.preheader, nest.shape.head
        assert ahead is not None and ahead.terminator is not None
        ahead.remove(ahead.terminator)
        build = Builder(ahead)
        count = emit_sym(nest.outer_count, build)
        names = (
            "checks", "strips", "strip.around", "exchanged", "between", "range", "enter", "along", "leave", "next",
            "strip.late", "end",
        )  # fmt: skip
        blocks = [self.function.append_block(Block(f"nest.{name}")) for name in names]
        build.cond_br(build.icmp("ult", count, ConstantInt(I64, LEAST)), head, blocks[0])
        self.entry = Builder(blocks[0])
        self.last = count
        if nest.shape.leaves_early:
            self.last = self.entry.sub(count, ConstantInt(I64, 1))
        good = NestChecks(nest, self.entry, self.number, self.last).all()
        self._slots(ahead)
        self._strips(blocks, count)
        for phi in head.phis:
            phi.add_incoming(phi.value_from(ahead), blocks[0])
        self.entry.cond_br(good, blocks[1], head)

    def number(self, form: Polynomial) -> Value:
        """A form without counters, made in front of the nest."""
        found = self._numbers.get(form)
        if found is None:
            found = self._numbers[form] = form.emit(self.entry)
        return found

    def is_fixed(self, value: Value) -> bool:
        """Whether a value of the body is the same for all outer iterations with one ``u``."""
        nest = self.nest
        if not nest.forms.varies(value):
            return True
        found = self._fixed.get(value)
        if found is None:
            assert isinstance(value, Instruction)
            if value.type.is_pointer or nest.forms.integer(value) is not None:
                found = nest.fixed(value)
            elif value.block is not nest.shape.body or isinstance(value, Phi):
                found = False
            else:
                found = all(self.is_fixed(each) for each in value.operands)
            self._fixed[value] = found
        return found

    def _slots(self, ahead: Block) -> None:
        """Memory for what is handed from loop to loop."""
        nest, entry = self.nest, self.function.entry
        for block in nest.around:
            for inst in block.instructions:
                if not isinstance(inst.type, FloatType):
                    continue
                if any(user.block is nest.shape.body or user.block in nest.late for user in inst.users):
                    self.kept[inst] = entry_slot(entry, ArrayType(STRIP, inst.type), None)
        for phi in nest.totals:
            self.totals[phi] = entry_slot(entry, ArrayType(STRIP, phi.type), None)
        for phi in nest.carried:
            self.carried[phi] = entry_slot(entry, phi.type, None)
            self.entry.store(phi.value_from(ahead), self.carried[phi])

    # the exchanged nest

    def _strips(self, blocks: list[Block], count: Value) -> None:
        nest = self.nest
        checks, strips, around, exchanged, *_, following, late, end = blocks
        build = Builder(strips)
        first = build.phi(I64, [(ConstantInt(I64, 0), checks)])
        left = build.sub(self.last, first)
        most = ConstantInt(I64, STRIP - 1)
        rest = build.select(build.icmp("ult", left, most), left, most)
        final = build.add(first, rest)
        build.br(around)

        def walk(block: Block, source: Block, out: Block, fill: Callable[[Builder, Value, Value], None]) -> None:
            """A loop of one block over the strip."""
            build = Builder(block)
            number = build.phi(I64, [(ConstantInt(I64, 0), source)])
            fill(build, number, build.add(first, number))
            number.add_incoming(build.add(number, ConstantInt(I64, 1), ("nuw", "nsw")), block)
            build.cond_br(build.icmp("eq", number, rest), out, block)

        if nest.interleaved:
            Builder(around).br(exchanged)
        else:
            walk(around, strips, exchanged, lambda b, n, k: self._around(b, n, k, nest.around))
        self._exchanged(blocks, first, final)
        if nest.late:
            walk(late, following, end, lambda b, n, k: self._around(b, n, k, nest.late))
        else:
            Builder(late).br(end)
        build = Builder(end)
        next_first = build.add(final, ConstantInt(I64, 1))
        first.add_incoming(next_first, end)
        out = nest.shape.exit
        if nest.shape.leaves_early:  # the last iteration is run as it was
            out = nest.shape.head
            place = _Place(self, build, count, self.entry)
            for phi in out.phis:
                phi.add_incoming(place.value(phi), end)
        build.cond_br(build.icmp("ugt", next_first, self.last), out, strips)

    def _exchanged(self, blocks: list[Block], first: Value, final: Value) -> None:
        """The loops over u and, inside it, over the outer iterations of a strip."""
        nest = self.nest
        _, _, around, exchanged, between, ranges, enter, along, leave, following, late, _ = blocks
        low, rise = nest.skew, nest.skew + nest.slope  # u lies between low * k and length + rise * k
        length = self.number(nest.length.without(OUTER))
        build = Builder(around, before=around.terminator)
        from_u = _plus(build, ConstantInt(I64, 0), first if low >= 0 else final, ConstantInt(I64, low))
        to_u = _plus(build, length, final if rise >= 0 else first, ConstantInt(I64, rise))
        last_u = to_u
        if nest.interleaved:  # each outer iteration of the strip has its turn
            last_u = build.select(build.icmp("slt", to_u, final), final, to_u)
        build = Builder(exchanged)
        u = build.phi(I64, [(from_u, around)])
        if nest.interleaved:
            build.cond_br(build.icmp("sle", u, final), between, ranges)
            build = Builder(between)
            self._around(build, build.sub(u, first), u, nest.around)
        else:
            build.br(between)
            build = Builder(between)
        build.br(ranges)
        build = Builder(ranges)
        ends: list[tuple[str, Value]] = []
        if low:
            ends.append(("slt", u) if low > 0 else ("sgt", build.sub(ConstantInt(I64, 0), u)))
        if rise:
            ends.append(("sgt", build.sub(u, length)) if rise > 0 else ("slt", build.sub(length, u)))
        from_k, to_k = first, final
        for predicate, bound in ends:
            old = from_k if predicate == "sgt" else to_k
            new = build.select(build.icmp(predicate, bound, old), bound, old)
            from_k, to_k = (new, to_k) if predicate == "sgt" else (from_k, new)
        some = build.icmp("sle", from_k, to_k)
        inside = build.icmp("sle", u, to_u)
        build.cond_br(build.and_(some, inside) if ends else inside, enter, following)

        ahead, build = Builder(enter), Builder(along)
        k = build.phi(I64, [(from_k, enter)])
        number = build.sub(k, first)
        place = _Place(self, build, k, ahead, u)
        for value, slot in self.kept.items():
            if any(user.block is nest.shape.body for user in value.users):
                assert isinstance(value, Instruction)
                place.made[value] = build.load(value.type, build.gep(value.type, slot, [number]))
        sums = [build.phi(each.add.type, [(zero(each.add.type), enter)]) for each in nest.by_inner]
        self._body(place, number)
        done = Builder(leave)
        for each, total in zip(nest.by_inner, sums, strict=True):
            flags = tuple(dict.fromkeys((*each.add.fast_math, "reassoc", "nsz")))
            flags = ("fast",) if "fast" in flags else flags
            result = build.fadd(total, place.value(each.amount), flags)
            total.add_incoming(result, along)
            each.emit(done, place.value(each.store.pointer), result)
        k.add_incoming(build.add(k, ConstantInt(I64, 1), ("nuw", "nsw")), along)
        build.cond_br(build.icmp("eq", k, to_k), leave, along)
        ahead.br(along)
        done.br(following)

        build = Builder(following)
        u.add_incoming(build.add(u, ConstantInt(I64, 1)), following)
        build.cond_br(build.icmp("sge", u, last_u), late, exchanged)

    def _body(self, place: _Place, number: Value) -> None:
        """One iteration of the body, but for sums that stay in registers."""
        nest, build = self.nest, place.build
        loads = {each.load for each in nest.sums}
        stores = {each.store: each for each in nest.sums}
        totals = {add: phi for phi, add in nest.totals.items()}
        for inst in nest.shape.body.instructions:
            if inst in stores:
                each = stores[inst]
                if each not in nest.by_inner:
                    each.emit(build, place.value(each.store.pointer), place.value(each.amount))
            elif inst in totals:
                phi = totals[inst]
                slot = build.gep(phi.type, self.totals[phi], [number])
                place.made[phi] = build.load(phi.type, slot)
                build.store(place.copy(inst), slot)
            elif isinstance(inst, (Load, Store)) and inst not in loads:
                place.copy(inst)

    # what stands around the inner loop

    def _around(self, build: Builder, number: Value, k: Value, blocks: list[Block]) -> None:
        nest = self.nest
        place = _Place(self, build, k, self.entry)
        for phi, slot in self.carried.items():
            place.made[phi] = build.load(phi.type, slot)
        if blocks is nest.late:
            for value, slot in self.kept.items():
                place.made[value] = build.load(value.type, build.gep(value.type, slot, [number]))
            for phi, slot in self.totals.items():
                place.made[nest.totals[phi]] = build.load(phi.type, build.gep(phi.type, slot, [number]))
        for inst in _memory(blocks):
            place.copy(inst)
        if blocks is not nest.around:
            return
        for value, slot in self.kept.items():
            build.store(place.value(value), build.gep(value.type, slot, [number]))
        for phi, slot in self.totals.items():
            (start,) = (value for value, source in phi.incoming if source is not nest.shape.body)
            build.store(place.value(start), build.gep(phi.type, slot, [number]))
        latch = nest.shape.latch
        following = [(place.value(phi.value_from(latch)), slot) for phi, slot in self.carried.items()]
        for new, slot in following:
            build.store(new, slot)


def _memory(blocks: list[Block]) -> Iterator[Instruction]:
    for block in blocks:
        yield from (each for each in block.instructions if isinstance(each, (Load, Store)))
