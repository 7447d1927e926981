"""Calls of products of matrices and of solves (:mod:`enzyme.gradient.products`, :mod:`enzyme.gradient.solves`), as
other parts of the engine see them: which matrices they read and write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from enzyme.gradient import products, solves
from enzyme.ir.values import CallBase, Value

_SIDES = {
    products: {"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n")},
    solves: {"a": ("m", "m"), "b": ("m", "n")},
}
_WRITTEN = {products: "c", solves: "b"}


@dataclass(frozen=True)
class MatrixArgument:
    """A matrix that a call is given: where its first element is, and for each side how many elements there are, with
    the step from one to the next, in elements."""

    base: Value
    sides: tuple[tuple[Value, Value], tuple[Value, Value]]
    written: bool


def kind_of(name: str) -> ModuleType | None:
    """The module about what a function of this name stands for; None where that is no product and no solve."""
    return next((kind for kind in (products, solves) if kind.is_step(name)), None)


def is_matrix_step(name: str) -> bool:
    """Whether a function of this name stands for a product or a solve."""
    return kind_of(name) is not None


def matrices_of(call: CallBase) -> Iterator[tuple[MatrixArgument, int]]:
    """The matrices of such a call, each with the bytes of an element."""
    name = call.callee_name or ""
    kind = kind_of(name)
    assert kind is not None
    given = dict(zip(kind.PARAMETERS, call.args, strict=True))
    length = 8 if kind.library_of(name).type == "double" else 4
    for word, (rows, columns) in _SIDES[kind].items():
        sides = (given[rows], given[f"{word}row"]), (given[columns], given[f"{word}column"])
        yield MatrixArgument(given[word], sides, word == _WRITTEN[kind]), length
