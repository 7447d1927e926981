"""Whether a loop reads at an address before it writes there: what is read was there in front of the loop.

In ``x[i] = f(x[i], y[i])``, where y begins just behind x, what an iteration reads no earlier one has written, though
the loop overwrites all of it. Addresses are linear in the number of the iteration, with one constant step s > 0 (for
s < 0 all is mirrored): a write of iteration k lands ``c - e s`` bytes behind what iteration ``k + e`` reads. Here e is
at least 0, or 1 where the write stands behind the read, and at most the number m of the last iteration. With c = a +
b m, that is clear of what is read if it is behind it for e = m, and so for all e, or in front of it for the least e.
Differences are residues modulo 2**64; with factors below 2**24, no program lives to see one that is no longer the
number itself.
"""

from __future__ import annotations

from enzyme.analysis.loops import Loop
from enzyme.analysis.nest_distance import Place
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.polynomials import OUTER, NestForms, Polynomial, Variable
from enzyme.analysis.tripcount import backedge_count
from enzyme.ir.layout import DataLayout
from enzyme.ir.values import Load, Store

_LAST: Variable = (None, "last")
_SMALL = 1 << 24


def reads_first(pointers: PointerAnalysis, layout: DataLayout, loop: Loop, read: Load, write: Store) -> bool:
    """Whether no write of a loop of one block comes before a read of the same run of the loop that it would change."""
    source, target = pointers.address(read.pointer), pointers.address(write.pointer)
    block = read.block
    if block is not write.block or block is None or len(loop.blocks) != 1 or block not in loop.blocks:
        return False
    if source.base is not target.base or not loop.is_invariant(source.base) or not (source.exact and target.exact):
        return False
    places = Place(loop, loop, layout)
    begin, place = places.form(source), places.form(target)
    if begin is None or place is None:
        return False
    step, other = begin.stride(OUTER), place.stride(OUTER)
    if step is None or step != other or not 0 < abs(step) < _SMALL:
        return False
    apart = place.without(OUTER).minus(begin.without(OUTER))
    sizes = layout.size_of(read.type), layout.size_of(write.value.type)
    if step < 0:
        step, apart, sizes = -step, Polynomial(()).minus(apart), (sizes[1], sizes[0])
    found = _by_last(places.forms, loop, apart)
    if found is None:
        return False
    number, factor = found
    least = 1 if block.position(read) < block.position(write) else 0
    in_front = factor <= 0 and number - step * least <= -sizes[1]
    return in_front or (factor >= step and number >= sizes[0])


def _by_last(forms: NestForms, loop: Loop, apart: Polynomial) -> tuple[int, int] | None:
    """``apart`` as a number and a factor of the number of the loop's last iteration."""
    if apart.constant is None:
        assert loop.forest is not None
        count = backedge_count(loop, loop.forest.domtree)
        last = forms.of_sym(count) if count is not None else None
        if last is None:
            return None
        if len(last.varying) != 1 or len(last.varying[0][0]) != 1 or last.varying[0][1] != 1:
            return None
        ((variable,), _) = last.varying[0]
        if apart.degree(variable) > 1:
            return None
        apart = apart.replaced(variable, Polynomial.variable(_LAST).plus(Polynomial.number(-last.offset)))
    number, factor = apart.without(_LAST).constant, apart.stride(_LAST)
    if number is None or factor is None or max(abs(number), abs(factor)) >= _SMALL:
        return None
    return number, factor
