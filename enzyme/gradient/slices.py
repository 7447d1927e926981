"""Arrays that a function finds in one block it is given, one behind the other: ``double *u = w, *v = w + n``.

Programs in C and Fortran are given room to work in, or the whole state of an equation, and cut it up themselves. To
whoever asks whether arrays are apart (arrays_apart.py) such slices are one array. Here each is given to the other
version of the function as a parameter of its own, as if the caller had cut the block up.

A slice is a pointer some bytes behind a parameter, or behind a pointer that is held (held_pointers.py): a number of
bytes that the compiler does not know, but that can be had in front of the function. Elements that are reached from it
by a counter are what makes it one; a single element at such a place is none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TypeAlias

from enzyme.analysis.polynomials import Monomial, Polynomial
from enzyme.analysis.symbolic import is_extremum
from enzyme.gradient.held_pointers import HELD, HeldPointers, ahead, is_ahead
from enzyme.ir.builder import Builder
from enzyme.ir.types import PTR, Type
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    DebugRecord,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Store,
    Value,
)

SLICE = "slice.of."
"""What the parameter of a version is named that is a slice of what another one points to."""
_MOST = 8
_ADDRESSES = (Compare, Cast)
"""What takes a pointer for a number."""
_TRIED: tuple[Callable[[int], int], ...] = (
    lambda k: 24 + 5 * k,
    lambda k: 8**2 ** min(k, 8),
    lambda k: 8**2 ** max(8 - k, 0),
)
"""What integers are taken to be to see what slices look like, by the number of their parameter: sizes like one another,
each more than all before it together, multiplied, and each less."""
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "or": operator.or_, "and": operator.and_,
    "shl": lambda a, b: a << b % 64, "ashr": lambda a, b: a >> b % 64, "lshr": lambda a, b: a >> b % 64,
    "sdiv": lambda a, b: a // b if b else a, "udiv": lambda a, b: a // b if b else a,
}  # fmt: skip


Ends: TypeAlias = "dict[tuple[tuple[Monomial, int], ...], tuple[int, int]]"
"""Forms, each with what is added to it at least and at most (arrays_apart.py)."""


@dataclass(frozen=True, eq=False)
class Slice:
    """Pointers of a function that lie as many bytes behind one pointer, but for what is known."""

    origin: Value
    """The parameter, or what is held in its place: the load."""
    named: str
    """As the version names that."""
    form: Polynomial
    """How many bytes the first of them lies behind it."""
    places: Mapping[GetElementPtr, int]
    """Each of them, and how many bytes it lies behind the first."""

    @property
    def first(self) -> GetElementPtr:
        return next(iter(self.places))

    @property
    def parameter(self) -> tuple[str, Type]:
        return f"{SLICE}{self.named}", PTR


def find_slices(held: HeldPointers) -> list[Slice]:
    """Those of a function; none where there are more than are compared."""
    known: dict[Value, Value] = {load: loads[0] for loads in held.places.values() for load in loads}
    found: dict[tuple[Value, tuple[tuple[Monomial, int], ...]], dict[GetElementPtr, Polynomial]] = {}
    for block in held.blocks:
        for inst in block.instructions:
            if isinstance(inst, GetElementPtr) and inst.type is PTR and _is_ahead(inst, known):
                base, form = held.forms.from_base(inst)
                if form.constant is None and (isinstance(base, Argument) or base in known):
                    found.setdefault((known.get(base, base), form.varying), {})[inst] = form
    names: dict[Value, str] = {loads[0]: f"{HELD}{base.name}" for (base, _, _), loads in held.places.items()}
    slices: list[Slice] = []
    for (origin, _), places in found.items():
        if any(_goes_on(user, places, known) for place in places for user in place.users):
            first = next(iter(places.values()))
            steps = {place: form.offset - first.offset for place, form in places.items()}
            slices.append(Slice(origin, names.get(origin) or origin.name or "", first, steps))
    return slices if len(slices) <= _MOST else []


def _is_ahead(pointer: Value, known: Mapping[Value, Value]) -> bool:
    """Whether a pointer can be had in front of the function."""
    while isinstance(pointer, GetElementPtr):
        if not all(is_ahead(each, known.__contains__) for each in pointer.indices):
            return False
        pointer = pointer.base
    return isinstance(pointer, Argument) or pointer in known


def _goes_on(user: Instruction, places: Mapping[GetElementPtr, Polynomial], known: Mapping[Value, Value]) -> bool:
    """Whether a pointer is used for more than the element that it points to."""
    if isinstance(user, GetElementPtr):
        return not _is_ahead(user, known)
    if isinstance(user, Store):
        return user.value in places
    return not isinstance(user, (Load, DebugRecord, *_ADDRESSES))


def read_slices(build: Builder, slices: Sequence[Slice], held: HeldPointers, given: Sequence[Value]) -> list[Value]:
    """The slices in front of the function, where what is held is ``given``."""
    made: dict[Value, Value] = {
        load: value for value, loads in zip(given, held.places.values(), strict=True) for load in loads
    }
    return [ahead(build, each.first, made) for each in slices]


def _given(slices: Sequence[Slice], version: Function) -> Iterator[tuple[Argument, Slice]]:
    """The parameters of a version that are slices, which are its last."""
    return zip(version.args[len(version.args) - len(slices) :], slices, strict=True)


def take_slices(slices: Sequence[Slice], version: Function, places: Mapping[Instruction, Instruction]) -> None:
    """Have the version, in which each instruction is at its ``places``, use its parameters in place of the slices; but
    for the ends of loops, which are behind what the loop goes along."""
    for argument, each in _given(slices, version):
        origin = version.args[each.origin.index] if isinstance(each.origin, Argument) else None
        if origin is not None:  # it is not for others that this is promised
            origin.attrs = tuple(word for word in origin.attrs if word != "noalias")
        for place, behind in each.places.items():
            copied = places[place]
            assert copied.block is not None
            pointer = Builder(copied.block, before=copied).offset(argument, behind)
            for user in [each for each in copied.users if not isinstance(each, _ADDRESSES)]:
                user.replace_operand(copied, pointer)


def overlapping(
    slices: Sequence[Slice], held: HeldPointers, version: Function, ranges: Mapping[Value, tuple[Ends, bool]]
) -> set[Slice]:
    """Slices that look as if they were parts of others, or of what they are cut from, as ``v + m`` of ``v``: fewest of
    them, where numbers are of some size that is tried. ``ranges``: what the version touches, and whether it writes."""
    stand: dict[Value, Value] = dict(zip(held.function.args, version.args, strict=False))
    for argument, loads in zip(version.args[len(held.function.args) :], held.places.values(), strict=False):
        stand.update(dict.fromkeys(loads, argument))
    given: dict[Value, Slice] = dict(_given(slices, version))
    found: list[set[Slice]] = []
    for number in _TRIED:
        tried = _Tried(stand, number)
        touched: dict[Value, list[_Touched]] = {}
        for base, (ends, written) in ranges.items():
            each = given.get(base)
            start = tried.number(each.form) if each is not None else 0
            numbers = [(start + tried.number(Polynomial(form)), low, high) for form, (low, high) in ends.items()]
            low, high = min(at + low for at, low, _ in numbers), max(at + high for at, _, high in numbers)
            origin = base if each is None else stand[each.origin]
            touched.setdefault(origin, []).append(_Touched(low, high, written, each))
        found.append(set().union(*map(_parts, touched.values())))
    return min(found, key=len)


@dataclass(frozen=True)
class _Touched:
    """From where to where behind a pointer, and by way of which slice, if of one."""

    low: int
    high: int
    written: bool
    by: Slice | None


def _parts(touched: Sequence[_Touched]) -> set[Slice]:
    """Of two that overlap, one of which is written: the slice that is made of more."""
    found: set[Slice] = set()
    for one, other in combinations(touched, 2):
        if (one.written or other.written) and one.low < other.high and other.low < one.high:
            by = [each for each in (one.by, other.by) if each is not None]
            found.add(max(by, key=lambda each: len(each.form.terms)))
    return found


class _Tried:
    """The function's integers where each of those it is given is some number, however large (``evaluate_sym`` gives
    residues)."""

    def __init__(self, stand: Mapping[Value, Value], parameter: Callable[[int], int]) -> None:
        self.stand, self.parameter = stand, parameter

    def number(self, form: Polynomial) -> int:
        return sum(factor * prod(self._of(what) for what, _ in product) for product, factor in form.terms)

    def _of(self, what: object, depth: int = 8) -> int:
        if isinstance(what, ConstantInt):
            return what.value
        if isinstance(what, Argument):
            return self.parameter(what.index)
        if isinstance(what, Value) and what in self.stand:
            return self._of(self.stand[what])
        if depth and isinstance(what, Cast):
            return self._of(what.operands[0], depth - 1)
        if depth and isinstance(what, BinaryOp) and what.opcode in _OPERATIONS:
            left, right = (self._of(each, depth - 1) for each in what.operands)
            return _OPERATIONS[what.opcode](left, right)
        if depth and isinstance(what, CallBase) and is_extremum(what):
            choose = max if "max" in (what.callee_name or "") else min
            return choose(self._of(each, depth - 1) for each in what.args)
        return self.parameter(0)
