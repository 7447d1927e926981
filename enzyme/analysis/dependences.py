"""Whether a write may meet what was read before it, by the bounds of the loops around both.

In a factorisation in place, ``A[i * n + j] -= f * A[k * n + j]`` for i and j from k + 1 to n - 1, row k is never
written again. That is decided as data dependences are: the counters of the loops around the read and the write are two
sets of unknown integers, bounded by the loops and by the conditions under which the accesses are made; the write comes
later, in one of the loops around both, or in the same iteration of all of them. If the addresses were the same in spite
of that, these conditions had a solution (inequalities.py). Addresses are products of unknowns where the length of a row
is one: ``n * row + column = n * row' + column'`` is split in two where both columns can be shown to be at home between
0 and n - 1 (or to be less than n apart). What was chosen by comparisons, as a pivot's row, is bounded by all that it
may have been chosen from. Where ``if (i != k)`` leaves a row out, both signs of ``i - k`` are tried.

Addresses are residues modulo 2**64; no program has rows so long that they are not the numbers themselves. Where 32 bits
are multiplied and LLVM has lost the word that this does not wrap, it is taken to be so, and the running program is
asked (:attr:`Dependences.assumed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd

from enzyme.analysis.inequalities import impossible
from enzyme.analysis.loop_bounds import LoopBounds
from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.polynomials import Polynomial, Variable, counter, in_program_order
from enzyme.ir.values import BinaryOp, Call, Cast, GetElementPtr, Instruction, Phi, Value

_QUESTIONS = 300
"""Pairs of accesses of one function that are looked at."""
_PRODUCTS = 40
"""Conditions that are multiplied by the length of a row."""
_SPLITS = 4
"""Levels of rows: an array of so many dimensions and one more."""
_UNEQUAL = 4
"""Numbers that are known not to be zero, as ``i - k`` under ``if (i != k)``, of which both signs are tried."""
_UNKNOWN: Variable = (None, "distance")
_STRIDE: Variable = (None, "stride")
_ONE = Polynomial.number(1)


@dataclass(frozen=True)
class Access:
    """An instruction that touches ``size`` bytes at ``pointer``."""

    instruction: Instruction
    pointer: Value
    size: int


class Dependences:
    """Questions about pairs of accesses of one function.

    ``assumed``: narrow integers that were taken not to wrap, with how they are widened, for an answer that was given.
    """

    def __init__(self, pointers: PointerAnalysis) -> None:
        self.forest = pointers.forest
        given = pointers.domtree, pointers.forest, pointers.module.datalayout
        self.certain = LoopBounds(*given)
        self.trusting = LoopBounds(*given, self.certain)
        self.assumed: dict[tuple[Instruction, str], None] = {}
        self._asked: dict[tuple[Access, Access, Loop | str], bool] = {}

    def stays_clear(self, read: Access, write: Access, follows: bool) -> bool:
        """Whether no write made after a read touches what that read. ``follows``: it may be so in one iteration of all
        loops around both."""
        shared = self._shared(read, write)
        cases: list[tuple[list[Loop], Loop | None]] = [(shared, None)] if follows else []
        return self._holds(
            read, write, "later", [*cases, *((shared[:level], loop) for level, loop in enumerate(shared))]
        )

    def stays_apart(self, read: Access, write: Access, loop: Loop) -> bool:
        """Whether no write made in a run of a loop touches what is read in that run, before it or after it."""
        mine = self.forest.loop_of(loop.header)  # not all analyses look at the same forest
        return mine is not None and self._holds(read, write, mine, [(mine.ancestors()[:0:-1], None)])

    def is_passed(self, store: Access, load: Access, loop: Loop, follows: bool) -> bool:
        """Whether no load made after a store in a run of a loop reads what that has stored, with nothing assumed.
        ``follows``: it may be made in the same iteration."""
        outer = loop.ancestors()[:0:-1]
        cases: list[tuple[list[Loop], Loop | None]] = [([*outer, loop], None)] if follows else []
        return self._holds(store, load, "passed", [*cases, (outer, loop)], trusting=False)

    def _shared(self, read: Access, write: Access) -> list[Loop]:
        """The loops around both, outermost first."""
        reads, writes = read.instruction.block, write.instruction.block
        assert reads is not None and writes is not None
        common = self.forest.common_loop(reads, writes)
        return common.ancestors()[::-1] if common is not None else []

    def _holds(
        self,
        read: Access,
        write: Access,
        what: Loop | str,
        cases: list[tuple[list[Loop], Loop | None]],
        trusting: bool = True,
    ) -> bool:
        """Whether accesses do not meet in any of some cases: in the same iteration of some loops, and in a later one of
        another. ``trusting``: narrow integers may be taken not to wrap for that."""
        key = read, write, what
        if key not in self._asked:
            if len(self._asked) >= _QUESTIONS or self.forest.irreducible_edges:
                return False
            holds = self._never_meet(self.certain, read, write, cases)
            if not holds and trusting and self._never_meet(self.trusting, read, write, cases):
                self.assumed.update(dict.fromkeys(self._trusted((read.pointer, write.pointer))))
                holds = True
            self._asked[key] = holds
        return self._asked[key]

    def _never_meet(
        self, bounds: LoopBounds, read: Access, write: Access, cases: list[tuple[list[Loop], Loop | None]]
    ) -> bool:
        (base, begin), (other, place) = (bounds.forms.from_base(each.pointer) for each in (read, write))
        if base is not other or bounds.home(base) is not None:
            return False
        reads, writes = read.instruction.block, write.instruction.block
        assert reads is not None and writes is not None
        begin, place = bounds.with_signs(begin, reads), bounds.with_signs(place, writes)
        if not bounds.is_made(begin, reads) or not bounds.is_made(place, writes):
            return False
        for together, later in cases:
            pair = _Pair(frozenset(together), bounds)
            known = [*bounds.conditions(reads), *map(pair.second, bounds.conditions(writes))]
            if later is not None:
                step = Polynomial.variable(counter(later))
                known.append(pair.second(step).minus(step).minus(_ONE))
            distance = pair.second(place).minus(begin)
            unequal = [*bounds.unequal(reads), *map(pair.second, bounds.unequal(writes))]
            if not _differ_either_way(distance, read.size, write.size, known, list(dict.fromkeys(unequal)), pair):
                return False
        return True

    def _trusted(self, pointers: Iterable[Value]) -> list[tuple[Instruction, str]]:
        """The narrow integers below some pointers, and the ends of loops, that are taken not to wrap."""
        found: dict[tuple[Instruction, str], None] = {}
        seen: set[Value] = set()
        work = [*pointers, *self.trusting.ends()]
        while work:
            value = work.pop()
            if value in seen or not isinstance(value, (GetElementPtr, BinaryOp, Cast, Phi, Call)):
                continue
            seen.add(value)
            found.update(
                (key, None) for key in ((value, "sext"), (value, "zext")) if key in self.trusting.forms.assumed
            )
            work += value.operands
        return list(found)


def _differ_either_way(
    distance: Polynomial, ahead: int, behind: int, known: list[Polynomial], unequal: list[Polynomial], pair: _Pair
) -> bool:
    """:func:`_differ`, where some forms are not zero: each is above or below."""
    if _differ(distance, ahead, behind, known, pair):
        return True
    for number, form in enumerate(unequal[:_UNEQUAL]):
        above, below = form.minus(_ONE), Polynomial(()).minus(form).minus(_ONE)
        rest = unequal[number + 1 : _UNEQUAL]
        if all(_differ_either_way(distance, ahead, behind, [*known, way], rest, pair) for way in (above, below)):
            return True
    return False


def _differ(distance: Polynomial, ahead: int, behind: int, known: list[Polynomial], pair: _Pair) -> bool:
    """Whether under the conditions a write of ``behind`` bytes, ``distance`` bytes behind a read of ``ahead``
    bytes, does not touch these."""
    unit = gcd(*(factor for _, factor in distance.terms)) or 1
    low, high = -((behind - 1) // unit), (ahead - 1) // unit
    equation = Polynomial.of({product: factor // unit for product, factor in distance.terms})
    known = [*known]
    if low or high:
        gap = Polynomial.variable(_UNKNOWN)
        equation = equation.minus(gap)
        known += [gap.minus(Polynomial.number(low)), Polynomial.number(high).minus(gap)]
    known += _of_variables([equation, *known], pair)
    zero: list[Polynomial] = []
    if _split(equation, known, zero, _SPLITS) and impossible(known, zero):
        return True
    if equation.degree(*equation.variables) <= 1:
        return False
    return impossible([*known, *_multiplied(equation, known)], [equation])


def _split(equation: Polynomial, known: list[Polynomial], zero: list[Polynomial], depth: int) -> bool:
    """Add what an equation says to what is ``zero``, in forms without products, if that can be done."""
    if equation.degree(*equation.variables) <= 1:
        zero.append(equation)
        return True
    if depth == 0:
        return False
    for rows, rest, stride in _rows(equation):
        common = gcd(*(factor for _, factor in rows.terms))
        long = Polynomial(()).plus(stride, common)
        if not all(impossible([*known, each.minus(long)], zero) for each in (rest, Polynomial(()).minus(rest))):
            continue
        whole = Polynomial.of({product: factor // common for product, factor in rows.terms})
        return _split(rest, known, zero, depth - 1) and _split(whole, known, zero, depth - 1)
    return False


def _multiplied(equation: Polynomial, known: Sequence[Polynomial]) -> list[Polynomial]:
    """Conditions multiplied by numbers that are not negative, where a form has products of these: whole rows, and what
    is behind them."""
    found: list[Polynomial] = []
    for stride in _strides(equation):
        length = Polynomial.variable(stride)
        if impossible([*known, Polynomial(()).minus(length).minus(_ONE)]):
            found += [each.times(length) for each in known if each.varying and each.degree(*each.variables) <= 1]
    return found[:_PRODUCTS]


def _rows(equation: Polynomial) -> Iterable[tuple[Polynomial, Polynomial, Polynomial]]:
    """Ways to take a form apart: ``stride * rows + rest``."""
    strides = _strides(equation)
    for stride in strides:
        rows, rest, long = _taken_out(equation, stride), equation.without(stride), Polynomial.variable(stride)
        for more in (0, -1, 1):  # ``n - 1 - i`` is no row and ``-1 - i``
            yield rows.minus(Polynomial.number(more)), rest.plus(long, more), long
    for stride in strides:
        if equation.degree(stride) == 1:
            for more in (1, -1, 2, -2):  # rows of n + 1 elements
                long = Polynomial.variable(_STRIDE)
                form = equation.replaced(stride, long.minus(Polynomial.number(more)))
                length = Polynomial.variable(stride).plus(Polynomial.number(more))
                yield form.factor(_STRIDE), form.without(_STRIDE), length


def _of_variables(forms: Sequence[Polynomial], pair: _Pair) -> list[Polynomial]:
    """What is not negative by what the variables of some forms are."""
    found: list[Polynomial] = []
    seen: set[Variable] = set()
    work = [*forms]
    while work:
        listed = {variable for form in work for variable in form.variables if variable not in seen}
        seen |= listed
        work = []
        for (variable,), _ in in_program_order([((each,), 1) for each in listed]):
            plain = _unmarked(variable)
            for form in pair.bounds.bounds(plain):
                work.append(pair.like(form, variable))
        found += work
    return found


def _unmarked(variable: Variable) -> Variable:
    """A variable of either side as it is called in the program."""
    return variable[0], variable[1].removesuffix(_Pair.MARK)


@dataclass(frozen=True)
class _Pair:
    """Two moments of a function, in the same iterations of the loops ``together``. What may be another number in the
    second has another name there."""

    together: frozenset[Loop]
    bounds: LoopBounds
    MARK = "'"

    def second(self, form: Polynomial) -> Polynomial:
        return form.renamed(self._marked)

    def like(self, form: Polynomial, variable: Variable) -> Polynomial:
        """A form at the moment that a variable is of."""
        return self.second(form) if variable[1].endswith(self.MARK) else form

    def _marked(self, variable: Variable) -> Variable:
        home = self.bounds.home(variable[0])
        return variable if home is None or home in self.together else (variable[0], variable[1] + self.MARK)


def _strides(equation: Polynomial) -> list[Variable]:
    """What is multiplied, most often first."""
    many: dict[Variable, int] = {}
    for product, _ in in_program_order(equation.varying):
        if len(product) > 1:
            for each in product:
                if isinstance(each[0], Value):
                    many[each] = many.get(each, 0) + 1
    return sorted(many, key=lambda each: -many[each])


def _taken_out(form: Polynomial, variable: Variable) -> Polynomial:
    """What a variable is multiplied by, once, in the terms that have it."""
    found = {}
    for product, factor in form.terms:
        if variable in product:
            place = product.index(variable)
            found[product[:place] + product[place + 1 :]] = factor
    return Polynomial.of(found)
