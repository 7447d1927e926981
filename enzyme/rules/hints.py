"""Calls that state types: ``__enzyme_double(p, bytes)`` and the like say what numbers lie behind p."""

from __future__ import annotations

import re

from enzyme.ir.types import DOUBLE, FLOAT, I8, PTR, Type

_HINTS: dict[str, Type] = {
    "__enzyme_float": FLOAT,
    "__enzyme_double": DOUBLE,
    "__enzyme_integer": I8,
    "__enzyme_pointer": PTR,
}


def type_hint(name: str | None) -> Type | None:
    """The type that a call of this function states; None of any other function."""
    if name is None or "__enzyme_" not in name:
        return None
    return next((type for key, type in _HINTS.items() if key in name), None)


_DECLARED = re.compile(r"^(declare void @__enzyme_\w+\()[^\n]*$", re.MULTILINE)


def movable_hints(text: str) -> str:
    """A program in which what states a type does nothing, so that it keeps nothing from being moved past it."""
    return _DECLARED.sub(r"\1ptr captures(none), i64) nounwind willreturn memory(inaccessiblemem: readwrite)", text)
