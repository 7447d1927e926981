"""Whether writes in a nest of two loops stay clear of what was read before them.

In ``y[i] = f(y[j])`` with all j < i, as in a triangular solve, what is read is never written again: in iteration k of
the outer loop, the inner one reads in front of all that k and later iterations write. Addresses are linear in the
numbers of the iterations (polynomials.py). The write is made in iteration k + first + m, with m >= 0; where what is
left of the difference of both addresses has no negative factor, it is least for k = m = 0. The inner counters are taken
where the difference is least. Differences are residues modulo 2**64; with factors below 2**24, no program lives to see
one that is no longer the number itself.
"""

from __future__ import annotations

from enzyme.analysis.addresses import Address
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import INNER, OUTER, NestForms, Polynomial, Variable
from enzyme.analysis.tripcount import backedge_count
from enzyme.ir.layout import DataLayout

_LATER: Variable = (None, "later")
_SMALL = 1 << 24


class NestDistance:
    """Distances between accesses in one loop, or in loops directly inside it."""

    def __init__(self, loop: Loop, layout: DataLayout) -> None:
        self.loop, self.layout = loop, layout

    def stays_clear(self, read: tuple[Loop, Address, int], written: tuple[Loop, Address, int], first: int) -> bool:
        """Whether a write, ``first`` iterations of the loop after a read or later, touches nothing of what that read.
        Each comes with the loop that it stands in, its address and its size in bytes."""
        source, target = (Place(self.loop, loop, self.layout) for loop, _, _ in (read, written))
        begin, place = source.form(read[1]), target.form(written[1])
        if begin is None or place is None:
            return False
        later = Polynomial.variable(OUTER).plus(Polynomial.number(first)).plus(Polynomial.variable(_LATER))
        for sign, size in ((1, read[2]), (-1, written[2])):
            ahead, behind = target.least(place, sign), source.least(begin, -sign)
            if ahead is not None and behind is not None:
                if _at_least(ahead.replaced(OUTER, later).plus(behind), size):
                    return True
        return False


class Place:
    """Addresses in ``inner``: the loop itself, or one inside it."""

    def __init__(self, loop: Loop, inner: Loop, layout: DataLayout) -> None:
        self.loop, self.inner = loop, inner
        self.forms = NestForms(loop, inner, layout)

    def form(self, address: Address) -> Polynomial | None:
        """An address relative to its base."""
        if self.inner is not self.loop and self.inner.parent is not self.loop:
            return None
        total = Polynomial.number(address.offset)
        for term in address.terms:
            form = self.forms.integer(term.value) if term.cast in ("", "sext") else None
            if form is None:
                return None
            total = total.plus(form, term.scale)
        return total if total.degree(OUTER, INNER) <= 1 else None

    def least(self, form: Polynomial, sign: int) -> Polynomial | None:
        """A form, or its negative, where the inner counter makes it least."""
        form = Polynomial(()).plus(form, sign)
        factor = form.factor(INNER).constant
        if factor is None or factor >= 0:
            return form.without(INNER) if factor is not None else None
        assert self.inner.forest is not None
        count = backedge_count(self.inner, self.inner.forest.domtree)
        last = self.forms.of_sym(count) if count is not None else None
        if last is None or last.degree(INNER) or last.degree(OUTER) > 1:
            return None
        return form.replaced(INNER, last)


def _at_least(form: Polynomial, size: int) -> bool:
    """Whether a form is ``size`` or more whatever the counters are."""
    rest = form.without(OUTER, _LATER).constant
    factors = [form.factor(each).constant for each in (OUTER, _LATER)]
    return (
        rest is not None and size <= rest < _SMALL and all(each is not None and 0 <= each < _SMALL for each in factors)
    )
