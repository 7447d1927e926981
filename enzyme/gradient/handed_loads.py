"""What one iteration of a loop loads and a later one is handed.

In ``for (i) s += x[i] * x[i + 1]`` an optimiser loads each number once: ``x[i + 1]`` is ``x[i]`` of the next iteration,
and handed on to it. The number is in memory all the same, a step behind what is loaded: the reverse sweep may read it
there again (plan.py), and its adjoint may go to that element (windows.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.analysis.function_forms import FunctionForms
from enzyme.analysis.loops import Loop
from enzyme.analysis.polynomials import Polynomial, counter
from enzyme.ir.values import Load, Phi, Value


@dataclass(frozen=True)
class HandedLoad:
    """A number that an iteration was handed: it lies ``offset`` bytes from what the same iteration loads by ``load``,
    which found it some iterations before. ``first`` found it in front of the first iteration."""

    load: Load
    offset: int
    first: Load


def handed_loads(forms: FunctionForms, loop: Loop) -> dict[Phi, HandedLoad]:
    """Those of a loop that has one latch; what each iteration loads, if it comes to its end, is at addresses that go on
    by the same number of bytes. Whether anything overwrites them is not asked."""
    latch, ahead = loop.latch, loop.preheader
    if latch is None or ahead is None or loop.forest is None:
        return {}
    dominates = loop.forest.domtree.dominates
    places: dict[Value, tuple[Load, Value, Polynomial, int]] = {}
    found: dict[Phi, HandedLoad] = {}
    phis = list(loop.header.phis)
    while phis:
        rest: list[Phi] = []
        for phi in phis:
            value, first = phi.value_from(latch), phi.value_from(ahead)
            if value not in places and isinstance(value, Load) and value.block in loop.blocks:
                base, form = forms.from_base(value.pointer)
                stride = form.stride(counter(loop))
                ends = [latch, *(inside for inside, _ in loop.exits)]
                if stride and loop.is_invariant(base) and all(dominates(value.block, end) for end in ends):
                    places[value] = value, base, form.without(counter(loop)), stride
            if value not in places:
                if isinstance(value, Phi):
                    rest.append(phi)
                continue
            load, base, form, stride = places[value]
            form = form.plus(Polynomial.number(-stride))
            if not isinstance(first, Load) or first.type is not load.type or loop.contains(first):
                continue
            if forms.from_base(first.pointer) == (base, form):
                places[phi] = load, base, form, stride
                before = found[value].offset if isinstance(value, Phi) else 0
                found[phi] = HandedLoad(load, before - stride, first)
        if len(rest) == len(phis):
            break
        phis = rest
    return found
