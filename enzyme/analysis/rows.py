"""Rows of one array: what the accesses of a loop walk along side by side, and never meet.

``w[i]``, ``w[n + i]``, ``w[2 * n + i]`` for i from 0 to n - 1 are three rows of n elements each. They do not overlap,
nor do they in any other run of the loop, as long as what lies around it moves them by whole numbers of rows that never
make one of another: a loop over layers by eight rows, say, where there are at most eight. Addresses are polynomials
(function_forms.py), residues modulo 2**64; no loop of a program runs 2**50 times.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.guards import implies_order
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.analysis.symbolic import SymValue, constant
from enzyme.ir.types import IntType
from enzyme.ir.values import Instruction, Load, Store, Value

_MOST = 1 << 8
"""More rows than these may lie further apart than an object is large, were all loops as long as can be."""


@dataclass(frozen=True)
class Row:
    """Where an access is in each round of a loop: in what is ``start`` and a whole number of rows behind ``base``.

    All of that is the same everywhere in the function. ``unit`` is the length of a row in bytes, and all rows of a
    ``family`` move by multiples of ``moves`` rows (0: by none) from one run of the loop to another.
    """

    family: tuple[Value, int, frozenset[tuple[Loop, int]]]
    start: Polynomial
    unit: Polynomial
    moves: int

    def is_apart(self, other: Row) -> bool:
        """Whether two accesses never meet, whichever rounds of whichever runs they are made in."""
        if self.family != other.family:
            return False
        rows = _times(self.start.minus(other.start), self.unit)
        return rows is not None and 0 < abs(rows) <= _MOST and (not self.moves or rows % self.moves != 0)


class Rows:
    """The rows of one function."""

    def __init__(self, forms: FunctionForms) -> None:
        self.forms = forms

    def of(self, loop: Loop, access: Load | Store) -> Row | None:
        """The row that an access walks along in a loop; None where that is not known."""
        forms = self.forms
        rounds = forms.rounds(loop)
        base, form = forms.from_base(access.pointer)
        if forms.loops.irreducible_edges or rounds is None or self.home(base) is not None:
            return None
        rounds, form = _in_one_form(rounds, loop), _in_one_form(form, loop)
        if not self._is_fixed(rounds):
            return None
        stride = form.stride(counter(loop))
        kind = access.accessed
        if stride is None or abs(stride) < forms.layout.alloc_size(kind):
            return None
        unit = rounds.times(Polynomial.number(abs(stride)))
        moves: dict[Loop, int] = {}
        for what, how in form.variables:
            if isinstance(what, Loop) and what is not loop:
                by = form.factor((what, how))
                times = _times(by, unit) if form.degree((what, how)) == 1 else None
                if times is None or not 0 < abs(times) <= _MOST:
                    return None
                moves[what] = times
        start = form.without(*map(counter, (loop, *moves)))
        if not self._is_fixed(start):
            return None
        return Row((base, stride, frozenset(moves.items())), start, unit, gcd(*moves.values()))

    def _is_fixed(self, form: Polynomial) -> bool:
        """Whether a form is the same number all over the function."""
        return all(isinstance(what, Value) and self.home(what) is None for what, _ in form.variables)

    def home(self, value: Value) -> Loop | None:
        """The loop that a value is made in."""
        return self.forms.loops.loop_of(value.block) if isinstance(value, Instruction) and value.block else None


def _in_one_form(form: Polynomial, loop: Loop) -> Polynomial:
    """With numbers that are not negative where a loop is entered widened with their sign, as others are."""
    for what, how in form.variables:
        if how == "zext" and isinstance(what, Value) and isinstance(what.type, IntType):
            variable = what, how
            if form.degree(variable) == 1 and implies_order(loop, "sle", constant(0, what.type.bits), SymValue(what)):
                form = form.replaced(variable, Polynomial.variable((what, "sext")))
    return form


def _times(form: Polynomial, unit: Polynomial) -> int | None:
    """How many times ``unit`` a form is, if it is a whole number of times."""
    if not form.terms:
        return 0
    if not unit.terms:
        return None
    product, factor = unit.terms[0]
    times, rest = divmod(dict(form.terms).get(product, 0), factor)
    return times if not rest and unit.times(Polynomial.number(times)) == form else None
