"""Reversed loop nests whose loops may be exchanged.

The nest is an outer loop around an inner one of a single block, the *body*. The iterations are numbered k = 0, 1, ...
and l = 0 .. L(k), where L is linear in k: a rectangle, a triangle, or a band. The body may

- add to memory (see sums.py): what one iteration adds does not depend on what another one has added,
- sum up in a register over the inner loop,
- read numbers and overwrite them in place, such as adjoints that are taken and cleared,
- read what it does not write.

Then its iterations may be run in any order, as far as that order is the order of additions: those with one
u = l + c k together, where c is chosen so that k then walks along memory (``skew``). The inner iterations may be
numbered from their end as well (``reflected``).

Arrays that are touched must not overlap where the order matters. Whether that is so, the running program finds out in
front of the nest: addresses are linear in k and l, so they are least and greatest at the corners. What is read and
overwritten in place must lie elsewhere in each iteration: the rows must not be longer than the step to the next.

What stands around the inner loop is run for many outer iterations at once, in their order; it may touch nothing that
the body touches, but for additions to the same place: they may be made in any order. In a triangular solve it takes
what the body has added up in earlier iterations, all of it with one u < k: then what stands around is run between the
sums, in front of those with u = k (``interleaved``). With c = 1, u is at least k, so that is in front of all uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import INNER, OUTER, NestForms, Polynomial
from enzyme.analysis.symbolic import Sym
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.nest_shapes import NestShape, read_shape
from enzyme.gradient.sums import Sum, find_sums, is_arithmetic
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import FloatType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Compare,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    UnaryOp,
    Value,
)

COUNTER = re.compile(r"iteration\.r(?:\.|$)")
"""Names of counters of reversed loops: only there are sums the derivative's own."""
_PLAIN_INTEGER = ("add", "sub", "mul", "shl", "and", "or", "xor")
_MOST_PAIRS = 32


@dataclass(frozen=True)
class Access:
    """A number in memory that every iteration touches, ``form`` bytes behind ``base``."""

    inst: Load | Store
    base: Value
    form: Polynomial
    size: int

    def step(self, skew: int) -> Polynomial:
        """How far neighbouring outer iterations with one ``u`` lie apart."""
        return self.form.factor(OUTER).plus(self.form.factor(INNER), -skew)

    def same_place(self, other: Access) -> bool:
        return self.base is other.base and self.form == other.form


@dataclass
class Nest:
    """A nest that may be exchanged where what ``apart``, ``distinct`` and ``ordered`` ask for is found to hold."""

    shape: NestShape
    outer: Loop
    outer_count: Sym
    length: Polynomial
    """L: the number of the last inner iteration."""
    slope: int
    """How much L changes from one outer iteration to the next."""
    forms: NestForms
    sums: list[Sum]
    totals: dict[Phi, BinaryOp]
    """What the inner loop sums up in registers."""
    carried: list[Phi]
    """Numbers that one outer iteration hands to the next."""
    around: list[Block]
    """What is run ahead of the body for many outer iterations, in this order; ``late``: behind it."""
    late: list[Block]
    skew: int = 0
    reflected: bool = False
    interleaved: bool = False
    by_inner: list[Sum] = field(default_factory=list)
    """The sums whose place depends on u alone."""
    apart: list[tuple[Access, Access]] = field(default_factory=list)
    distinct: list[Access] = field(default_factory=list)
    """What must lie elsewhere in each iteration."""
    apart_rows: list[Access] = field(default_factory=list)
    """What must lie elsewhere in each outer iteration, all of the inner ones together."""
    ordered: list[Polynomial] = field(default_factory=list)
    """What must not be negative in the first nor in the last outer iteration."""
    assumed: list[Polynomial] = field(default_factory=list)
    """The same for those in which the body is run."""

    def fixed(self, value: Value) -> bool:
        """Whether an integer or an address is the same for all outer iterations with one ``u``."""
        form: Polynomial | None
        if value.type.is_pointer:
            found = self.forms.address(value)
            form = found[1] if found is not None else None
        else:
            form = self.forms.integer(value)
        return form is not None and not self.skewed(form).degree(OUTER)

    def skewed(self, form: Polynomial) -> Polynomial:
        """A form in k and u, where INNER stands for u."""
        if self.reflected:
            form = self.from_end(form)
        return form.replaced(INNER, Polynomial.variable(INNER).plus(Polynomial.variable(OUTER), -self.skew))

    def from_end(self, form: Polynomial) -> Polynomial:
        """With the inner iterations numbered from their end."""
        return form.replaced(INNER, self.length.minus(Polynomial.variable(INNER)))


def find_nests(loops: Iterable[Loop], layout: DataLayout) -> Iterator[Nest]:
    """Nests that may be exchanged and are better for it, of loops in simplified form."""
    for outer in loops:
        if len(outer.children) == 1:
            shape = read_shape(outer, outer.children[0])
            nest = _Reader(shape, outer, outer.children[0], layout).read() if shape is not None else None
            if nest is not None:
                yield nest


class _Reader:
    def __init__(self, shape: NestShape, outer: Loop, inner: Loop, layout: DataLayout) -> None:
        self.shape, self.outer, self.inner, self.layout = shape, outer, inner, layout
        self.forms = NestForms(outer, inner, layout, assume=True)
        self.accesses: dict[Block, list[Access]] = {}

    def read(self) -> Nest | None:
        shape = self.shape
        assert self.outer.forest is not None
        domtree: DominatorTree = self.outer.forest.domtree
        outer_count, inner_count = backedge_count(self.outer, domtree), backedge_count(self.inner, domtree)
        length = self.forms.of_sym(inner_count) if inner_count is not None else None
        if outer_count is None or length is None or length.degree(OUTER, INNER) > 1 or length.degree(INNER):
            return None
        slope = length.factor(OUTER).constant
        carried, totals = self._phis()
        if slope is None or abs(slope) > 1 or carried is None or totals is None:
            return None
        if not all(self._known(block) for block in shape.blocks) or not self._stays_inside(totals):
            return None
        sums = list(find_sums(shape.body))
        order = self._order(carried, totals)
        if order is None:
            return None
        nest = Nest(shape, self.outer, outer_count, length, slope, self.forms, sums, totals, carried, *order)
        if shape.guard is not None and not self._guarded(nest, shape.guard):
            return None
        self.forms.assume = False  # what is assumed is asked from here on
        for at, what in self.forms.assumed:
            if what.degree(INNER) or what.degree(OUTER) > 1:
                return None
            forms = nest.assumed if at.block is shape.body or at.block in shape.optional else nest.ordered
            if what not in forms:
                forms.append(what)
        return self._choose(nest)

    def _phis(self) -> tuple[list[Phi] | None, dict[Phi, BinaryOp] | None]:
        """Numbers handed from one outer iteration to the next, and those that the inner loop sums up."""
        carried: list[Phi] = []
        totals: dict[Phi, BinaryOp] = {}
        refused = None, None
        for phis in (self.shape.head.phis, self.shape.body.phis):
            if not any(COUNTER.match(phi.name or "") for phi in phis):
                return refused
        for phi in self.shape.head.phis:
            if isinstance(phi.type, FloatType) and not self.shape.leaves_early:
                carried.append(phi)
            elif self.forms.integer(phi) is None:
                return refused
        for phi in self.shape.body.phis:
            if isinstance(phi.type, FloatType):
                add = phi.value_from(self.shape.body)
                if not isinstance(add, BinaryOp) or add.opcode not in ("fadd", "fsub") or list(phi.users) != [add]:
                    return refused
                if add.operands[0] is not phi and (add.opcode == "fsub" or add.operands[1] is not phi):
                    return refused
                elsewhere = [user for user in add.users if user is not phi and user.block is self.shape.body]
                if add.operands[0] is add.operands[1] or add.block is not self.shape.body or elsewhere:
                    return refused
                totals[phi] = add
            elif self.forms.integer(phi) is None:
                return refused
        return carried, totals

    def _known(self, block: Block) -> bool:
        """Whether all of a block is arithmetic and plain accesses of numbers."""
        accesses = self.accesses[block] = []
        for inst in block.instructions:
            if isinstance(inst, (Phi, DebugRecord)) or inst is block.terminator:
                continue
            if isinstance(inst, (Load, Store)):
                kind = inst.accessed
                if not isinstance(kind, FloatType) or inst.ordering or "volatile" in inst.flags:
                    return False
                found = self.forms.address(inst.pointer)
                if found is None or found[1].degree(OUTER, INNER) > 1 or block in self.shape.optional:
                    return False
                if block is not self.shape.body and found[1].degree(INNER):
                    return False
                accesses.append(Access(inst, *found, self.layout.size_of(kind)))
            elif isinstance(inst, CallBase):
                if not is_arithmetic(inst):
                    return False
            elif isinstance(inst, BinaryOp):
                if not isinstance(inst.type, FloatType) and inst.opcode not in _PLAIN_INTEGER:
                    return False
            elif not isinstance(inst, (Cast, Compare, GetElementPtr, Select, UnaryOp)):
                return False
        return True

    def _stays_inside(self, totals: dict[Phi, BinaryOp]) -> bool:
        """Whether no value of the nest is used behind it, and none of the inner loop but for sums around it. Where the
        nest is left at its head, the last iteration is run as it was."""
        summed = set(totals.values())
        for block in self.outer.blocks:
            for inst in block.instructions:
                for user in inst.users:
                    if not isinstance(user, Instruction) or user.block not in self.outer.blocks:
                        if not self.shape.leaves_early:
                            return False
                    elif user.block is not block:
                        if block is self.shape.body and inst not in summed:
                            return False
                        if not isinstance(inst.type, FloatType) and not self._made_again(inst):
                            return False
        return True

    def _made_again(self, value: Value, depth: int = 12) -> bool:
        """Whether an integer or an address is made of counters alone."""
        if not self.forms.varies(value):
            return True
        if not depth or not isinstance(value, Instruction) or isinstance(value, (Load, CallBase)):
            return False
        if isinstance(value.type, FloatType):
            return False
        return isinstance(value, Phi) or all(self._made_again(each, depth - 1) for each in value.operands)

    def _order(self, carried: list[Phi], totals: dict[Phi, BinaryOp]) -> tuple[list[Block], list[Block]] | None:
        """Which blocks are run ahead of the body, and which behind it: all ahead, if the inner loop sums up nothing."""
        shape = self.shape
        ahead, behind = [each for each in (shape.head, shape.enter) if each is not None], shape.behind
        if not totals:
            return [*ahead, *behind], []
        return (ahead, behind) if not carried and not shape.optional else None

    def _guarded(self, nest: Nest, guard: tuple[Compare, bool]) -> bool:
        """Whether the body is left out exactly where ``L`` is -1; what must not be negative for that to be seen."""
        compare, enters = guard
        left, right = (self.forms.integer(each) for each in compare.operands)
        if left is None or right is None or compare.opcode != "icmp":
            return False
        predicate = compare.predicate
        rounds = nest.length.plus(Polynomial.number(1))
        if predicate in ("eq", "ne"):
            if (predicate == "ne") != enters or compare.operands[0].type != self.shape.body.phis[0].type:
                return False
            return rounds in (left.minus(right), right.minus(left))
        if predicate[1] == "g":
            left, right = right, left
        inclusive = predicate[2] == "e"
        if not enters:
            left, right, inclusive = right, left, not inclusive
        more = right.minus(left).plus(Polynomial.number(int(inclusive)))
        nest.ordered += [left, right]
        return more == rounds and left.degree(OUTER, INNER) <= 1 and right.degree(OUTER, INNER) <= 1

    def _choose(self, nest: Nest) -> Nest | None:
        """Choose the order, so that there are elements side by side that only k walks, and none the other way; of
        several the one that is likely to be found right, where parts of one array must be apart least often."""
        found: list[Nest] = []
        for reflected in (False, True) if not nest.totals else (False,):
            body = self.accesses[self.shape.body]
            if reflected:
                body = [replace(each, form=nest.from_end(each.form)) for each in body]
            places = {access.inst: access for access in body}
            for skew in (0, 1, -1):
                both = [each for each in body if self._walks(each, skew)]
                if abs(skew + nest.slope) > 1 or not both or not all(self._is_better(each, skew) for each in both):
                    continue
                by_inner = [each for each in nest.sums if not places[each.store].step(skew).terms]
                chosen = replace(nest, skew=skew, reflected=reflected, by_inner=by_inner)
                if self._apart(chosen, body):
                    found.append(chosen)
        return min(found, key=lambda each: sum(a.base is b.base for a, b in each.apart), default=None)

    def _is_better(self, access: Access, skew: int) -> bool:
        step, along = access.step(skew).constant, access.form.factor(INNER).constant
        return step is not None and abs(step) == access.size and (along is None or abs(along) > access.size)

    def _walks(self, access: Access, skew: int) -> bool:
        return bool(access.form.degree(INNER) and access.step(skew).terms)

    def _apart(self, nest: Nest, body: list[Access]) -> bool:
        """Find what must not overlap, and what must not lie at one place in two iterations."""
        shape, of_sums = self.shape, _parts(nest.sums)
        added = [each for each in body if each.inst in _parts(nest.sums, stores=True)]
        others = [each for each in body if each.inst not in of_sums]
        reads = [each for each in others if isinstance(each.inst, Load)]
        writes = [each for each in others if isinstance(each.inst, Store)]
        places = {inst: place for place, inst in enumerate(shape.body.instructions)}
        for write in writes:
            mine = [each for each in reads if each.same_place(write)]
            if any(places[each.inst] > places[write.inst] for each in mine) or not self._walks(write, nest.skew):
                return False
            reads = [each for each in reads if each not in mine]
        nest.distinct = writes
        summed = _parts([each for block in (*nest.around, *nest.late) for each in find_sums(block)])
        ahead = [each for block in nest.around for each in self.accesses[block]]
        late = [each for block in nest.late for each in self.accesses[block]]
        pairs = [(a, b) for a in added for b in (*reads, *writes)]
        pairs += [(a, b) for a in added for b in (*ahead, *late) if b.inst not in summed or b.size != a.size]
        pairs += [(a, b) for a in added for b in added if a.size < b.size]
        pairs += [(a, b) for a in writes for b in (*reads, *ahead, *late)]
        pairs += [(a, b) for place, a in enumerate(writes) for b in writes[place + 1 :]]
        pairs += [(a, b) for a in (*ahead, *late) if isinstance(a.inst, Store) for b in reads]
        pairs += [(a, b) for a in ahead for b in late if isinstance(a.inst, Store) or isinstance(b.inst, Store)]
        distinct: dict[tuple[Value, Value], tuple[Access, Access]] = {}
        by_inner = _parts(nest.by_inner, stores=True)
        for a, b in pairs:
            if a.inst in by_inner and b in ahead and self._is_summed_before(nest, a, b):
                nest.interleaved = True
                continue
            if a.inst.pointer is b.inst.pointer or a.same_place(b) or _is_beside(a, b):
                return False
            distinct.setdefault((a.inst.pointer, b.inst.pointer), (a, b))
        nest.apart = list(distinct.values())
        return len(distinct) <= _MOST_PAIRS

    def _is_summed_before(self, nest: Nest, sum: Access, access: Access) -> bool:
        """Whether what stands around the inner loop in iteration k touches a sum just where u = k + d, with d < 0."""
        if nest.skew != 1 or nest.late or sum.base is not access.base or sum.size != access.size:
            return False
        by, other = sum.form.factor(INNER).constant, access.form.factor(OUTER).constant
        distance = access.form.without(OUTER).minus(sum.form.without(OUTER, INNER)).constant
        if by is None or by != other or not sum.size <= abs(by) < 1 << 31 or distance is None or distance % by:
            return False
        return distance // by < 0


def _is_beside(a: Access, b: Access) -> bool:
    """Whether both begin at about the same place: then they overlap."""
    begins = [each.form.without(OUTER, INNER) for each in (a, b)]
    distance = begins[0].minus(begins[1]).constant
    return a.base is b.base and distance is not None and abs(distance) <= 2 * a.size


def _parts(sums: list[Sum], stores: bool = False) -> set[Instruction]:
    return {part for each in sums for part in ((each.store,) if stores else (each.load, each.store))}
