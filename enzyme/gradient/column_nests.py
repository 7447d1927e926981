"""Nests whose inner loops may be run for a strip of columns after the other (column_strips.py): what they are.

A nest is a loop with one way out. All that it stores is stored in innermost loops of one block, which run over all
columns from 0 on, or over as many as a power of two divides and then the rest, and hand nothing from column to column.
What an access to memory that the nest writes touches lies ``stride`` bytes further for each next column, in any row of
a table whose rows are no shorter than the columns are many; that, and that other memory is apart, is known or asked of
the running program. Addresses are polynomials in the counters of loops (analysis/polynomials.py); as elsewhere, no
program counts so far that addresses of what it touches wrap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd

from enzyme.analysis.alias import AliasAnalysis, ModuleSummaries
from enzyme.analysis.dominators import DominatorTree
from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop, LoopForest, analyse_loops
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.polynomials import Polynomial, Variable
from enzyme.analysis.tbaa import declares_scope
from enzyme.gradient.sums import is_arithmetic, is_simple_access
from enzyme.ir.intrinsics import MEMSET
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.types import I64, Type, VectorType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    Branch,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    DebugRecord,
    ExtractElement,
    Freeze,
    Function,
    GetElementPtr,
    InsertElement,
    Instruction,
    Load,
    Phi,
    Select,
    ShuffleVector,
    Store,
    UnaryOp,
    Value,
    is_zero,
)
from enzyme.rules.known import known_callee

COLUMN: Variable = (None, "column")
CACHED = 24 << 10
"""Bytes that the columns of a strip take: half of the first level of cache, or three quarters on older processors."""
CACHED_VECTORS = 192 << 10
"""The same where columns are vectors of lanes and a processor works on halves of its registers: what it computes with
them takes longer than to load them from the second level of cache."""
MULTIPLE = 16
"""Of columns a strip has: what vectors, and iterations that share registers, take at once."""
LEAST = 64
"""Columns of a strip, at least."""
_SHARE = 4
"""What is computed again for each strip takes at most one part in so many of the strip's instructions."""
_MOST_PAIRS = 24
_MOST_FACTOR = 1 << 8
_ROWS = 4
"""Iterations of a loop around the columns where their number is not known."""
_ROWS_CLEARED = 8
"""Rows that are cleared strip by strip, at most: each is a call of its own."""
_PLAIN = (
    BinaryOp, Branch, Cast, Compare, DebugRecord, ExtractElement, Freeze, GetElementPtr, InsertElement, Phi,
    Select, ShuffleVector, UnaryOp,
)  # fmt: skip

Place = tuple[Value, Polynomial, int]
"""What an access touches: a pointer from in front of the nest, how far behind it, and how many bytes."""
Operand = tuple[Instruction, int]


@dataclass
class ColumnNest:
    """``outer``: the nest. ``end``: how many columns there are; ``ends``: the operands that say so to inner loops, and
    ``starts`` those that say that these begin at 0. ``strip``: columns to be taken at once. ``lengths``: of rows, which
    are to be no less than ``end``; ``apart``: what must not overlap; ``rounds``: of the nest's loops; ``cleared``: what
    is filled with zeros right in front of it."""

    outer: Loop
    end: Value
    ends: list[Operand] = field(default_factory=list)
    starts: list[Operand] = field(default_factory=list)
    strip: int = 0
    lengths: dict[Polynomial, None] = field(default_factory=dict)
    apart: list[tuple[Place, Place]] = field(default_factory=list)
    rounds: dict[Loop, Polynomial] = field(default_factory=dict)
    cleared: list[Cleared] = field(default_factory=list)


@dataclass(frozen=True)
class Cleared:
    """A call that clears what the nest writes: ``rows`` rows of as many columns as there are, ``stride`` bytes each, if
    it clears so many bytes and ``length``, that of the nest's rows, is the number of columns."""

    call: CallBase
    rows: int
    stride: int
    length: Polynomial | None


def find_column_nests(
    function: Function, module: Module, summaries: ModuleSummaries, halves: bool = False
) -> list[ColumnNest]:
    """The nests of a function that are worth it, outermost ones; ``halves``: on a processor that works on halves."""
    found: list[ColumnNest] = []
    memory: PointerAnalysis | None = None
    loops = _loops_with_others(function)
    for outer in loops:
        if any(each.outer.contains(outer) for each in found):
            continue
        columns = _Columns.of(outer)
        if columns is None:
            continue
        memory = memory or AliasAnalysis(function, module, known_callee, summaries).pointers
        nest = _Reader(columns, memory, module.datalayout, halves).read()
        if nest is not None:
            found.append(nest)
    return found


def _loops_with_others(function: Function) -> list[Loop]:
    forest = analyse_loops(function)
    return [] if forest.irreducible_edges else [loop for loop in forest.loops if loop.children]


@dataclass
class _Columns:
    """The inner loops of a nest, as loops over columns."""

    outer: Loop
    inner: list[Loop]
    end: Value
    nest: ColumnNest
    counters: set[Phi] = field(default_factory=set)
    unused: set[Phi] = field(default_factory=set)
    tests: set[Value] = field(default_factory=set)
    parts: dict[Value, None] = field(default_factory=dict)

    @staticmethod
    def of(outer: Loop) -> _Columns | None:
        inner = [loop for loop in outer.inside() if not loop.children]
        blocks = {loop.header for loop in inner if len(loop.blocks) == 1}
        if len(blocks) < len(inner) or not outer.is_simple or len(outer.exits) != 1:
            return None
        if not all(_is_plain(block, block in blocks) for block in outer.order):
            return None
        stores = [inst for block in outer.order for inst in block.instructions if isinstance(inst, Store)]
        if not stores or not all(store.block in blocks for store in stores):
            return None
        ends = {_end(outer, loop) for loop in inner}
        end = ends.pop()
        if ends or end is None:
            return None
        found = _Columns(outer, inner, end, ColumnNest(outer, end))
        return found if all(map(found._add, inner)) and all(map(found._is_used_so, found.parts)) else None

    def _add(self, loop: Loop) -> bool:
        """Note what says where a loop begins and ends; whether it hands nothing on but counters."""
        block = loop.header
        bound, step, test = _bound(loop) or (None, 0, None)
        if bound is None or test is None:
            return False
        whole = bound is self.end
        if not (step == 1 if whole else self._is_part(bound, step)):
            return False
        self.tests.add(test)
        if whole:
            self.nest.ends.append((test, test.operands.index(bound)))
        for inst in block.instructions:
            if not all(user.block is block or _is_unused(user) for user in inst.users):
                return False
        for phi in block.phis:
            next = phi.value_from(block)
            if _is_unused(phi, {next}) and _is_unused(next, {phi}):
                self.unused.add(phi)
                continue
            if phi.type is not I64 or _step(phi, block) != step:
                return False
            for index, (value, source) in enumerate(phi.incoming):
                if source is block:
                    continue
                if is_zero(value):
                    if not whole and not self._leads(source, block, bound, None):
                        return False
                    self.nest.starts.append((phi, 2 * index))
                elif not whole or not self._is_part(value, 1) or not self._leads(source, block, value, self.end):
                    return False
            self.counters.add(phi)
        return True

    def _is_part(self, value: Value, step: int) -> bool:
        """Whether a value is as many of the columns as a power of two divides, and ``step`` that."""
        if not isinstance(value, BinaryOp) or value.opcode != "and" or value.block not in self.outer.blocks:
            return False
        number, mask = value.operands
        if number is not self.end or not isinstance(mask, ConstantInt) or not -MULTIPLE <= mask.value < -1:
            return False
        self.parts[value] = None
        return not -mask.value & (-mask.value - 1) and -mask.value % step == 0

    def _leads(self, source: Block, block: Block, part: Value, whole: Value | None) -> bool:
        """Whether a block leads to a loop where a part of the columns is not 0, or not all of them."""
        jump = source.terminator
        test = jump.operands[0] if isinstance(jump, Branch) and jump.is_conditional else None
        if not isinstance(test, Compare) or test.predicate not in ("eq", "ne") or jump is None:
            return False
        left, right = test.operands
        if left is not part or not (right is whole if whole is not None else is_zero(right)):
            return False
        return jump.operands[1 if test.predicate == "ne" else 2] is block and jump.operands[1] is not jump.operands[2]

    def _is_used_so(self, part: Value) -> bool:
        """Whether a part of the columns only says where loops over columns begin and end, and whether it is nothing or
        all; note where."""
        assert isinstance(part, BinaryOp)
        self.nest.ends.append((part, 0))
        for user in part.users:
            if user in self.counters or user in self.unused or user in self.tests:
                continue
            if not isinstance(user, Compare) or user.block not in self.outer.blocks:
                return False
            left, right = user.operands
            if user.predicate not in ("eq", "ne") or left is not part or not (is_zero(right) or right is self.end):
                return False
            (self.nest.starts if is_zero(right) else self.nest.ends).append((user, 1))
        return True


def _is_plain(block: Block, once: bool) -> bool:
    """Whether all of a block may be run again, or ``once`` for each column: arithmetic, plain accesses and jumps. What
    is frozen again may be another number."""
    for inst in block.instructions:
        if isinstance(inst, CallBase):
            name = inst.callee_name or ""
            if not (declares_scope(inst) or is_arithmetic(inst) or name.startswith("llvm.vector.reduce.")):
                return False
        elif isinstance(inst, (Load, Store)):
            if not is_simple_access(inst):
                return False
        elif not isinstance(inst, _PLAIN) or isinstance(inst, Freeze) and not once:
            return False
    return True


def _is_unused(value: Value, besides: set[Value] | None = None, depth: int = 4) -> bool:
    """Whether nothing uses a value but what is unused itself, ``besides`` some that are looked at elsewhere."""
    if not isinstance(value, Instruction) or not depth:
        return False
    if not isinstance(value, (Phi, BinaryOp)):
        return False
    return all(user in (besides or ()) or _is_unused(user, besides, depth - 1) for user in value.users)


def _step(phi: Phi, block: Block) -> int:
    """By how much a counter rises; 0 if it is none."""
    next = phi.value_from(block)
    if isinstance(next, BinaryOp) and next.opcode == "add" and next.block is block and next.operands[0] is phi:
        by = next.operands[1]
        return by.value if isinstance(by, ConstantInt) and by.value > 0 else 0
    return 0


def _bound(loop: Loop) -> tuple[Value, int, Compare] | None:
    """Where a loop of one block ends, by how much its counter rises, and the test."""
    block = loop.header
    jump = block.terminator
    if not isinstance(jump, Branch) or not jump.is_conditional or len(loop.exits) != 1:
        return None
    test = jump.operands[0]
    if not isinstance(test, Compare) or test.block is not block or len(test.users) != 1:
        return None
    if test.predicate != ("ne" if jump.operands[1] is block else "eq"):
        return None
    for next, bound in (test.operands, test.operands[::-1]):
        for phi in block.phis:
            if phi.value_from(block) is next and phi.type is I64 and _step(phi, block):
                return (bound, _step(phi, block), test) if loop.is_invariant(bound) else None
    return None


def _end(outer: Loop, loop: Loop) -> Value | None:
    """How many columns there are, as one of the inner loops has it."""
    found = _bound(loop)
    if found is None:
        return None
    bound = found[0]
    if isinstance(bound, BinaryOp) and bound.opcode == "and" and bound.block in outer.blocks:
        bound = bound.operands[0]
    return bound if outer.is_invariant(bound) else None


class _Forms(FunctionForms):
    """Polynomials in columns, and in counters of the nest's other loops."""

    def __init__(self, columns: _Columns, dominators: DominatorTree, loops: LoopForest, layout: DataLayout) -> None:
        super().__init__(dominators, loops, layout)
        self.columns = columns

    def counter(self, phi: Phi) -> tuple[Loop, Variable] | None:
        return super().counter(phi) if phi.block in self.columns.outer.blocks else None

    def opened(self, value: Value, widened: str, depth: int) -> Polynomial | None:
        if value in self.columns.counters:
            return Polynomial.variable(COLUMN)
        return super().opened(value, widened, depth)

    def _behind(self, pointer: Value) -> tuple[Value, Polynomial] | None:
        if isinstance(pointer, Phi) and pointer.block not in self.columns.outer.blocks:
            return None
        return super()._behind(pointer)


class _Reader:
    """Whether columns of a nest are apart, and strips of them worth it."""

    def __init__(self, columns: _Columns, memory: PointerAnalysis, layout: DataLayout, halves: bool) -> None:
        self.columns, self.outer, self.nest, self.memory = columns, columns.outer, columns.nest, memory
        self.halves = halves
        forest = self.outer.forest
        assert forest is not None
        self.forms = _Forms(columns, forest.domtree, forest, layout)
        self.layout = layout
        self._places: dict[Value, Place | None] = {}

    def read(self) -> ColumnNest | None:
        accesses = [i for block in self.outer.order for i in block.instructions if isinstance(i, (Load, Store))]
        stores = [each for each in accesses if isinstance(each, Store)]
        if not self._is_worth_it(accesses) or not self._find_rounds():
            return None
        seen: set[tuple[Value, Value]] = set()
        for store in stores:
            for other in accesses:
                pair = store.pointer, other.pointer
                if pair not in seen and not (isinstance(other, Store) and (pair[1], pair[0]) in seen):
                    seen.add(pair)
                    if not self._may_part(store, other):
                        return None
        self._find_cleared(accesses)
        return self.nest

    def _find_cleared(self, accesses: list[Load | Store]) -> None:
        """The calls right in front of the nest that clear rows which it writes, column by column."""
        ahead = self.outer.preheader
        assert ahead is not None
        for inst in reversed(ahead.instructions):
            if isinstance(inst, CallBase) and inst.callee_name == MEMSET[0]:
                fills, volatile = inst.args[1], inst.args[3]
                found = self._rows_of(inst, accesses) if is_zero(fills) and is_zero(volatile) else None
                if found is not None:
                    self.nest.cleared.append(found)
                elif not is_zero(fills) or not is_zero(volatile):
                    return
            elif isinstance(inst, (Load, Store)) or (
                isinstance(inst, CallBase) and not declares_scope(inst) and not is_arithmetic(inst)
            ):
                return

    def _rows_of(self, call: CallBase, accesses: list[Load | Store]) -> Cleared | None:
        """The rows that a call clears, where all that the nest touches of its memory lies in rows: a column of each in
        a multiple of ``stride``, from the beginning of what is cleared on."""
        base, start = self.forms.from_base(call.args[0])
        rows, strides, lengths = 0, set[int](), dict[Polynomial, None]()
        inside = [each for each in accesses if (place := self.place(each)) is not None and place[0] is base]
        memory = self.memory
        if not any(isinstance(each, Store) for each in inside):
            return None
        of = memory.location(inside[0])
        for access in accesses:
            if access not in inside and not memory.apart_at_any_offset(of, memory.location(access)):
                return None
        for access in inside:
            place = self.place(access)
            assert place is not None
            form, columns = place[1].minus(start), self._columns_of(access)
            stride = form.stride(COLUMN)
            if stride is None or not 0 <= form.offset <= columns * stride - place[2]:
                return None
            strides.add(stride)
            row = 0
            for product, factor in form.without(COLUMN).varying:
                most, unit = factor, []
                for variable in product:
                    rounds = self.nest.rounds.get(variable[0]) if isinstance(variable[0], Loop) else None
                    if rounds is None:
                        unit.append(variable)
                    elif rounds.constant is None:
                        return None
                    else:
                        most *= max(rounds.constant - 1, 0)
                if len(unit) != 1 or factor <= 0 or factor % stride:
                    return None
                lengths[Polynomial.variable(unit[0])] = None
                row += most // stride
            rows = max(rows, row + 1)
        if not 0 < rows <= _ROWS_CLEARED or len(strides) != 1 or len(lengths) > 1:
            return None
        return Cleared(call, rows, strides.pop(), next(iter(lengths), None))

    def _find_rounds(self) -> bool:
        """How often each loop around the columns runs, said in front of the nest."""
        for loop in (self.outer, *self.outer.inside()):
            if loop.children:
                rounds = self.forms.rounds(loop)
                if rounds is None or not all(map(self._is_fixed, rounds.variables)):
                    return False
                self.nest.rounds[loop] = rounds
        return True

    def _is_fixed(self, variable: Variable) -> bool:
        """Whether a variable is a value from in front of the nest."""
        return isinstance(variable[0], Value) and self.outer.is_invariant(variable[0])

    def place(self, access: Load | Store) -> Place | None:
        pointer = access.pointer
        if pointer not in self._places:
            base, form = self.forms.from_base(pointer)
            known = self.outer.is_invariant(base) and all(
                variable == COLUMN
                or self._is_fixed(variable)
                or isinstance(variable[0], Loop)
                and self.outer.contains(variable[0])
                and bool(variable[0].children)
                for variable in form.variables
            )
            self._places[pointer] = (base, form, self.layout.size_of(_type(access))) if known else None
        found = self._places[pointer]
        return (*found[:2], self.layout.size_of(_type(access))) if found is not None else None

    def _may_part(self, store: Store, other: Load | Store) -> bool:
        """Whether a store and an access in another column are of different bytes, as far as known; note what is to be
        asked."""
        memory = self.memory
        if memory.apart_in(self.outer, store, other):
            return True
        if memory.apart_at_any_offset(memory.location(store), memory.location(other)):
            return True
        a, b = self.place(store), self.place(other)
        if a is None or b is None:
            return False
        if a[0] is b[0]:
            same = self._same_columns((a, self._columns_of(store)), (b, self._columns_of(other)))
            if same is not None:
                return same
            if a[1] == b[1]:
                return False
        if len(self.nest.apart) == _MOST_PAIRS or not (self._is_bounded(a) and self._is_bounded(b)):
            return False
        self.nest.apart.append((a, b))
        return True

    def _is_bounded(self, place: Place) -> bool:
        """Whether the ends of what is touched can be computed without wrapping."""
        for product, factor in place[1].varying:
            for each in product:
                if isinstance(each[0], Loop):
                    rounds = self.nest.rounds[each[0]].constant
                    if rounds is not None:
                        factor *= rounds
                        product = tuple(other for other in product if other != each)
            if len(product) > 2 or abs(factor) > _MOST_FACTOR:
                return False
        return abs(place[1].offset) < 1 << 40

    def _columns_of(self, access: Load | Store) -> int:
        """How many columns an iteration of the loop with an access takes, from a multiple of that on."""
        block = access.block
        assert block is not None
        return max((_step(phi, block) for phi in block.phis if phi in self.columns.counters), default=1)

    def _same_columns(self, *accesses: tuple[Place, int]) -> bool | None:
        """Whether two accesses only meet in one and the same column, or in columns that one iteration takes, given rows
        that are long enough; None where that is not known."""
        strides = {form.stride(COLUMN) for (_, form, _), _ in accesses}
        stride = strides.pop()
        if strides or not stride or stride < 0:
            return None
        rows: list[int] = []
        for (_, form, size), columns in accesses:
            first, inside = divmod(form.offset, stride)
            if first % columns * stride + inside + size > columns * stride:
                return None
            rows.append(first - first % columns)
        forms = [form.without(COLUMN) for (_, form, _), _ in accesses]
        steady = [Polynomial.of({p: f for p, f in each.varying if all(map(self._is_fixed, p))}) for each in forms]
        unit: tuple[Variable, ...] | None = None
        apart = abs(rows[0] - rows[1])
        for form in (steady[0].minus(steady[1]), *(each.minus(same) for each, same in zip(forms, steady, strict=True))):
            for product, factor in form.varying:
                fixed = tuple(each for each in product if self._is_fixed(each))
                if factor % stride or unit is not None and fixed != unit:
                    return None
                unit = fixed
                apart = gcd(apart, factor // stride) if not fixed else apart
        if unit and apart:
            return None if apart >= 2 * LEAST else False
        if not unit:
            end = self.nest.end
            if not apart or isinstance(end, ConstantInt) and end.value <= apart:
                return True
            if apart < 2 * LEAST or isinstance(end, ConstantInt):
                return False
        length = Polynomial.of({unit: 1}) if unit else Polynomial.number(apart)
        if length != self.forms.integer(self.nest.end):
            self.nest.lengths[length] = None
        return True

    # what it gains

    def _is_worth_it(self, accesses: list[Load | Store]) -> bool:
        nest, blocks = self.nest, {loop.header for loop in self.columns.inner}
        kept: dict[tuple[Value, Polynomial], int] = {}
        written = False
        for access in accesses:
            place = self.place(access) if access.block in blocks else None
            if place is None:
                continue
            base, form, _ = place
            stride = form.stride(COLUMN)
            if stride is None or any(each[0] is self.outer for each in form.variables):
                continue
            rows = 1
            for what, _ in form.variables:
                rounds = self.forms.rounds(what) if isinstance(what, Loop) else None
                if isinstance(what, Loop):
                    rows *= rounds.constant if rounds is not None and rounds.constant is not None else _ROWS
            kept[base, form] = rows * abs(stride)
            written |= isinstance(access, Store)
        total = sum(kept.values())
        if not written or not total:
            return False
        vectors = self.halves and any(isinstance(_type(each), VectorType) for each in accesses)
        nest.strip = (CACHED_VECTORS if vectors else CACHED) // total // MULTIPLE * MULTIPLE
        if isinstance(nest.end, ConstantInt) and nest.end.value <= 2 * nest.strip:
            return False
        inside = min(sum(len(block.instructions) for block in blocks), 2 * max(len(b.instructions) for b in blocks))
        around = sum(self._times(block) * len(block.instructions) for block in self.outer.order if block not in blocks)
        return nest.strip >= LEAST and _SHARE * around <= nest.strip * inside

    def _times(self, block: Block) -> int:
        """How often a block around the columns is run in one iteration of the nest, about."""
        assert self.outer.forest is not None
        loop, times = self.outer.forest.loop_of(block), 1
        while loop is not None and loop is not self.outer:
            rounds = self.forms.rounds(loop)
            times *= rounds.constant if rounds is not None and rounds.constant is not None else _ROWS
            loop = loop.parent
        return times


def _type(access: Load | Store) -> Type:
    return access.value.type if isinstance(access, Store) else access.type
