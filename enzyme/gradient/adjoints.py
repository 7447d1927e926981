"""Adjoints of SSA values.

Every active value owns a stack slot in the reverse function, zero at entry, read and cleared where the value's
definition is reversed. LLVM's SROA turns the slots into SSA values; the additions carry ``nsz``, so that adding to a
slot known to be zero folds away (only the sign of a zero adjoint can differ).

Some adjoints have a bit beside them: whether anything has been handed to them (see :mod:`enzyme.gradient.unchosen`). It
follows from the bits of the adjoints that were handed on, not from numbers.

The adjoint of an integer that carries floating-point data has the floating-point type of that data.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from enzyme.analysis.loops import Loop
from enzyme.gradient.lanes import Lanes
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I32, ArrayType, FloatType, StructType, Type, VectorType
from enzyme.ir.values import Alloca, Block, ConstantInt, Instruction, Store, Value, zero

LeafPath = tuple[int, ...]


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


class Adjoints:
    """Slots for the adjoints of active values of one function, in the selected lane.

    ``entry`` is the block that gets the slots, all at once in the end: one by one they would shift a long block each
    time. ``type_of`` gives the adjoint's type of a value. ``any_order``: see :meth:`sum_flags`.
    """

    def __init__(
        self,
        entry: Block,
        type_of: Callable[[Value], Type],
        lanes: Lanes,
        any_order: Callable[[Loop], bool] = lambda loop: False,
    ) -> None:
        self.entry = entry
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
        self._made: list[list[Instruction]] = []

    def slot(self, value: Value) -> Value:
        slots = self.slots[self.lanes.current]
        found = slots.get(value)
        if found is None:
            type = self.type_of(value)
            made = _slot(type, zero(type))
            self._made.append(made)
            found = slots[value] = made[0]
        return found

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
