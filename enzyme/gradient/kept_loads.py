"""Loaded numbers are kept where they are loaded.

A loop that loads the elements of an array and keeps them looks to LLVM like a copy of that array: it takes the store
out of the loop and calls ``memcpy`` in front of it. For the short inner loops that are kept most, such a call takes
longer than the loop; and where the array has just been written number by number, its wide loads wait until those
writes have reached the cache. A ``freeze`` between the load and the store has no code, and a copy through it is no
block copy to LLVM. Integers and pointers go without: a freeze would hide from LLVM where an address comes from.

A reversed loop that sets the shadow of what the primal's loop has read (last_reads.py) copies an array, too, where all
that is asked of it is to multiply by an adjoint of one, as that of a sum of products. Which loops those are shows when
the derivative has become part of what asks for it; a freeze in all of them would keep products and sums apart that
become one operation. So LLVM is told to leave copying loops as they are.
"""

from __future__ import annotations

from enzyme.analysis.loops import Loop
from enzyme.ir.builder import Builder
from enzyme.ir.values import Freeze, Load, Value

REVERSED = "iteration.r"
"""What the counters of reversed loops are called before anything is optimised."""

AUGMENTED = ".augmented."
"""What the names of augmented primals hold, in which loops run forward whose sweep back is another function."""


def has_reversed_loops(text: str) -> bool:
    """Whether any reverse sweep has loops."""
    return f"%{REVERSED}" in text


def is_reversed(loop: Loop) -> bool:
    """Whether a loop of an optimised program is one of a reverse sweep."""
    return any((phi.name or "").startswith(REVERSED) for phi in loop.header.phis)


def beside_its_load(build: Builder, value: Value) -> Value:
    """What to store of a kept value, in place of the value."""
    if isinstance(value, Load) and value.type.scalar.is_float:
        return build.insert(Freeze(value, name="kept"))
    return value
