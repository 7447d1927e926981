"""Reversed loops over stencils make their sums in strips.

``y[i] = f(x[i - 1], x[i], x[i + 1])`` reverses to a loop that adds to three neighbouring elements of a shadow. What one
iteration adds, the next one reads again, so that no vector can be made of several iterations. Here the iterations are
taken :data:`STRIP` at a time: first they put what they have to add into small arrays on the stack, one for each number,
and do all else; then each array is added to where it belongs, by a loop of its own. Both are loops that LLVM makes
vectors of, and nothing has to be known about whether two rows of one array overlap: additions may be made in any
order. Elements of one row get all that is added to them at once, from neighbouring places of the arrays, which have
zeros behind their ends.

A stencil on a ring or with a border decides where its neighbour is: ``left = j == 0 ? n - 1 : j - 1``. The iterations
in which such a comparison holds, at either end of the loop, are run as they were, and so is the last iteration. The
loop itself stays beside the strips, for where there are few iterations, and where what the strips rest on is found not
to hold: that addresses go on by one element from iteration to iteration, which is seen from the first and the last, and
that what is added to is not touched otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from enzyme.analysis.loops import Loop, analyse_loops
from enzyme.analysis.symbolic import Sym, constant_value, emit_sym
from enzyme.analysis.tripcount import backedge_count
from enzyme.gradient.adjoints import entry_slot
from enzyme.gradient.nests import Sum
from enzyme.ir.builder import Builder
from enzyme.ir.instructions import Freeze
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I64, ArrayType, FloatType, IntType, StructType, Type
from enzyme.ir.values import (
    Alloca,
    Argument,
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    DebugRecord,
    Function,
    GetElementPtr,
    GlobalVariable,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    UnaryOp,
    Value,
    zero,
)

STRIP = 256
"""Iterations at a time: what they add stays in the nearest cache."""
LEAST = 18
"""Fewer iterations than these are left as they are."""
NEAREST = 16
"""Elements that lie at most so far apart are neighbours: vectors of several iterations would overlap."""
NEAR = "iteration.r.near"
"""The name of the counters of reversed loops that were found to add to neighbouring elements."""
_MOST_ARRAYS, _MOST_CHECKS, _DEPTH = 12, 24, 16
_PURE_CALLS = tuple(
    f"llvm.{name}."
    for name in "fmuladd fma fabs copysign sqrt minnum maxnum minimum maximum smax smin umax umin abs".split()
)
_FALSE, _TRUE = ConstantInt(I1, 0), ConstantInt(I1, 1)
_LARGEST = 1 << 62
_BELOW = 1 << 31
"""There are fewer iterations than these where strips are used: then indices of 32 bits wrap at most once."""


def may_have_strips(text: str) -> bool:
    """Whether any reverse sweep has loops that add to neighbouring elements."""
    return f"%{NEAR}" in text


def in_strips(text: str) -> str | None:
    """The program with such loops in strips; None where there are none. The text must have been optimised and its loops
    be in simplified and LCSSA form."""
    module = parse_module(text)
    changed = False
    for function in module.functions.values():
        if function.body_text is None or f"%{NEAR}" not in function.body_text:
            continue
        loops = [loop for loop in analyse_loops(function).loops if not loop.children]
        rooms: list[Value] = []
        for found in [each for loop in loops if (each := _read(module, loop)) is not None]:
            _Strips(function, found, module.datalayout, rooms).emit()
            function.body_text = None
            changed = True
    return print_module(module) if changed else None


@dataclass(frozen=True)
class _Access:
    """A number in memory that every iteration touches; each iteration goes on by ``stride`` bytes."""

    inst: Load | Store
    size: int
    stride: int


@dataclass(frozen=True)
class _Special:
    """What is compared: a number that goes on by one (``up``) or minus one, and one that does not."""

    moving: Value
    fixed: Value
    up: bool


@dataclass
class _Row:
    """Sums of neighbouring elements of one array, each so many elements behind the first (``offsets``)."""

    stride: int
    sums: list[Sum]
    offsets: list[int]

    def has_room(self, offset: int) -> bool:
        """Whether one more would still be a neighbour of all."""
        return all(abs(offset - each) <= NEAREST for each in self.offsets)

    @property
    def width(self) -> int:
        """How many elements the last one is behind the first."""
        return max(self.offsets)

    @property
    def first(self) -> Sum:
        return self.sums[self.offsets.index(0)]


@dataclass
class _Found:
    loop: Loop
    body: Block
    counter: Phi
    step: int
    count: Sym
    """How often the back edge is taken."""
    sums: list[Sum]
    strides: list[int]
    groups: list[list[_Row]]
    totals: list[Sum]
    """What all iterations add to one place in memory."""
    carried: list[Phi]
    special: dict[Compare, _Special]
    """Comparisons that hold (``eq``) or fail (``ne``) in at most one iteration, and that addresses depend on."""
    narrow: set[Value]
    """Addresses in which numbers may wrap."""
    apart: list[tuple[_Access, Sum]]
    """What must be found not to overlap: an access, and all that is added to the array of a sum."""


class _Forms:
    """How integers and addresses of the loop go on from one iteration to the next."""

    def __init__(self, loop: Loop, counter: Phi, step: int, layout: DataLayout) -> None:
        self.loop, self.counter, self.step, self.layout = loop, counter, step, layout
        self.special: dict[Compare, _Special] = {}
        self.narrow: set[Value] = set()

    def stride(self, value: Value) -> int | None:
        """By how much; None where that is not known to be the same for all iterations. Where numbers wrap it is not:
        the first and the last iteration tell, as long as a single part is narrower than an address."""
        found = self._moves(value, _DEPTH)
        if found is None or found[1] > 1:
            return None
        if found[1]:
            self.narrow.add(value)
        return found[0]

    def _moves(self, value: Value, depth: int) -> tuple[int, int] | None:
        """The step, and how many narrower numbers are in it."""
        if value is self.counter:
            return self.step, int(value.type is not I64)
        if self.loop.is_invariant(value):
            return 0, 0
        if not depth or not isinstance(value, Instruction):
            return None
        if isinstance(value, GetElementPtr):
            return self._address(value, depth - 1)
        if isinstance(value, Freeze) or (isinstance(value, Cast) and value.opcode in ("trunc", "sext", "zext")):
            found = self._moves(value.operands[0], depth - 1)
            return None if found is None else (found[0], max(found[1], int(found[0] != 0 and self._narrow(value))))
        if isinstance(value, Select):
            taken = self.taken(value)
            return self._moves(taken, depth - 1) if taken is not None else None
        if isinstance(value, BinaryOp) and isinstance(value.type, IntType):
            return self._operation(value, depth - 1)
        return None

    def _narrow(self, value: Cast | Instruction) -> bool:
        return any(isinstance(each.type, IntType) and each.type.bits < 64 for each in (value, value.operands[0]))

    def _operation(self, value: BinaryOp, depth: int) -> tuple[int, int] | None:
        left, right = value.operands
        a, b = self._moves(left, depth), self._moves(right, depth)
        if a is None or b is None:
            return None
        narrow = a[1] + b[1]
        if value.opcode == "add" or (value.opcode == "or" and "disjoint" in value.flags):
            return a[0] + b[0], narrow
        if value.opcode == "sub":
            return a[0] - b[0], narrow
        if a[0] == b[0] == 0:
            return 0, narrow
        if isinstance(right, ConstantInt):
            if value.opcode == "mul":
                return a[0] * right.value, narrow
            if value.opcode == "xor" and right.value == -1:  # -1 - left
                return -a[0], narrow
            if value.opcode == "shl" and 0 <= right.value < 63:
                return a[0] << right.value, narrow
            if value.opcode == "ashr" and 0 <= right.value < 63 and not a[0] % (1 << right.value):
                return a[0] >> right.value, max(narrow, 1)
            if value.opcode == "and" and value.type is I64 and right.value == (1 << 32) - 1:
                return a[0], max(narrow, 1)
        return None

    def _address(self, gep: GetElementPtr, depth: int) -> tuple[int, int] | None:
        found = self._moves(gep.base, depth)
        if found is None:
            return None
        total, narrow = found
        type: Type | None = gep.source_type
        for position, index in enumerate(gep.indices):
            if position and isinstance(type, StructType):
                if not isinstance(index, ConstantInt) or type.elements is None:
                    return None
                type = type.elements[index.value]
                continue
            if position:
                type = type.element if isinstance(type, ArrayType) else None
            part = self._moves(index, depth)
            if type is None or part is None:
                return None
            total, narrow = total + part[0] * self.layout.alloc_size(type), narrow + part[1]
        return total, narrow

    def taken(self, value: Select) -> Value | None:
        """What a choice takes in all iterations but one, of which a comparison of the loop's counter tells."""
        condition, on_true, on_false = value.operands
        if not isinstance(condition, Compare) or condition.opcode != "icmp" or condition.predicate not in ("eq", "ne"):
            return None
        if condition not in self.special:
            steps = [(self._moves(each, _DEPTH) or (2, 0))[0] for each in condition.operands]
            if sorted(map(abs, steps)) != [0, 1] or not self._wraps_as_one(condition.operands[not steps[0]]):
                return None
            (left, right), moves = condition.operands, steps[0] or steps[1]
            moving, fixed = (left, right) if steps[0] else (right, left)
            self.special[condition] = _Special(moving, fixed, moves == 1)
        return on_false if condition.predicate == "eq" else on_true

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


def _read(module: Module, loop: Loop) -> _Found | None:
    body, ahead = loop.header, loop.preheader
    if loop.blocks != {body} or ahead is None or ahead.terminator is None or loop.forest is None:
        return None
    if len(loop.exits) != 1 or len(ahead.terminator.operands) != 1 or not _stays_inside(loop):
        return None
    counters = [phi for phi in body.phis if (phi.name or "").startswith(NEAR) and phi.type is I64]
    if len(counters) != 1 or not _is_plain(body):
        return None
    (counter,) = counters
    step = _step(counter, body)
    count = backedge_count(loop, loop.forest.domtree)
    if step is None or count is None or ((known := constant_value(count)) is not None and known <= LEAST):
        return None
    carried = [phi for phi in body.phis if phi is not counter]
    if not all(_is_summed(phi, body) or _is_handed_on(phi, body) for phi in carried):
        return None
    forms = _Forms(loop, counter, step, module.datalayout)
    every = list(_sums(body))
    totals = [each for each in every if loop.is_invariant(each.store.pointer) and _any_order(each.add)]
    sums = [each for each in every if each not in totals]
    strides = [_unit(forms, each, module.datalayout) for each in sums]
    wide = [each for each in strides if each is not None]
    if len(wide) < len(sums):
        return None
    if len({(each.amount, stride) for each, stride in zip(sums, wide, strict=True)}) > _MOST_ARRAYS:
        return None
    guesses = {each.store.pointer: _guess(forms, each.store.pointer) for each in sums}
    groups = _grouped(sums, wide, guesses)
    if not any(row.width for group in groups for row in group):
        return None
    apart = _others(module, forms, sums, totals)
    if apart is None or len(apart) > _MOST_CHECKS:
        return None
    return _Found(
        loop, body, counter, step, count, sums, wide, groups, totals, carried, forms.special, forms.narrow, apart
    )


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


def _is_plain(body: Block) -> bool:
    """Whether all of a block is arithmetic and plain accesses of numbers."""
    for inst in body.instructions:
        if isinstance(inst, (Load, Store)):
            kind = inst.type if isinstance(inst, Load) else inst.value.type
            if not isinstance(kind, (FloatType, IntType)) or inst.ordering not in ("", "unordered"):
                return False
            if "volatile" in inst.flags:
                return False
        elif isinstance(inst, CallBase):
            if not (inst.callee_name or "").startswith(_PURE_CALLS):
                return False
        elif inst is not body.terminator and not isinstance(
            inst, (BinaryOp, Cast, Compare, DebugRecord, Freeze, GetElementPtr, Phi, Select, UnaryOp)
        ):
            return False
    return True


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


def _sums(body: Block) -> Iterator[Sum]:
    """What is added to memory, where nothing is written between reading it and writing it back."""
    places = {inst: place for place, inst in enumerate(body.instructions)}
    stores = [inst for inst in body.instructions if isinstance(inst, Store)]
    for store in stores:
        add = store.value
        if not isinstance(add, BinaryOp) or add.opcode not in ("fadd", "fsub") or len(add.users) != 1:
            continue
        operands = add.operands if add.opcode == "fadd" else add.operands[:1]
        loads = [op for op in operands if isinstance(op, Load) and op.pointer is store.pointer]
        loads = [load for load in loads if load.block is body and add.block is body and len(load.users) == 1]
        if loads and add.operands[0] is not add.operands[1]:
            load = loads[0]
            if not any(places[load] < places[other] < places[store] for other in stores):
                yield Sum(load, add, store)


def _unit(forms: _Forms, sum: Sum, layout: DataLayout) -> int | None:
    """The stride of a sum's address, if that is one element."""
    stride = forms.stride(sum.store.pointer)
    return stride if stride is not None and abs(stride) == layout.size_of(sum.add.type) else None


# which arrays are touched


def _root(pointer: Value) -> Value:
    for _ in range(4 * _DEPTH):
        if not isinstance(pointer, GetElementPtr):
            return pointer
        pointer = pointer.base
    return pointer


def _is_own(root: Value) -> bool:
    """Whether a pointer leads to memory that no other pointer does unless it was made of this one."""
    if isinstance(root, CallBase):
        callee = root.callee
        return "noalias" in root.result_attrs or (isinstance(callee, Function) and "noalias" in callee.result_attrs)
    return isinstance(root, Alloca) or (isinstance(root, Argument) and root.has_attr("noalias"))


def _are_apart(a: Value, b: Value) -> bool:
    known = (Argument, GlobalVariable)
    if a is b:
        return False
    return (_is_own(a) and (_is_own(b) or isinstance(b, known))) or (_is_own(b) and isinstance(a, known))


@dataclass(frozen=True)
class _Guess:
    """An address as one would read it, were there no casts: ``offset`` bytes behind what is the same for neighbours."""

    root: Value
    parts: frozenset[tuple[Value, int]]
    offset: int


def _guess(forms: _Forms, pointer: Value) -> _Guess:
    """Where an address leads. Numbers may wrap on the way, so it has to be asked whether that is true."""
    parts: dict[Value, int] = {}
    offset = 0
    root = pointer
    while isinstance(root, GetElementPtr) and (steps := _steps(forms, root)) is not None:
        for part, times in steps:
            if isinstance(part, ConstantInt):
                offset += part.value * times
            else:
                parts[part] = parts.get(part, 0) + times
        root = root.base
    return _Guess(root, frozenset((part, times) for part, times in parts.items() if times), offset)


def _steps(forms: _Forms, gep: GetElementPtr) -> list[tuple[Value, int]] | None:
    """What a step in memory adds up, in bytes; None where it is through vectors or the like."""
    found: list[tuple[Value, int]] = []
    type: Type | None = gep.source_type
    for position, index in enumerate(gep.indices):
        if position and isinstance(type, StructType):
            if not isinstance(index, ConstantInt) or type.elements is None:
                return None
            found.append((ConstantInt(I64, 1), forms.layout.struct_offsets(type)[index.value]))
            type = type.elements[index.value]
            continue
        if position:
            type = type.element if isinstance(type, ArrayType) else None
        if type is None or not isinstance(index.type, IntType):
            return None
        found += _linear(forms, index, forms.layout.alloc_size(type), _DEPTH)
    return found


def _linear(forms: _Forms, value: Value, times: int, depth: int) -> Iterator[tuple[Value, int]]:
    """What an integer is the sum of, casts left out."""
    if depth and isinstance(value, Instruction):
        if isinstance(value, Freeze) or (isinstance(value, Cast) and value.opcode in ("trunc", "sext", "zext")):
            yield from _linear(forms, value.operands[0], times, depth - 1)
            return
        if isinstance(value, Select) and not forms.loop.is_invariant(value):
            taken = forms.taken(value)
            if taken is not None:
                yield from _linear(forms, taken, times, depth - 1)
                return
        if isinstance(value, BinaryOp):
            left, right = value.operands
            disjoint = value.opcode == "or" and "disjoint" in value.flags
            if value.opcode in ("add", "sub") or disjoint:
                yield from _linear(forms, left, times, depth - 1)
                yield from _linear(forms, right, -times if value.opcode == "sub" else times, depth - 1)
                return
            if isinstance(right, ConstantInt):
                if value.opcode == "ashr" and 0 <= right.value < 63:
                    inside = list(_linear(forms, left, 1, depth - 1))
                    sizes = [part.value * by if isinstance(part, ConstantInt) else by for part, by in inside]
                    if not any(size % (1 << right.value) for size in sizes):
                        for (part, _), size in zip(inside, sizes, strict=True):
                            whole = ConstantInt(I64, 1) if isinstance(part, ConstantInt) else part
                            yield whole, times * (size >> right.value)
                        return
                if value.opcode == "xor" and right.value == -1:
                    yield ConstantInt(I64, -1), times
                    yield from _linear(forms, left, -times, depth - 1)
                    return
                by = {"mul": right.value, "shl": 1 << max(right.value, 0)}.get(value.opcode)
                by = 1 if value.opcode == "and" and right.value == (1 << 32) - 1 else by
                if by is not None and abs(by) < _LARGEST:
                    yield from _linear(forms, left, times * by, depth - 1)
                    return
    yield value, times


def _grouped(sums: list[Sum], strides: list[int], guesses: dict[Value, _Guess]) -> list[list[_Row]]:
    """What is added by one loop: rows of different arrays, over the same range of neighbours."""
    rows: dict[object, list[_Row]] = {}
    for each, stride in zip(sums, strides, strict=True):
        guess, size = guesses[each.store.pointer], abs(stride)
        key: object = guess.root, guess.parts, stride, each.add.type, guess.offset % size
        row = next((row for row in rows.setdefault(key, []) if row.has_room(guess.offset // size)), None)
        if row is None:
            row = _Row(stride, [], [])
            rows[key].append(row)
        row.sums.append(each)
        row.offsets.append(guess.offset // size)
    groups: list[list[_Row]] = []
    for row in (row for found in rows.values() for row in found):
        least = min(row.offsets)
        row.offsets = [each - least for each in row.offsets]
        root = _root(row.sums[0].store.pointer)
        for group in groups:
            roots = [_root(each.sums[0].store.pointer) for each in group]
            if group[0].width == row.width and all(_are_apart(root, other) for other in roots):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _others(module: Module, forms: _Forms, sums: list[Sum], totals: list[Sum]) -> list[tuple[_Access, Sum]] | None:
    """What else the loop touches, with each sum that it must be found not to touch; None where that cannot be asked."""
    mine = {part for each in (*sums, *totals) for part in (each.load, each.store)}
    found: dict[tuple[Value, Value], tuple[_Access, Sum]] = {}
    for inst in forms.counter.block.instructions:  # type: ignore[union-attr]
        if not isinstance(inst, (Load, Store)) or inst in mine:
            continue
        for each in (*sums, *totals):
            root = _root(each.store.pointer)
            if _are_apart(root, _root(inst.pointer)) or _scopes_tell(module, inst, each.store):
                continue
            if (inst.pointer, root) in found:
                continue
            stride = forms.stride(inst.pointer)
            if stride is None:
                return None
            kind = inst.type if isinstance(inst, Load) else inst.value.type
            found[inst.pointer, root] = _Access(inst, module.datalayout.size_of(kind), stride), each
    return list(found.values())


def _scopes_tell(module: Module, a: Instruction, b: Instruction) -> bool:
    """Whether two accesses carry the promise that they do not touch the same memory."""
    for one, other in ((a, b), (b, a)):
        inside = _scopes(module, one.metadata.get("alias.scope"))
        outside = _scopes(module, other.metadata.get("noalias"))
        if inside and inside <= outside:
            return True
    return False


def _scopes(module: Module, node: object) -> set[str]:
    text = module.metadata.get(str(node).removeprefix("!"), "") if node is not None else ""
    return {each.strip() for each in text.strip().removeprefix("!{").removesuffix("}").split(",") if each.strip()}


class _Place:
    """Values of the loop, made again where its counter is ``made[counter]``; the special comparisons as they are in all
    iterations but those. ``bare``: without promises that numbers do not wrap, for iterations that may not be run."""

    def __init__(self, found: _Found, build: Builder, counter: Value, bare: bool = False) -> None:
        self.found, self.build, self.bare = found, build, bare
        self.made: dict[Value, Value] = {found.counter: counter}
        self.made.update((each, _TRUE if each.predicate == "ne" else _FALSE) for each in found.special)

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


class _Strips:
    def __init__(self, function: Function, found: _Found, layout: DataLayout, rooms: list[Value]) -> None:
        self.function, self.found, self.layout, self.rooms = function, found, layout, rooms
        assert found.loop.preheader is not None
        self.ahead = found.loop.preheader
        self.start = found.counter.value_from(self.ahead)

    def emit(self) -> None:
        found, body, ahead = self.found, self.found.body, self.ahead
        names = ("checks", "enter", "front", "around", "fill", "end", "rest")
        checks, enter, front, around, fill, end, rest = (self._block(name) for name in names)
        assert ahead.terminator is not None
        ahead.remove(ahead.terminator)
        build = Builder(ahead)
        self.count = emit_sym(found.count, build)
        few = build.sub(self.count, _number(LEAST))
        build.cond_br(build.icmp("ult", few, _number(_BELOW)), checks, body)
        build = Builder(checks)
        self._range(build)
        good = self._checked(build)
        into = enter if found.special else around
        build.cond_br(good, into, body)
        for phi in body.phis:
            phi.add_incoming(phi.value_from(ahead), checks)
        sources = [(into if found.special else checks, {phi: phi.value_from(ahead) for phi in found.carried})]
        if found.special:
            build = Builder(enter)
            stop = self._counter(build, self.low)
            build.cond_br(build.icmp("eq", self.low, _number(0)), around, front)
            begin = {phi: phi.value_from(ahead) for phi in (found.counter, *found.carried)}
            place = self._plain(front, enter, begin)
            build = place.build
            build.cond_br(build.icmp("eq", place.value(found.counter.value_from(body)), stop), around, front)
            sources.append((front, {phi: place.value(phi.value_from(body)) for phi in found.carried}))
        else:
            self.function.blocks.remove(enter)
            self.function.blocks.remove(front)
        self._strips(around, fill, end, rest, sources)

    def _block(self, name: str) -> Block:
        return self.function.append_block(Block(f"strips.{name}"))

    def _counter(self, build: Builder, number: Value) -> Value:
        """The counter in an iteration."""
        return build.add(self.start, number) if self.found.step > 0 else build.sub(self.start, number)

    # in front of the loop

    def _range(self, build: Builder) -> None:
        """``low`` and ``high``: the first and the last iteration of those that are run in strips."""
        found = self.found
        self.low: Value = _number(0)
        self.high = build.sub(self.count, _number(1))
        zeroth = _Place(found, build, self.start, bare=True)
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
        """Whether strips may be used. Makes the addresses in iteration ``low``, ``self.first``."""
        found = self.found
        first = _Place(found, build, self._counter(build, self.low), bare=True)
        last = _Place(found, build, self._counter(build, self.high), bare=True)
        self.first = {each.store.pointer: first.value(each.store.pointer) for each in found.sums}
        conditions = [build.icmp("sge", self.length, _number(LEAST - 1))]
        ends: dict[Value, tuple[Value, Value]] = {}

        def range_of(pointer: Value, stride: int, size: int) -> tuple[Value, Value]:
            """From the least address to behind the greatest one."""
            if pointer not in ends:
                low = build.cast("ptrtoint", first.value(pointer), I64)
                moved = build.mul(self.length, _number(stride))
                high = build.add(low, moved)
                if pointer in found.narrow:
                    there = build.cast("ptrtoint", last.value(pointer), I64)
                    conditions.append(build.icmp("eq", there, high))
                low, high = (low, high) if stride >= 0 else (high, low)
                ends[pointer] = low, build.add(high, _number(size))
            return ends[pointer]

        for row in (row for group in found.groups for row in group):
            begin = build.cast("ptrtoint", self.first[row.first.store.pointer], I64)
            for each, offset in zip(row.sums, row.offsets, strict=True):
                if each is not row.first and each.store.pointer is not row.first.store.pointer:
                    there = build.cast("ptrtoint", self.first[each.store.pointer], I64)
                    conditions.append(build.icmp("eq", build.sub(there, begin), _number(offset * abs(row.stride))))
        whole: dict[Value, tuple[Value, Value]] = {}
        asked = {_root(each.store.pointer) for _, each in found.apart}
        for each, stride in (*zip(found.sums, found.strides, strict=True), *((total, 0) for total in found.totals)):
            root = _root(each.store.pointer)
            if root in asked or each.store.pointer in found.narrow:
                low, high = range_of(each.store.pointer, stride, self.layout.size_of(each.add.type))
                if root in whole:
                    least, most = whole[root]
                    low = build.select(build.icmp("ult", low, least), low, least)
                    high = build.select(build.icmp("ugt", high, most), high, most)
                whole[root] = low, high
        for access, each in found.apart:
            low, high = range_of(access.inst.pointer, access.stride, access.size)
            least, most = whole[_root(each.store.pointer)]
            conditions.append(build.or_(build.icmp("ule", high, least), build.icmp("ule", most, low)))
        result = conditions[0]
        for condition in conditions[1:]:
            result = build.and_(result, condition)
        return result

    # the iterations

    def _plain(self, block: Block, source: Block, begin: dict[Phi, Value]) -> _Place:
        """A loop of iterations as they were, all but its end."""
        found, build = self.found, Builder(block)
        made: dict[Value, Value] = {phi: build.phi(phi.type, [(value, source)]) for phi, value in begin.items()}
        place = _Place(found, build, made[found.counter])
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

    def _strips(
        self, around: Block, fill: Block, end: Block, behind: Block, sources: list[tuple[Block, dict[Phi, Value]]]
    ) -> None:
        found, body = self.found, self.found.body
        build = Builder(around)
        first = build.phi(I64, [(self.low, source) for source, _ in sources])
        carried = {
            phi: build.phi(phi.type, [(values[phi], source) for source, values in sources]) for phi in found.carried
        }
        left, most = build.sub(self.high, first), _number(STRIP - 1)
        rest = build.select(build.icmp("ult", left, most), left, most)
        begin = self._counter(build, first)
        moved = build.sub(first, self.low)
        build.br(fill)

        build = Builder(fill)
        number = build.phi(I64, [(_number(0), around)])
        place = _Place(found, build, self._advanced(build, begin, number))
        for phi in found.carried:
            place.made[phi] = build.phi(phi.type, [(carried[phi], around)])
        arrays, totals = self._fill(place, around, number, rest)
        following = {phi: place.value(phi.value_from(body)) for phi in found.carried}
        for phi, value in following.items():
            made = place.made[phi]
            assert isinstance(made, Phi)
            made.add_incoming(value, fill)
        edges = self._block("edges")
        self._again(build, number, rest, fill, edges)
        adding = [self._block("add") for _ in found.groups]
        ahead = Builder(edges)
        self._clear_edges(ahead, arrays, rest)
        for each, total in totals.items():
            old = ahead.insert(_ordinary(each.load.clone([each.store.pointer])))
            new = ahead.insert(each.add.clone([old if op is each.load else total for op in each.add.operands]))
            old.name = new.name = None
            ahead.insert(_ordinary(each.store.clone([new, each.store.pointer])))
        for block, out, group in zip(adding, [*adding[1:], end], found.groups, strict=True):
            source = edges if block is adding[0] else adding[adding.index(block) - 1]
            self._add(block, source, out, group, arrays, ahead, moved, rest)
        ahead.br(adding[0])

        build = Builder(end)
        following_first = build.add(first, build.add(rest, _number(1)))
        first.add_incoming(following_first, end)
        for phi, made in carried.items():
            made.add_incoming(following[phi], end)
        begin_rest: dict[Phi, Value] = {found.counter: self._counter(build, following_first), **following}
        build.cond_br(build.icmp("sgt", following_first, self.high), behind, around)
        self._rest(self._plain(behind, end, begin_rest))

    def _rest(self, place: _Place) -> None:
        """The end of the iterations behind the strips: they leave as the loop does."""
        body, block = self.found.body, place.build.block
        assert body.terminator is not None
        condition, on_true, _ = body.terminator.operands
        (out,) = self.found.loop.exit_blocks
        left = (block, out) if on_true is body else (out, block)
        place.build.cond_br(place.value(condition), *left)
        for phi in out.phis:
            phi.add_incoming(place.value(phi.value_from(body)), block)

    def _advanced(self, build: Builder, begin: Value, number: Value) -> Value:
        return build.add(begin, number) if self.found.step > 0 else build.sub(begin, number)

    def _fill(
        self, place: _Place, around: Block, number: Value, rest: Value
    ) -> tuple[dict[tuple[Value, bool], Value], dict[Sum, Value]]:
        """One iteration, with what it adds put into arrays: by the number, and whether addresses rise. And what a strip
        adds to single places."""
        found, build = self.found, place.build
        sums = {each.store: (each, stride > 0) for each, stride in zip(found.sums, found.strides, strict=True)}
        mine = {part for each, _ in sums.values() for part in (each.load, each.add)}
        totals = {each.store: each for each in found.totals}
        mine |= {part for each in found.totals for part in (each.load, each.add)}
        added: dict[Sum, Value] = {}
        arrays: dict[tuple[Value, bool], Value] = {}
        for inst in self._instructions():
            if inst in sums:
                each, rises = sums[inst]
                if (each.amount, rises) not in arrays:
                    kind = each.add.type
                    array = arrays[each.amount, rises] = self._room(kind, list(arrays.values()))
                    at = build.add(number if rises else build.sub(rest, number), _number(NEAREST))
                    build.store(place.value(each.amount), build.gep(kind, array, [at], ("inbounds",)))
            elif inst in totals:
                each = totals[inst]
                kind = each.add.type
                total = build.phi(kind, [(zero(kind), around)])
                flags = tuple(dict.fromkeys((*each.add.fast_math, "nsz")))
                added[each] = build.fadd(total, place.value(each.amount), flags)
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
        widths: dict[Value, int] = {}
        for row in (row for group in self.found.groups for row in group):
            for each in row.sums:
                array = arrays[each.amount, row.stride > 0]
                widths[array] = max(row.width, widths.get(array, 0))
        kinds = {arrays[key]: key[0].type for key in arrays}
        for array, width in widths.items():
            kind = kinds[array]
            for place in range(width):
                build.store(zero(kind), build.gep(kind, array, [_number(NEAREST - 1 - place)], ("inbounds",)))
                behind = build.add(rest, _number(NEAREST + 1 + place))
                build.store(zero(kind), build.gep(kind, array, [behind], ("inbounds",)))

    def _add(
        self,
        block: Block,
        source: Block,
        out: Block,
        group: list[_Row],
        arrays: dict[tuple[Value, bool], Value],
        ahead: Builder,
        moved: Value,
        rest: Value,
    ) -> None:
        """A loop that adds to rows: ``moved`` iterations ran before this strip."""
        build = Builder(block)
        number = build.phi(I64, [(_number(0), source)])
        for row in group:
            first = row.first
            distance = moved if row.stride > 0 else ahead.add(moved, rest)
            start = ahead.offset(self.first[first.store.pointer], ahead.mul(distance, _number(row.stride)))
            pointer = build.gep(first.add.type, start, [number])
            total: Value = build.insert(_ordinary(first.load.clone([pointer])))
            total.name = None
            for each, offset in zip(row.sums, row.offsets, strict=True):
                place = build.add(number, _number(NEAREST - offset))
                kind = each.add.type
                amount = build.load(kind, build.gep(kind, arrays[each.amount, row.stride > 0], [place], ("inbounds",)))
                total = build.insert(each.add.clone([total if op is each.load else amount for op in each.add.operands]))
                total.name = None
            build.insert(_ordinary(first.store.clone([total, pointer])))
        self._again(build, number, ahead.add(rest, _number(group[0].width)), block, out)

    @staticmethod
    def _again(build: Builder, number: Value, rest: Value, block: Block, out: Block) -> None:
        assert isinstance(number, Phi)
        number.add_incoming(build.add(number, _number(1), ("nuw", "nsw")), block)
        build.cond_br(build.icmp("eq", number, rest), out, block)


def _ordinary(access: Instruction) -> Instruction:
    """An access that was atomic, so that no optimiser would make one of two (see windows.py), as it should be made."""
    assert isinstance(access, (Load, Store))
    access.flags, access.ordering = tuple(each for each in access.flags if each != "atomic"), ""
    return access


def _number(value: int) -> ConstantInt:
    return ConstantInt(I64, value)
