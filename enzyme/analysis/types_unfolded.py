"""What is known of memory as immutable trees, pointers followed a few steps deep."""

from __future__ import annotations

from dataclasses import replace

from enzyme.analysis.folds import round_up
from enzyme.analysis.type_tree import Kind, TypeTree
from enzyme.analysis.types_regions import Place, Region, Regions

_DEEP = 4
"""Pointers followed, one behind the other."""
_WIDE = 20_000
"""Cells of a tree."""


class Unfolding:
    """The trees of regions that no longer change. Memory that several pointers lead to is unfolded once."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self._widths: dict[tuple[Region, int], int] = {}
        self._trees: dict[tuple[Place, int], TypeTree] = {}

    def tree(self, place: Place, size: int | None = None) -> TypeTree:
        """The facts from ``place`` on, up to ``size`` bytes; offsets are relative to it. It is less deep where objects
        that lead to each other would unfold to more than can be gone through."""
        depth = next(each for each in range(_DEEP, -1, -1) if each == 0 or self._width(place, each) <= _WIDE)
        return self._tree(place, depth, size)

    def _width(self, place: Place, depth: int) -> int:
        """The cells of a tree of some depth."""
        root = self.regions.find(place)[0]
        if (root, depth) not in self._widths:
            targets = [cell.target for cell in root.cells.values() if cell.target is not None and cell.kind]
            inside = sum(self._width(each, depth - 1) for each in targets) if depth > 0 else 0
            self._widths[root, depth] = len(root.cells) + inside
        return self._widths[root, depth]

    def _tree(self, place: Place, depth: int, size: int | None = None) -> TypeTree:
        root, base = self.regions.find(place)
        key = (root, base), depth
        if size is None and key in self._trees:
            return self._trees[key]
        cells = []
        for at in sorted(root.cells):
            cell = root.cells[at]
            if not cell.kind:
                continue
            offset = at - base
            for fold in reversed(root.folds):
                if offset < 0 and fold.covers(offset + base):
                    moved = offset + round_up(-offset, fold.stride)
                    offset = moved if fold.covers(moved + base) else offset
            if offset < 0 or (size is not None and offset >= size):
                continue
            child = self._tree(cell.target, depth - 1) if cell.target is not None and depth > 0 else None
            cells.append((offset, Kind(cell.kind), child if child is not None and child.cells else None))
        folds = [
            replace(f, start=max(f.start - base, 0), end=None if f.end is None else f.end - base)
            for f in root.folds
            if f.end is None or f.end > base
        ]
        made = TypeTree(tuple(sorted(cells, key=lambda c: c[0])), tuple(folds))
        if size is None:
            self._trees[key] = made
        return made
