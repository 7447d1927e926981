"""Arithmetic of folds, which make offsets of array elements stand for each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from enzyme.analysis.type_tree import Fold


def round_up(value: int, multiple: int) -> int:
    """The least multiple that is not below ``value``."""
    return -(-value // multiple) * multiple


def canonical_offset(folds: Sequence[Fold], offset: int) -> int:
    """The offset that stands for this one; ``folds`` are sorted by falling stride, so outer ones come first."""
    for fold in folds:
        if fold.covers(offset):
            offset = fold.canonical(offset)
    return offset


def contains(outer: Fold, inner: Fold) -> bool:
    """Whether ``inner`` lies in ``outer``; an end that is not known counts as the end of that array."""
    if not outer.covers(inner.start):
        return False
    if outer.end is None:
        return True
    return inner.end <= outer.end if inner.end is not None else outer.keeps(inner.stride)


def nested(inner: Fold, outer: Fold) -> Fold | None:
    """``inner`` moved into the first period of ``outer``, if it fits there."""
    if inner.end is None or inner.stride >= outer.stride or not outer.covers(inner.start):
        return None
    start = outer.canonical(inner.start)
    end = start + inner.end - inner.start
    return replace(inner, start=start, end=end) if end <= outer.start + outer.stride else None


def confined(made: Fold, folds: Sequence[Fold]) -> tuple[Fold, Fold | None]:
    """``made`` inside the innermost array type that it begins in, and that array; what takes steps as long as an array
    goes from one to the next."""
    found: Fold | None = None
    start, end = made.start, made.end
    for array in folds:  # outer ones first
        if not array.covers(start):
            continue
        if array.declared and array.end is not None and array.keeps(made.stride):
            found = array
            end = array.end if end is None else min(end, array.end)
            made = replace(made, start=start, end=end)
        if made.stride < array.stride:  # inner folds lie in the first period
            first = array.canonical(start)
            start, end = first, None if end is None else end - (start - first)
    return made, found


def images_of(fold: Fold, offset: int, start: int, end: int, nested: bool) -> Iterable[int]:
    """Offsets that ``fold`` makes of a canonical one, up to ``end``."""
    if not fold.covers(offset):
        return (offset,)
    stop = end if fold.end is None else min(end, fold.end)
    if nested or offset >= start:
        return range(offset, max(stop, offset + 1), fold.stride)
    return range(offset + round_up(start - offset, fold.stride), stop, fold.stride)


def overlap(a: Fold, b: Fold) -> bool:
    """Whether two arrays have bytes in common."""
    return (a.end is None or b.start < a.end) and (b.end is None or a.start < b.end)
