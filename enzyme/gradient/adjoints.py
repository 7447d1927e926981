"""Adjoints of SSA values.

Every active value owns a stack slot in the reverse function, zero at entry, read and cleared where the value's
definition is reversed. LLVM's SROA turns the slots into SSA values; the additions carry ``nsz``, so that adding to a
slot known to be zero folds away (only the sign of a zero adjoint can differ).

Some adjoints have a bit beside them: whether anything has been handed to them (see :mod:`enzyme.gradient.unchosen`). It
follows from the bits of the adjoints that were handed on, not from numbers.

The adjoint of an integer that carries floating-point data has the floating-point type of that data.

In a derivative of several lanes a value has a slot for each lane, or one slot that holds a vector of all of them
(lane_vectors.py). Then the slot of a lane is an element of that vector: what is not done for all lanes at once is done
for one after the other, as where lanes have slots of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from enzyme.analysis.loops import Loop
from enzyme.gradient.lanes import Lanes
from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import I1, I32, I64, ArrayType, FloatType, IntType, StructType, Type, VectorType
from enzyme.ir.values import Alloca, Block, ConstantInt, GetElementPtr, Instruction, Store, Value, zero

LeafPath = tuple[int, ...]
_IN_VECTORS = ("float", "double")
"""What machines have vectors of, whatever they are."""


def float_leaves(type: Type) -> list[tuple[LeafPath, Type]]:
    """Paths to the floating-point (or vector of floating-point) leaves of a first-class type."""
    if isinstance(type, FloatType) or (isinstance(type, VectorType) and isinstance(type.element, FloatType)):
        return [((), type)]
    parts: Sequence[Type] = ()
    if isinstance(type, StructType):
        parts = type.elements or ()
    elif isinstance(type, ArrayType):
        parts = [type.element] * type.count
    return [((i, *path), leaf) for i, part in enumerate(parts) for path, leaf in float_leaves(part)]


def entry_slot(entry: Block, type: Type, initial: Value | None, name: str | None = None) -> Value:
    """A stack slot at the head of ``entry``, initialised there."""
    made = _slot(type, initial, name)
    entry.prepend(made)
    return made[0]


def _slot(type: Type, initial: Value | None, name: str | None = None) -> list[Instruction]:
    made = Alloca(type, ConstantInt(I32, 1), name=name)
    return [made] if initial is None else [made, Store(initial, made)]


@dataclass(frozen=True)
class Taken:
    """The adjoints of a value in all lanes: a vector of them, or (adjoint, its bit) for each lane."""

    vector: Value | None
    lanes: Sequence[tuple[Value, Value | None]] = ()


class Adjoints:
    """Slots for the adjoints of active values of one function, in the selected lane.

    ``entry`` is the block that gets the slots, all at once in the end: one by one they would shift a long block each
    time. ``type_of`` gives the adjoint's type of a value. ``any_order``: see :meth:`sum_flags`. With a ``layout``, the
    lanes of a number are elements of a vector laid out so.
    """

    def __init__(
        self,
        entry: Block,
        type_of: Callable[[Value], Type],
        lanes: Lanes,
        any_order: Callable[[Loop], bool] = lambda loop: False,
        layout: DataLayout | None = None,
    ) -> None:
        self.entry = entry
        self.layout = layout
        self.any_order = any_order
        self.type_of = type_of
        self.lanes = lanes
        self.loop: Loop | None = None
        """The innermost loop of the primal around what is being reversed."""
        self.slots: list[dict[Value, Value]] = [{} for _ in range(lanes.width)]
        self.followed: Container[Value] = ()
        """Values whose adjoints have a bit."""
        self.source: Value | None = None
        """The bit of the adjoint that was taken last, which is what is handed on; None: it has none."""
        self._bits: list[dict[Value, Value]] = [{} for _ in range(lanes.width)]
        self._vectors: dict[Value, Value] = {}
        self._made: list[list[Instruction]] = []

    def slot(self, value: Value) -> Value:
        slots = self.slots[self.lanes.current]
        found = slots.get(value)
        if found is None:
            found = slots[value] = self._element(value) if self.is_together(value) else self._new(self.type_of(value))
        return found

    def _new(self, type: Type) -> Value:
        made = _slot(type, zero(type))
        self._made.append(made)
        return made[0]

    # all lanes at once

    def is_together(self, *values: Value) -> bool:
        """Whether the lanes of the adjoint of each of these values share a vector. With a bit in each lane they do
        not."""
        return self.layout is not None and all(
            str(self.type_of(value)) in _IN_VECTORS and value not in self.followed for value in values
        )

    def _vector(self, value: Value) -> Value:
        """The slot of the vector."""
        found = self._vectors.get(value)
        if found is None:
            found = self._vectors[value] = self._new(VectorType(self.lanes.width, self.type_of(value)))
        return found

    def _element(self, value: Value) -> Value:
        """The slot of the selected lane, in the vector's."""
        assert self.layout is not None
        vector, step = self._vector(value), self.layout.size_of(self.type_of(value)) * self.lanes.current
        if step == 0:
            return vector
        made = GetElementPtr(IntType(8), vector, [ConstantInt(I64, step)])
        self._made.insert(0, [made])  # behind all slots
        return made

    def take_together(self, build: Builder, value: Value) -> Value:
        """The vector of the adjoints, and leave zero."""
        slot, type = self._vector(value), VectorType(self.lanes.width, self.type_of(value))
        taken = build.load(type, slot)
        build.store(zero(type), slot)
        return taken

    def add_together(self, build: Builder, value: Value, amounts: Value, flags: Sequence[str] = ()) -> None:
        """Add a vector of amounts."""
        slot = self._vector(value)
        old = build.load(amounts.type, slot)
        build.store(add_adjoint(build, old, amounts, (*flags, *self.sum_flags(value))), slot)

    def take_all(self, build: Builder, value: Value) -> Taken:
        """The adjoints in all lanes, and leave zero."""
        if self.is_together(value):
            return Taken(self.take_together(build, value))
        return Taken(None, [(self.take(build, value), self.source) for _ in self.lanes])

    def add_all(self, build: Builder, value: Value, amounts: Taken, flags: Sequence[str] = ()) -> None:
        """Add what was taken to the adjoints of another value, lane by lane."""
        if amounts.vector is not None and self.is_together(value):
            self.add_together(build, value, amounts.vector, flags)
            return
        for lane in self.lanes:
            if amounts.vector is not None:
                amount, self.source = build.extract_element(amounts.vector, lane), None
            else:
                amount, self.source = amounts.lanes[lane]
            self.add(build, value, amount, flags)

    # in the selected lane

    def handed(self, build: Builder, value: Value) -> Value:
        """Whether anything has been added to the adjoint since it was taken."""
        return build.load(I1, self._bit(value))

    def _bit(self, value: Value) -> Value:
        bits = self._bits[self.lanes.current]
        if value not in bits:
            made = _slot(I1, zero(I1), "handed")
            self._made.append(made)
            bits[value] = made[0]
        return bits[value]

    def place(self) -> None:
        """Put the slots made so far at the head of the entry, the last one first as by :func:`entry_slot`."""
        self.entry.prepend([each for made in reversed(self._made) for each in made])
        self._made = []

    def read(self, build: Builder, value: Value) -> Value:
        return build.load(self.type_of(value), self.slot(value))

    def take(self, build: Builder, value: Value) -> Value:
        """The adjoint, and leave zero: the value's definition has been reversed."""
        taken = self.read(build, value)
        self.source = self.handed(build, value) if value in self.followed else None
        self.clear(build, value)
        return taken

    def clear(self, build: Builder, value: Value) -> None:
        build.store(zero(self.type_of(value)), self.slot(value))
        if value in self.followed:
            build.store(zero(I1), self._bit(value))

    def add(
        self, build: Builder, value: Value, amount: Value, flags: Sequence[str] = (), only: Value | None = None
    ) -> None:
        """Add ``amount`` (of the adjoint's type) to the adjoint of ``value``. ``only``: a condition under which it is
        anything at all."""
        slot = self.slot(value)
        if value in self.followed:
            handed: Value = ConstantInt(I1, 1) if self.source is None else self.source
            if only is not None:
                handed = build.and_(handed, only)
            build.store(build.or_(self.handed(build, value), handed), self._bit(value))
        type = self.type_of(value)
        old = build.load(type, slot)
        build.store(add_adjoint(build, old, amount, (*flags, *self.sum_flags(value))), slot)

    def sum_flags(self, place: Value) -> tuple[str, ...]:
        """``reassoc`` where each iteration of a loop adds to one and the same ``place``: an active value, or a pointer
        whose shadow is added to. Such a sum is the derivative's own, in an order that no one asked for; where it must
        be kept, each addition waits for the one before, and LLVM cannot vectorise the loop."""
        loop = self.loop
        return ("reassoc",) if loop is not None and loop.is_invariant(place) and self.any_order(loop) else ()


def add_adjoint(build: Builder, old: Value, amount: Value, flags: Sequence[str] = ()) -> Value:
    """``old + amount`` leaf by leaf."""
    flags = tuple(dict.fromkeys((*flags, "nsz"))) if "fast" not in flags else tuple(flags)
    leaves = float_leaves(old.type)
    if leaves and leaves[0][0] == ():
        return build.fadd(old, amount, flags)
    result = old
    for path, _ in leaves:
        left = build.extract_value(old, *path)
        right = build.extract_value(amount, *path)
        result = build.insert_value(result, build.fadd(left, right, flags), *path)
    return result
