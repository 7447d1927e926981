"""Reversed loops whose sums may be made in strips (see strips.py).

Such a loop is one block of arithmetic and plain accesses. Every iteration goes on by one element in each array that is
added to, and some of what it adds belongs to neighbours: then no vector can be made of several iterations as they are.

How addresses move is read from how they are made, as if no number wrapped on the way, and as if comparisons that hold
in one iteration at most never held. What that rests on is noted here, and asked in front of the strips.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.symbolic import Sym, SymConst, SymValue, constant_value, signed
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.sums import Sum, find_sums, is_plain
from enzyme.ir.instructions import Freeze
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I64, FloatType, IntType
from enzyme.ir.values import (
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    UnaryOp,
    Value,
)

LEAST = 7
"""Fewer iterations than these are left as they are, whatever they do."""
_SET_UP, _SET_UP_BESIDE = 420, 900
"""What it takes to have strips, in instructions of the loop: where they have all iterations, and where some are run in
front of them and behind them. The more an iteration does, the fewer are worth it (measured with loops of 16 to 60
instructions on a Zen 4)."""
_MOST_LEAST = 48
_FEW = 18
"""Loops that are known to have no more iterations than these may be unrolled by LLVM."""
NEAREST = 16
"""Elements that lie at most so far apart are neighbours: vectors of several iterations would overlap."""
NEAR = "iteration.r.near"
"""The name of the counters of reversed loops that were found to add to neighbouring elements."""
_MOST_ARRAYS, _MOST_CHECKS, _DEPTH = 12, 24, 16
_MOST_CUT = 3
"""Iterations at either end of a loop in which an address may lie elsewhere than the others say."""
_LARGEST = 1 << 62


@dataclass(frozen=True)
class Access:
    """A number in memory that every iteration touches; each iteration goes on by ``stride`` bytes."""

    inst: Load | Store
    size: int
    stride: int


@dataclass(frozen=True)
class Addition:
    """A sum of every iteration, to what lies ``stride`` bytes further on in each: in the array at ``root``."""

    sum: Sum
    stride: int
    root: Value

    @property
    def pointer(self) -> Value:
        return self.sum.store.pointer

    @property
    def array(self) -> tuple[Value, bool]:
        """What is added, and whether addresses rise: sums of which this is the same share an array on the stack."""
        return self.sum.amount, self.stride > 0


@dataclass(frozen=True)
class Special:
    """What is compared: a number that goes on by one (``up``) or minus one, and one that does not."""

    moving: Value
    fixed: Value
    up: bool


@dataclass
class Row:
    """Sums of neighbouring elements of one array, each so many elements behind the first (``offsets``)."""

    sums: list[Addition] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    def has_room(self, offset: int) -> bool:
        """Whether one more would still be a neighbour of all."""
        return all(abs(offset - each) <= NEAREST for each in self.offsets)

    @property
    def width(self) -> int:
        """How many elements the last one is behind the first."""
        return max(self.offsets)

    @property
    def first(self) -> Addition:
        return self.sums[self.offsets.index(0)]

    @property
    def stride(self) -> int:
        return self.first.stride

    def skipped(self, cuts: Mapping[Value, Cut]) -> tuple[int, int] | None:
        """How many elements nothing is added to at the end that was reached first and at the other one, because what
        would go there goes elsewhere (``cuts``); None where some would lie in front of one that is added to."""
        ends = []
        for end in (0, 1):
            at = self.offsets if (self.stride > 0) == (end == 0) else [self.width - each for each in self.offsets]
            cut = [cuts.get(each.pointer, (0, 0))[end] for each in self.sums]
            first = [number + offset for number, offset in zip(cut, at, strict=True)]
            ends.append(max((each for each, number in zip(first, cut, strict=True) if number), default=0))
            if ends[end] > min(first):
                return None
        return ends[0], ends[1]


Cut = tuple[int, int]
"""So many iterations, the first ones and the last ones of a loop, in which an address is not where the others say."""


@dataclass
class StripLoop:
    """A loop that may be run in strips, where what ``special``, ``narrow`` and ``apart`` ask for is found to hold."""

    loop: Loop
    body: Block
    counter: Phi
    step: int
    count: Sym
    """How often the back edge is taken."""
    groups: list[list[Row]]
    """The rows that one loop adds to."""
    totals: list[Addition]
    """What all iterations add to one place in memory."""
    carried: list[Phi]
    special: dict[Compare, Special]
    """Comparisons that hold (``eq``) or fail (``ne``) in at most one iteration, and that addresses depend on."""
    narrow: dict[Value, Value | None]
    """Addresses in which numbers may wrap, and the pointers they start from."""
    apart: list[tuple[Access, Value]] = field(default_factory=list)
    """What must be found not to overlap: an access, and all that is added to the array at a root."""
    held: dict[Compare, int] = field(default_factory=dict)
    """In which iteration a comparison of ``special`` is to be found to hold, counted from the first one (0, 1, ...) or
    from the last one (-1, -2, ...)."""
    cuts: dict[Value, Cut] = field(default_factory=dict)
    """Where strips have all iterations, those in which each address of a sum depends on a comparison that holds."""

    @property
    def whole(self) -> bool:
        """Whether strips have all iterations, and not only those in which no special comparison holds."""
        return bool(self.cuts)

    @property
    def least(self) -> int:
        """Strips are for loops with more iterations."""
        work = sum(
            isinstance(inst, (Load, Store, BinaryOp, UnaryOp, CallBase)) and _is_number(inst)
            for inst in self.body.instructions
        )
        worth = (_SET_UP if self.whole else _SET_UP_BESIDE) // max(work, 1)
        return min(max(worth, LEAST), _MOST_LEAST)

    @property
    def rows(self) -> list[Row]:
        return [row for group in self.groups for row in group]

    @property
    def sums(self) -> list[Addition]:
        return [each for row in self.rows for each in row.sums]


@dataclass(frozen=True)
class _Form:
    """A number or an address as one would read it, were there no casts: ``offset``, and so many times each of
    ``parts``. ``narrow``: how many of them are made of the counter in fewer bits than an address has."""

    parts: dict[Value, int]
    offset: int = 0
    narrow: int = 0

    def times(self, factor: int) -> _Form:
        return _Form({part: by * factor for part, by in self.parts.items()}, self.offset * factor, self.narrow)

    def plus(self, other: _Form) -> _Form:
        parts = dict(self.parts)
        for part, by in other.parts.items():
            parts[part] = parts.get(part, 0) + by
        return _Form(
            {part: by for part, by in parts.items() if by}, self.offset + other.offset, self.narrow + other.narrow
        )

    def narrowed(self) -> _Form:
        return _Form(self.parts, self.offset, max(self.narrow, 1))

    def shifted(self, bits: int) -> _Form | None:
        """Without the low bits; None where they may be others than zero."""
        if self.offset % (1 << bits) or any(by % (1 << bits) for by in self.parts.values()):
            return None
        return _Form({part: by >> bits for part, by in self.parts.items()}, self.offset >> bits, self.narrow)

    @property
    def root(self) -> Value | None:
        """The pointer that an address starts from."""
        return next((part for part in self.parts if part.type.is_pointer), None)


class Forms:
    """How integers and addresses of the loop go on from one iteration to the next."""

    def __init__(self, loop: Loop, counter: Phi, step: int, layout: DataLayout) -> None:
        self.loop, self.counter, self.step, self.layout = loop, counter, step, layout
        self.special: dict[Compare, Special] = {}
        self.narrow: dict[Value, Value | None] = {}
        self._known: dict[Value, _Form] = {}
        self._fixed: set[Value] = set()  # what is made in the loop, and yet the same in all iterations

    def stride(self, pointer: Value) -> int | None:
        """By how much; None where that is not known to be the same for all iterations. Where numbers wrap it is not:
        the first and the last iteration tell, as long as a single part is narrower than an address."""
        form = self.of(pointer)
        stride = self._stride(form)
        if stride is None or form.narrow > 1:
            return None
        if form.narrow:
            self.narrow[pointer] = form.root
        return stride

    def _stride(self, form: _Form) -> int | None:
        if not all(part is self.counter or self._is_fixed(part) for part in form.parts):
            return None
        return form.parts.get(self.counter, 0) * self.step

    def _is_fixed(self, value: Value) -> bool:
        return value in self._fixed or self.loop.is_invariant(value)

    def of(self, value: Value, depth: int = _DEPTH) -> _Form:
        if isinstance(value, ConstantInt):
            return _Form({}, value.value)
        if value not in self._known:
            found = self._opened(value, depth - 1) if depth and value is not self.counter else None
            found = found or _Form({value: 1})
            self._known[value] = _Form(found.parts, found.offset) if self.loop.is_invariant(value) else found
        return self._known[value]

    def _opened(self, value: Value, depth: int) -> _Form | None:
        if isinstance(value, GetElementPtr):
            parts = self.layout.gep_parts(value.source_type, value.indices)
            if parts is None or not all(isinstance(index.type, IntType) for index in value.indices):
                return None
            found = self.of(value.base, depth).plus(_Form({}, parts.offset))
            for index, size in parts.steps:
                found = found.plus(self.of(index, depth).times(size))
            return found
        if isinstance(value, Freeze):
            return self.of(value.operands[0], depth)
        if isinstance(value, Cast) and value.opcode in ("trunc", "sext", "zext"):
            form = self.of(value.operands[0], depth)
            moves = form.narrow or form.parts.get(self.counter)
            return form.narrowed() if moves and _is_narrow(value) else form
        if isinstance(value, Select):
            taken = self.taken(value) if not self.loop.is_invariant(value) else None
            return self.of(taken, depth) if taken is not None else None
        if isinstance(value, BinaryOp) and isinstance(value.type, IntType):
            return self._operation(value, depth)
        return None

    def _operation(self, value: BinaryOp, depth: int) -> _Form | None:
        left, right = (self.of(each, depth) for each in value.operands)
        if value.opcode == "add" or (value.opcode == "or" and "disjoint" in value.flags):
            return left.plus(right)
        if value.opcode == "sub":
            return left.plus(right.times(-1))
        number = value.operands[1]
        if isinstance(number, ConstantInt):
            if value.opcode == "xor" and number.value == -1:  # -1 - left
                return left.times(-1).plus(_Form({}, -1))
            if value.opcode == "and" and value.type is I64 and number.value == (1 << 32) - 1:
                return left.narrowed()
            if value.opcode == "ashr" and 0 <= number.value < 63 and (found := left.shifted(number.value)) is not None:
                return found.narrowed()
            if value.opcode == "mul" and abs(number.value) < _LARGEST:
                return left.times(number.value)
            if value.opcode == "shl" and 0 <= number.value < 62:
                return left.times(1 << number.value)
        if self._stride(left) == self._stride(right) == 0:
            self._fixed.add(value)
            return _Form({value: 1}, 0, left.narrow + right.narrow)
        return None

    def taken(self, value: Select) -> Value | None:
        """What a choice takes in all iterations but one, of which a comparison of the loop's counter tells."""
        condition, on_true, on_false = value.operands
        if not isinstance(condition, Compare) or condition.opcode != "icmp" or condition.predicate not in ("eq", "ne"):
            return None
        if condition not in self.special:
            left, right = condition.operands
            steps = [self._stride(self.of(each)) for each in (left, right)]
            if sorted(abs(each) if each is not None else 2 for each in steps) != [0, 1]:
                return None
            moving, fixed = (left, right) if steps[0] else (right, left)
            if not self._wraps_as_one(moving):
                return None
            self.special[condition] = Special(moving, fixed, 1 in steps)
        return on_false if condition.predicate == "eq" else on_true

    def end(self, special: Special, found: StripLoop) -> int | None:
        """The iteration in which a comparison holds (see :attr:`StripLoop.held`) where that is near an end."""
        ahead = self.loop.preheader
        assert ahead is not None
        moving, fixed = self.of(special.moving), self.of(special.fixed)
        start, times = self.of(self.counter.value_from(ahead)), moving.parts.get(self.counter, 0)
        begin = moving.plus(_Form({self.counter: -times})).plus(start.times(times))
        at = fixed.plus(begin.times(-1)) if special.up else begin.plus(fixed.times(-1))
        if not at.parts:
            return at.offset if 0 <= at.offset < _MOST_CUT else None
        count = self._of_sym(found.count)
        left = at.plus(count.times(-1)) if count is not None else at  # zero in the last iteration
        return left.offset - 1 if not left.parts and -_MOST_CUT < left.offset <= 0 else None

    def _of_sym(self, sym: Sym) -> _Form | None:
        if isinstance(sym, SymConst):
            return _Form({}, signed(sym.value, sym.bits))
        if isinstance(sym, SymValue):
            return self.of(sym.value)
        parts = [self._of_sym(each) for each in sym.args]
        if sym.op in ("zext", "sext", "trunc"):
            return parts[0]
        if sym.op in ("add", "sub") and parts[0] is not None and parts[1] is not None:
            return parts[0].plus(parts[1] if sym.op == "add" else parts[1].times(-1))
        return None

    def _wraps_as_one(self, value: Value) -> bool:
        """Whether a number of 32 or 64 bits is what additions of that width make of the counter: then the iteration in
        which it equals another one is known, wherever it wraps."""
        if value is self.counter or self.loop.is_invariant(value):
            return isinstance(value.type, IntType) and value.type.bits in (32, 64)
        if isinstance(value, Cast):
            bits = value.type.bits if isinstance(value.type, IntType) else 0
            return value.opcode == "trunc" and bits == 32 and self._wraps_as_one(value.operands[0])
        if isinstance(value, BinaryOp):
            return value.opcode in ("add", "sub") and all(map(self._wraps_as_one, value.operands))
        return isinstance(value, Freeze) and self._wraps_as_one(value.operands[0])


def _is_narrow(value: Cast) -> bool:
    return any(isinstance(each.type, IntType) and each.type.bits < 64 for each in (value, value.operands[0]))


def read_loop(pointers: PointerAnalysis, loop: Loop) -> StripLoop | None:
    """A loop in simplified and LCSSA form, if it may be run in strips and is better for it."""
    body, ahead, layout = loop.header, loop.preheader, pointers.layout
    if loop.blocks != {body} or ahead is None or ahead.terminator is None or loop.forest is None:
        return None
    if len(loop.exits) != 1 or len(ahead.terminator.operands) != 1 or not _stays_inside(loop):
        return None
    counters = [phi for phi in body.phis if (phi.name or "").startswith(NEAR) and phi.type is I64]
    if len(counters) != 1 or not is_plain(body, unordered=True):
        return None
    (counter,) = counters
    step = _step(counter, body)
    count = backedge_count(loop, loop.forest.domtree)
    if step is None or count is None or ((known := constant_value(count)) is not None and known <= _FEW):
        return None
    carried = [phi for phi in body.phis if phi is not counter]
    if not all(_is_summed(phi, body) or _is_handed_on(phi, body) for phi in carried):
        return None
    forms = Forms(loop, counter, step, layout)
    rows: dict[object, list[Row]] = {}
    totals: list[Addition] = []
    for each in find_sums(body):
        pointer, size = each.store.pointer, layout.size_of(each.add.type)
        form = forms.of(pointer)
        if form.root is None:
            return None
        if loop.is_invariant(pointer) and _any_order(each.add):
            totals.append(Addition(each, 0, form.root))
            continue
        stride = forms.stride(pointer)
        if stride is None or abs(stride) != size:
            return None
        key = frozenset(form.parts.items()), each.add.type, form.offset % size
        _put(rows.setdefault(key, []), Addition(each, stride, form.root), form.offset // size)
    groups = _grouped(pointers, (row for found in rows.values() for row in found))
    found = StripLoop(loop, body, counter, step, count, groups, totals, carried, forms.special, forms.narrow)
    arrays = {each.array for each in found.sums}
    if len(arrays) > _MOST_ARRAYS or not any(row.width for row in found.rows):
        return None
    if not _find_others(pointers, forms, found):
        return None
    _find_ends(forms, found)
    return found


def _find_ends(forms: Forms, found: StripLoop) -> None:
    """Note in which iterations comparisons hold, where these are few at the ends of the loop, and only where sums go
    depends on them: then strips may have all iterations."""
    mine = {each.pointer for each in found.sums}
    others = [inst.pointer for inst in found.body.instructions if isinstance(inst, (Load, Store))]
    if any(_choices(each, found) for each in others if each not in mine):
        return
    held = {each: forms.end(special, found) for each, special in found.special.items()}
    cuts: dict[Value, Cut] = {}
    for pointer in mine:
        ends = [held[each] for each in _choices(pointer, found)]
        if None in ends or (ends and not _is_of_counter(pointer, found)):
            return
        at = [each for each in ends if each is not None]
        cuts[pointer] = (
            max((1 + each for each in at if each >= 0), default=0),
            max((-each for each in at if each < 0), default=0),
        )
    for group in found.groups:
        skipped = [row.skipped(cuts) for row in group]
        if (
            None in skipped
            or len(set(skipped)) > 1
            or (any(skipped[0] or ()) and len({row.stride > 0 for row in group}) > 1)
        ):
            return
    found.held = {each: at for each, at in held.items() if at is not None}
    found.cuts = cuts


def _choices(value: Value, found: StripLoop) -> set[Compare]:
    """The special comparisons that an address depends on."""
    return {each for each in _parts(value, found) if isinstance(each, Compare) and each in found.special}


def _is_of_counter(value: Value, found: StripLoop) -> bool:
    """Whether an address is made of the loop's counter, in any iteration."""
    return not any(isinstance(each, (Phi, Load)) and each is not found.counter for each in _parts(value, found))


def _parts(value: Value, found: StripLoop) -> set[Instruction]:
    """What a value is made of in one iteration, down to phis and loads."""
    seen: set[Instruction] = set()
    work = [value]
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value not in seen and not found.loop.is_invariant(value):
            seen.add(value)
            if not isinstance(value, (Phi, Load)):
                work += value.operands
    return seen


def _put(rows: list[Row], addition: Addition, offset: int) -> None:
    row = next((row for row in rows if row.has_room(offset)), None)
    if row is None:
        rows.append(row := Row())
    row.sums.append(addition)
    row.offsets.append(offset)


def _grouped(pointers: PointerAnalysis, rows: Iterable[Row]) -> list[list[Row]]:
    """What is added by one loop: rows of different arrays, over the same range of neighbours."""
    groups: list[list[Row]] = []
    for row in rows:
        least = min(row.offsets)
        row.offsets = [each - least for each in row.offsets]
        for group in groups:
            if group[0].width == row.width and all(_are_apart(pointers, row.first, each.first) for each in group):
                group.append(row)
                break
        else:
            groups.append([row])
    return sorted(groups, key=lambda group: group[0].width)


def _are_apart(pointers: PointerAnalysis, a: Addition, b: Addition) -> bool:
    return pointers.apart_as_objects(pointers.location(a.sum.store), pointers.location(b.sum.store))


def _find_others(pointers: PointerAnalysis, forms: Forms, found: StripLoop) -> bool:
    """Note what else the loop touches, with the arrays of sums that it must be found not to touch; whether that can be
    asked."""
    sums = [*found.sums, *found.totals]
    mine: set[Instruction] = {part for each in sums for part in (each.sum.load, each.sum.store)}
    asked: set[tuple[Value, int, Value]] = set()
    for inst in found.body.instructions:
        if not isinstance(inst, (Load, Store)) or inst in mine:
            continue
        here = pointers.location(inst)
        assert here.size is not None
        for each in sums:
            question = inst.pointer, here.size, each.root
            if question in asked or pointers.apart_at_any_offset(here, pointers.location(each.sum.store)):
                continue
            stride = forms.stride(inst.pointer)
            if stride is None or len(asked) == _MOST_CHECKS:
                return False
            asked.add(question)
            found.apart.append((Access(inst, here.size, stride), each.root))
    return True


# what the loop is made of


def _is_number(inst: Instruction) -> bool:
    """Whether an instruction makes or writes a number."""
    return isinstance(inst.value.type if isinstance(inst, Store) else inst.type, FloatType)


def _stays_inside(loop: Loop) -> bool:
    """Whether values of the loop are used behind it by phis at its exit only (LCSSA form)."""
    (out,) = loop.exit_blocks
    users = {user for inst in loop.header.instructions for user in inst.users if isinstance(user, Instruction)}
    return all(user.block is loop.header or (isinstance(user, Phi) and user.block is out) for user in users)


def _step(counter: Phi, body: Block) -> int | None:
    following = counter.value_from(body)
    if isinstance(following, BinaryOp) and following.opcode == "add" and following.operands[0] is counter:
        by = following.operands[1]
        if isinstance(by, ConstantInt) and abs(by.value) == 1:
            return by.value
    return None


def _any_order(add: BinaryOp) -> bool:
    return bool({"reassoc", "fast"} & set(add.fast_math))


def _is_summed(phi: Phi, body: Block) -> bool:
    """Whether iterations do nothing with a number but to add to it, in any order."""
    value = phi.value_from(body)
    while value is not phi:
        if not isinstance(value, BinaryOp) or value.opcode not in ("fadd", "fsub") or value.block is not body:
            return False
        if not _any_order(value):
            return False
        inside = [user for user in value.users if isinstance(user, Instruction) and user.block is body]
        operands = value.operands if value.opcode == "fadd" else value.operands[:1]
        before = [each for each in operands if each is phi or _is_sum_of(each, phi)]
        if len(inside) != 1 or len(before) != 1:
            return False
        value = before[0]
    return sum(isinstance(user, Instruction) and user.block is body for user in phi.users) == 1


def _is_handed_on(phi: Phi, body: Block) -> bool:
    """Whether an iteration only sees what the one before it found, and not the one before that: vectors can."""
    seen: set[Value] = set()
    work = [phi.value_from(body)]
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value.block is body and value not in seen:
            seen.add(value)
            if isinstance(value, Phi):
                if isinstance(value.type, FloatType):
                    return False
                continue
            work += value.operands
    return isinstance(phi.type, FloatType)


def _is_sum_of(value: Value, phi: Phi, depth: int = _DEPTH) -> bool:
    if not depth or not isinstance(value, BinaryOp) or value.block is not phi.block:
        return False
    operands = {"fadd": value.operands, "fsub": value.operands[:1]}.get(value.opcode, ())
    return any(each is phi or _is_sum_of(each, phi, depth - 1) for each in operands)
