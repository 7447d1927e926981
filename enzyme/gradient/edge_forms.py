"""What integers of a loop come to, as polynomials in its counter, and how large numbers of a nest can be.

Both are right if nothing wraps, and note what has to be asked for that (see edges_apart.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, Variable, combined, counter, in_program_order
from enzyme.analysis.symbolic import is_extremum
from enzyme.gradient.held_pointers import is_ahead
from enzyme.ir.types import IntType
from enzyme.ir.values import (
    BinaryOp,
    Branch,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    Instruction,
    Phi,
    Select,
    Value,
)

SMALL = 1 << 26
"""Numbers below that are small, and"""
_LARGE = 1 << 28
"""what changes in a nest and is made of them stays below this."""
_FACTORS = 4
"""What the factors before them come to at most in a sum, and"""
_STEP = 2
"""the factor before the counter: such a sum fits into 32 bits."""
_CUBE = 1 << 19
"""Numbers of which three are multiplied are below that."""
_HIGHEST = 3
_FACTORS_OF_SQUARES, _FACTORS_OF_CUBES = 1 << 9, 1 << 5
"""What the factors before products come to at most: such sums fit into 64 bits."""
_DEPTH = 12
_NARROWEST = 32
_LOWER = (1 << 32) - 1
REMAINDERS = ("srem", "urem")
UNSIGNED = ("umin", "umax", "usub")
EXTREMA = ("smin", "smax", *UNSIGNED)
AMOUNT = ("abs",)
LESS = {"slt": 1, "sle": 0, "ult": 1, "ule": 0}
GREATER = {"sgt": "slt", "sge": "sle", "ugt": "ult", "uge": "ule"}

_Kind = TypeVar("_Kind")


class Forms:
    """Integers of one loop as polynomials in its counter, if nothing wraps: ``rooms`` must not be negative then, and
    all small that a number is made of."""

    def __init__(self, loop: Loop) -> None:
        self.loop, self.counter = loop, counter(loop)
        self.rooms: dict[Polynomial, None] = {}
        self.known: dict[Value, Polynomial] = {}
        """What remainders are, away from the ends."""
        self.settled: dict[Value, bool] = {}
        """The same of conditions."""
        self.leaves: dict[Value, frozenset[Variable]] = {}
        """What a number is made of, also where that has no part in it."""
        self.unsure: dict[Value, frozenset[Variable]] = {}
        """What of that must be small, for the program does not promise that nothing wraps."""
        self.bare: dict[Value, frozenset[Polynomial]] = {}
        """What must not be negative, for it is widened as a number without a sign."""
        self._made: dict[Value, Polynomial | None] = {}

    def of(self, value: Value, depth: int = _DEPTH) -> Polynomial | None:
        if value in self.known:
            return self.known[value]
        if not isinstance(value.type, IntType) or not _NARROWEST <= value.type.bits <= 64:
            return None
        if isinstance(value, ConstantInt):
            return Polynomial.number(value.value) if abs(value.value) < SMALL else None
        if value not in self._made:
            found = self._opened(value, depth) if depth else None
            if found is not None and not self._fits(found):
                found = None
            if found is None and self.loop.is_invariant(value):
                found = Polynomial.variable((value, "sext"))
                self.leaves[value] = frozenset({(value, "sext")})
                self.unsure[value], self.bare[value] = frozenset(), frozenset()
            self._made[value] = found
        return self._made[value]

    def _fits(self, form: Polynomial) -> bool:
        """Whether a form is small where its variables are."""
        factors = {product: abs(factor) for product, factor in form.varying}
        step = factors.pop((self.counter,), 0)
        degree = max(map(len, factors), default=1)
        return degree == 1 and step <= _STEP and sum(factors.values()) <= _FACTORS and abs(form.offset) < SMALL

    def _parts(self, value: Instruction, parts: Sequence[Value], depth: int) -> list[Polynomial] | None:
        found: list[Polynomial] = []
        for part in parts:
            form = self.of(part, depth - 1)
            if form is None:
                return None
            found.append(form)
        self.leaves[value] = all_of(self.leaves, parts)
        self.unsure[value] = all_of(self.unsure if _is_promised(value) else self.leaves, parts)
        self.bare[value] = all_of(self.bare, parts)
        return found

    def _opened(self, value: Value, depth: int) -> Polynomial | None:
        if isinstance(value, Cast) and value.operands[0] in self.settled:  # one where it holds, or minus one
            self._parts(value, (), depth)
            holds = self.settled[value.operands[0]]
            return Polynomial.number(holds if value.opcode == "zext" else -holds)
        if isinstance(value, Cast) and value.opcode in ("sext", "zext", "trunc"):
            parts = self._parts(value, value.operands, depth)
            if parts is not None and value.opcode == "zext" and "nneg" not in value.flags:
                return self._bared(value, parts[0])
            return parts[0] if parts is not None else None
        if isinstance(value, BinaryOp) and is_narrowed(value):
            parts = self._parts(value, value.operands[:1], depth)
            return self._bared(value, parts[0]) if parts is not None else None
        if isinstance(value, BinaryOp):
            if value.opcode not in ("add", "sub", "mul", "shl") and "disjoint" not in value.flags:
                return None
            parts = self._parts(value, value.operands, depth)
            if parts is None or (value.opcode == "mul" and all(part.constant is None for part in parts)):
                return None
            return combined("add" if value.opcode == "or" else value.opcode, *parts)
        if isinstance(value, Select) and value.operands[0] in self.settled:
            parts = self._parts(value, [value.operands[1 if self.settled[value.operands[0]] else 2]], depth)
            return parts[0] if parts is not None else None
        if isinstance(value, CallBase) and is_extremum(value, ("smax",)) and isinstance(value.args[1], ConstantInt):
            return self._at_least(value, value.args[1].value, depth)
        return self._counted(value, depth) if isinstance(value, Phi) else None

    def _at_least(self, value: CallBase, least: int, depth: int) -> Polynomial | None:
        """A number that nothing in the nest changes, where it is no less: how often a loop runs that may not run."""
        nest = self.loop.ancestors()[-1]
        parts = self._parts(value, value.args[:1], depth) if is_ahead(value.args[0], nest.is_invariant) else None
        if parts is None:
            return None
        self.rooms[parts[0].minus(Polynomial.number(least))] = None
        return parts[0]

    def _bared(self, value: Value, form: Polynomial) -> Polynomial | None:
        """What a number is that is widened without a sign."""
        if not form.degree(self.counter):
            self.rooms[form] = None
            return form
        self.bare[value] = self.bare[value] | {form}
        return form

    def _counted(self, phi: Phi, depth: int) -> Polynomial | None:
        """A phi at the head of the loop that moves by the same in every iteration."""
        latch = self.loop.latch
        if phi.block is not self.loop.header or latch is None or len(phi.incoming) != 2:
            return None
        following = phi.value_from(latch)
        (first,) = (value for value, source in phi.incoming if source is not latch)
        if not isinstance(following, BinaryOp) or following.opcode != "add" or following.operands[0] is not phi:
            return None
        by, parts = following.operands[1], self._parts(phi, [first], depth)
        if parts is None or not isinstance(by, ConstantInt):
            return None
        return parts[0].plus(Polynomial.variable(self.counter), by.value)

    def rounds(self) -> Polynomial | None:
        """How often the loop runs, which asks at its end: if that is one or more."""
        latch = self.loop.latch
        end = latch.terminator if latch is not None else None
        asked = end.operands[0] if isinstance(end, Branch) and end.is_conditional else None
        if end is None or not isinstance(asked, Compare) or asked.opcode != "icmp":
            return None
        stays = end.operands[1] is self.loop.header
        difference = self.difference(asked)
        step = difference.stride(self.counter) if difference is not None else None
        if difference is None or step is None or abs(step) != 1:
            return None
        at_first = difference.at(self.counter, 0)
        if asked.predicate == ("ne" if stays else "eq"):
            return at_first.times(Polynomial.number(-step)).plus(Polynomial.number(1))
        # It goes on while the difference is negative, or at most zero; or stops when it is not.
        predicate = GREATER.get(asked.predicate, asked.predicate)
        unsigned = predicate[0] == "u" and "samesign" not in asked.flags
        if predicate not in LESS or not stays or step != 1 or unsigned:
            return None
        return at_first.times(Polynomial.number(-1)).plus(Polynomial.number(2 - LESS[predicate]))

    def compared(self) -> Sequence[Value]:
        """What is compared at the end of each iteration."""
        end = self.loop.latch.terminator if self.loop.latch is not None else None
        asked = end.operands[0] if end is not None else None
        return asked.operands if isinstance(asked, Compare) else ()

    def made_of(self, values: Iterable[Value]) -> frozenset[Variable]:
        return all_of(self.leaves, values)

    def difference(self, compare: Compare) -> Polynomial | None:
        """Left less right; or right less left, where the comparison is whether the left one is greater."""
        left, right = (self.of(each) for each in compare.operands)
        if left is None or right is None:
            return None
        return right.minus(left) if compare.predicate in GREATER else left.minus(right)


@dataclass(frozen=True)
class _Size:
    """What the amount of an integer is at most, if none of the variables is negative; ``rooms`` must not be negative
    and ``small`` be small for that."""

    most: Polynomial
    never_negative: bool
    rooms: tuple[Polynomial, ...] = ()
    small: frozenset[Variable] = frozenset()


class Sizes:
    """How large integers of a nest can be, and what has been asked about them: ``rooms`` must not be negative, and
    variables of ``small`` below these numbers."""

    def __init__(self, nest: Loop) -> None:
        self.nest = nest
        self.rooms: dict[Polynomial, None] = {}
        self.small: dict[Variable, int] = {}
        self._found: dict[Value, _Size | None] = {}

    def take(self, leaf: Variable, with_sign: bool = False) -> bool:
        """Ask for it to be small, or, ``with_sign``, not to be negative either; whether that can be asked."""
        value, _ = leaf
        assert isinstance(value, Value)
        if self._is_ahead(value):
            self.small.setdefault(leaf, SMALL)
            if with_sign:
                self.rooms[Polynomial.variable(leaf)] = None
            return True
        size = self.of(leaf)
        if size is None or (with_sign and not size.never_negative):
            return False
        self.rooms[Polynomial.number(_LARGE).minus(size.most)] = None
        limit = SMALL if size.most.degree(*size.most.variables) < _HIGHEST else _CUBE
        for each in ordered(size.most.variables):
            self.rooms[Polynomial.variable(each)] = None
            self.small[each] = min(limit, self.small.get(each, limit))
        for each in size.small:
            self.small.setdefault(each, SMALL)
        self.rooms.update(dict.fromkeys(size.rooms))
        return True

    def is_known(self, leaf: Variable) -> bool:
        """Whether it can be asked for to be small."""
        value, _ = leaf
        assert isinstance(value, Value)
        return self._is_ahead(value) or self.of(leaf) is not None

    def is_never_negative(self, leaf: Variable) -> bool:
        """Whether it can be asked for not to be negative."""
        value, _ = leaf
        assert isinstance(value, Value)
        size = self.of(leaf)
        return self._is_ahead(value) or (size is not None and size.never_negative)

    def of(self, leaf: Variable) -> _Size | None:
        value, _ = leaf
        assert isinstance(value, Value)
        size = self._of(value, _DEPTH)
        degree = size.most.degree(*size.most.variables) if size is not None else 0
        if size is None or degree > _HIGHEST:
            return None
        most = _FACTORS_OF_CUBES if degree == _HIGHEST else _FACTORS_OF_SQUARES
        return size if sum(abs(factor) for _, factor in size.most.varying) <= most else None

    def _is_ahead(self, value: Value) -> bool:
        return is_ahead(value, self.nest.is_invariant)

    def _of(self, value: Value, depth: int) -> _Size | None:
        if not isinstance(value.type, IntType) or not _NARROWEST <= value.type.bits <= 64:
            return None
        if isinstance(value, ConstantInt):
            small = abs(value.value) < SMALL
            return _Size(Polynomial.number(abs(value.value)), value.value >= 0) if small else None
        if self._is_ahead(value):
            return _Size(Polynomial.variable((value, "sext")), True)
        if value not in self._found:
            self._found[value] = None
            self._found[value] = self._opened(value, depth - 1) if depth else None
        return self._found[value]

    def _opened(self, value: Value, depth: int) -> _Size | None:
        if isinstance(value, Phi):
            return self._counted(value, depth)
        if isinstance(value, Cast) and value.opcode in ("sext", "zext", "trunc"):
            size = self._of(value.operands[0], depth)
            unsigned = value.opcode == "zext" and "nneg" not in value.flags
            return None if size is None or (unsigned and not size.never_negative) else size
        if isinstance(value, BinaryOp) and is_narrowed(value):
            size = self._of(value.operands[0], depth)
            return size if size is not None and size.never_negative else None
        parts: Sequence[Value] = value.operands if isinstance(value, (BinaryOp, Select)) else ()
        if isinstance(value, CallBase) and is_extremum(value, EXTREMA):
            parts = value.args
        sizes = [self._of(each, depth) for each in parts[isinstance(value, Select) :]]
        if not sizes or None in sizes:
            return None
        return self._joined(value, [each for each in sizes if each is not None])

    def _joined(self, value: Value, sizes: list[_Size]) -> _Size | None:
        assert isinstance(value, Instruction)
        left, right = sizes
        signs = [left.never_negative, right.never_negative]
        never_negative = any(signs) if is_extremum(value, ("smax",)) else all(signs) and value.opcode != "sub"
        most = left.most.plus(right.most)
        if (value.opcode == "urem" or is_extremum(value, UNSIGNED)) and not all(signs):
            return None  # without a sign, a negative number would be a large one
        if value.opcode in REMAINDERS:
            never_negative = left.never_negative
        elif value.opcode == "mul":
            most = left.most.times(right.most).plus(left.most).plus(right.most)  # also where one of them is zero
        elif value.opcode == "shl":
            by = right.most.constant
            if by is None or by > 8:
                return None
            most = left.most.times(Polynomial.number(1 << by))
        elif isinstance(value, BinaryOp) and value.opcode not in ("add", "sub") and "disjoint" not in value.flags:
            return None
        if any(abs(factor) > _LARGE for _, factor in most.terms):
            return None  # so that no factor wraps on the way
        return _Size(most, never_negative, (*left.rooms, *right.rooms), left.small | right.small)

    def _counted(self, phi: Phi, depth: int) -> _Size | None:
        """A number that moves by the same in every iteration of one of the nest's loops."""
        found = [each for each in (self.nest, *self.nest.inside()) if each.header is phi.block]
        if not found or found[0].preheader is None:
            return None
        forms = Forms(found[0])
        form, rounds = forms.of(phi), forms.rounds()
        step = form.stride(forms.counter) if form is not None else None
        first = self._of(phi.value_from(found[0].preheader), depth)
        if rounds is None or step is None or first is None:
            return None
        leaves = forms.made_of(forms.compared()) | rounds.variables
        rooms = rounds.minus(Polynomial.number(1)), *forms.rooms
        if not all(is_plain(each, self.nest) for each in rooms):
            return None
        if not all(isinstance(what, Value) and self._is_ahead(what) for what, _ in leaves):
            return None
        times = Polynomial.of({product: abs(factor) for product, factor in rounds.terms})
        most = first.most.plus(times, abs(step))
        return _Size(most, first.never_negative and step > 0, (*first.rooms, *rooms), first.small | leaves)


def all_of(sets: Mapping[Value, frozenset[_Kind]], values: Iterable[Value]) -> frozenset[_Kind]:
    """What all values have together."""
    return frozenset(each for value in values for each in sets.get(value, ()))


def ordered(leaves: Iterable[Variable]) -> list[Variable]:
    """Variables as they are met in the program."""
    return [leaf for (leaf,), _ in in_program_order(Polynomial.of({(leaf,): 1 for leaf in leaves}).varying)]


def is_plain(form: Polynomial, nest: Loop) -> bool:
    """Whether a form is a short sum of what is known in front of the nest."""
    return (
        abs(form.offset) < SMALL
        and all(len(product) == 1 for product, _ in form.varying)
        and sum(abs(factor) for _, factor in form.varying) <= _FACTORS
        and all(isinstance(what, Value) and is_ahead(what, nest.is_invariant) for what, _ in form.variables)
    )


def is_narrowed(inst: Value) -> bool:
    """Whether all bits of a number are cleared but the lower 32."""
    if not isinstance(inst, BinaryOp) or inst.opcode != "and":
        return False
    mask = inst.operands[1]
    return isinstance(mask, ConstantInt) and mask.value == _LOWER


def _is_promised(value: Instruction) -> bool:
    """Whether a number is what its parts come to, or the program has gone wrong."""
    if isinstance(value, Cast):
        return value.opcode == "sext" or "nneg" in value.flags or "nsw" in value.flags
    if isinstance(value, Phi):
        return any(
            "nsw" in each.flags for each in value.operands if isinstance(each, BinaryOp) and value in each.operands
        )
    return isinstance(value, Select) or "nsw" in value.flags or "disjoint" in value.flags
