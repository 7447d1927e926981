"""Calls that neighbouring iterations have in common.

The trapezoid rule adds up ``f(x[i - 1]) + f(x[i])``: what one iteration calls with ``x[i]``, the next one calls with
``x[i - 1]``. Where several run at once (together.py), the lanes of the one call are those of the other, moved on by an
iteration. A function that has no version for vectors is called lane by lane; then only what is in no lane of the other
call is called for itself, here and where the derivative calls its partials.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from typing import Literal, TypeAlias

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.gradient.call_costs import is_called_apart
from enzyme.gradient.wide_bodies import Body
from enzyme.ir.types import I64
from enzyme.ir.values import Argument, BinaryOp, CallBase, Cast, Constant, Instruction, Load, Phi, UnaryOp, Value
from enzyme.rules.names import callee_math_name

_Moved: TypeAlias = int | Literal["any"] | None
"""By how many iterations; any number; none is known."""
_DEPTH = 8
"""Operations that are looked through, one below the other."""


def neighbour_calls(body: Body, forms: FunctionForms, count: int) -> dict[CallBase, tuple[CallBase, int]]:
    """For calls whose result is that of a call before them in the same block, but of another iteration: that call, and
    how many iterations later its is the same; fewer than ``count`` in both directions."""
    moves = _OfBody(body, forms)
    return {
        call: nearest
        for block in body.function.blocks
        for call, before in _alike(inst for inst in block.instructions if inst in body.varying)
        if (nearest := moves.nearest(call, before)) is not None and abs(nearest[1]) < count
    }


def has_neighbour_calls(loop: Loop, forms: FunctionForms, calls: Container[Instruction]) -> bool:
    """Whether there are such among ``calls`` of a loop."""
    moves = _OfLoop(loop, forms)
    return any(
        moves.nearest(call, before) is not None
        for block in loop.order
        for call, before in _alike(inst for inst in block.instructions if inst in calls)
    )


def _alike(instructions: Iterable[Instruction]) -> list[tuple[CallBase, list[CallBase]]]:
    """Calls that are made lane by lane, and the calls of the same function in front of each."""
    found: list[tuple[CallBase, list[CallBase]]] = []
    known: defaultdict[object, list[CallBase]] = defaultdict(list)
    for inst in instructions:
        if not isinstance(inst, CallBase) or not is_called_apart(inst) or (math := callee_math_name(inst)) is None:
            continue
        same = known[math.name, inst.type, inst.flags, len(inst.args)]
        found.append((inst, same[:]))
        same.append(inst)
    return found


class _Moves(ABC):
    """What values have to do with those of other iterations."""

    def __init__(self, forms: FunctionForms) -> None:
        self.forms = forms

    @abstractmethod
    def is_same(self, value: Value) -> bool:
        """Whether iterations do not differ in a value."""

    @abstractmethod
    def stride(self, form: Polynomial) -> int | None:
        """By how much it grows from one iteration to the next."""

    def handed(self, one: Value, other: Value) -> _Moved:
        """What a phi has to do with what it is handed."""
        return None

    def nearest(self, call: CallBase, before: Sequence[CallBase]) -> tuple[CallBase, int] | None:
        """Of calls of the same function the one that is fewest iterations away, and how many; None if there is none."""
        moved = ((each, self._of_all(call, each, _DEPTH)) for each in before)
        found = [(each, by) for each, by in moved if isinstance(by, int) and by]
        return min(found, key=lambda pair: abs(pair[1]), default=None)

    def _of_all(self, one: Instruction, other: Instruction, depth: int) -> _Moved:
        values = [each.args if isinstance(each, CallBase) else each.operands for each in (one, other)]
        by: _Moved = "any"
        for left, right in zip(*values, strict=True):
            part = self._of(left, right, depth)
            if part is None or ("any" not in (by, part) and part != by):
                return None
            by = part if by == "any" else by
        return by

    def _of(self, one: Value, other: Value, depth: int) -> _Moved:
        """How many iterations later ``other`` is what ``one`` is now."""
        if one is other or isinstance(one, Constant):
            return "any" if self.is_same(one) and one == other else None
        if (by := self.handed(one, other)) is not None:
            return by
        if not depth or type(one) is not type(other) or one.type is not other.type:
            return None
        if isinstance(one, Load) and isinstance(other, Load):
            return self._of_loads(one, other)
        if not isinstance(one, Instruction) or not isinstance(other, Instruction):
            return None
        if one.opcode != other.opcode or one.flags != other.flags:
            return None
        if isinstance(one, CallBase) and isinstance(other, CallBase):
            names = [callee_math_name(each) for each in (one, other)]
            if names[0] is None or names[0] != names[1] or len(one.args) != len(other.args):
                return None
        elif not isinstance(one, (BinaryOp, UnaryOp, Cast)):
            return None
        return self._of_all(one, other, depth - 1)

    def _of_loads(self, one: Load, other: Load) -> int | None:
        (base, form), (base_of_other, of_other) = (self.forms.from_base(each.pointer) for each in (one, other))
        if base is not base_of_other or not self.is_same(base):
            return None
        apart, stride = form.minus(of_other).constant, self.stride(form)
        return apart // stride if apart is not None and stride and not apart % stride else None


class _OfBody(_Moves):
    """In a function for one iteration, which reads nothing that others write, but for scratch of its own."""

    def __init__(self, body: Body, forms: FunctionForms) -> None:
        super().__init__(forms)
        self.body = body

    def is_same(self, value: Value) -> bool:
        return value not in self.body.varying

    def stride(self, form: Polynomial) -> int | None:
        found = 0
        for value, how in form.variables:
            if isinstance(value, Argument) and value in self.body.steps:
                factor = form.stride((value, how))
                if factor is None or value.type is not I64:
                    return None
                found += factor * self.body.steps[value]
            elif not isinstance(value, Loop) and value in self.body.varying:
                return None
        return found

    def _of_loads(self, one: Load, other: Load) -> int | None:
        return super()._of_loads(one, other) if self.body.array(one.pointer) is None else None


class _OfLoop(_Moves):
    """In a loop as it is, whatever is written in it."""

    def __init__(self, loop: Loop, forms: FunctionForms) -> None:
        super().__init__(forms)
        self.loop = loop

    def is_same(self, value: Value) -> bool:
        return self.loop.is_invariant(value)

    def stride(self, form: Polynomial) -> int | None:
        others = (value for value, _ in form.without(counter(self.loop)).variables)
        known = all(isinstance(value, Value) and self.loop.is_invariant(value) for value in others)
        return form.stride(counter(self.loop)) if known else None

    def handed(self, one: Value, other: Value) -> _Moved:
        """The optimiser hands on what is read once (handed_loads.py)."""
        latch = self.loop.latch
        for phi, value, by in ((one, other, -1), (other, one, 1)):
            if isinstance(phi, Phi) and phi.block is self.loop.header and latch is not None:
                return by if isinstance(value, Load) and phi.value_from(latch) is value else None
        return None
