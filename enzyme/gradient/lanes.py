"""Lanes: a derivative of width N carries N tangents, or N adjoints, through one run of the primal.

Everything that belongs to a derivative (shadows, tangents, adjoint slots) is there once per lane; what belongs to the
primal (the copy, the tape, control flow, looked-up values, partials) is there once. Code that builds a piece of a
derivative is written for the selected lane and run once for each::

    for _ in lanes:
        build.store(adjoint, shadows.of(pointer))

Outside of such a loop there is a selected lane only where there is no other (width 1): code that forgets the loop
fails when it asks for a shadow, a tangent or an adjoint, instead of leaving lanes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from enzyme.ir.builder import Builder
from enzyme.ir.types import ArrayType, Type
from enzyme.ir.values import ConstantToken, Value


class Lanes:
    """The lanes of one derivative, and which of them is selected."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._selected: int | None = 0 if width == 1 else None

    @property
    def current(self) -> int:
        """The selected lane."""
        assert self._selected is not None, "a derivative of several lanes is built without a lane selected"
        return self._selected

    def __iter__(self) -> Iterator[int]:
        """Select each lane in turn."""
        before = self._selected
        try:
            for lane in range(self.width):
                self._selected = lane
                yield lane
        finally:
            self._selected = before

    def at(self, lane: int) -> Iterator[int]:
        """Select one lane for the body of a loop that runs once."""
        before = self._selected
        try:
            self._selected = lane
            yield lane
        finally:
            self._selected = before

    def type(self, type: Type) -> Type:
        """How the lanes of a value of ``type`` are returned: ``[N x type]``, or the one itself."""
        return lanes_type(type, self.width)

    def pack(self, build: Builder, each: Callable[[], Value]) -> Value:
        """The values of ``each`` for all lanes, as one value to return."""
        return each() if self.width == 1 else packed(build, [each() for _ in self])

    @property
    def path(self) -> tuple[int, ...]:
        """Where the selected lane's value is in a packed one."""
        return () if self.width == 1 else (self.current,)


def packed(build: Builder, values: list[Value]) -> Value:
    """One value of each lane, as one value to return."""
    if len(values) == 1:
        return values[0]
    made: Value = ConstantToken(ArrayType(len(values), values[0].type), "poison")
    for lane, value in enumerate(values):
        made = build.insert_value(made, value, lane)
    return made


def lanes_type(type: Type, width: int) -> Type:
    """``width`` values of ``type`` in a result."""
    return type if width == 1 else ArrayType(width, type)
