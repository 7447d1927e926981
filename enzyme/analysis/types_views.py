"""Pointers that lead to one of several places: views, in type analysis.

``c ? &node->left : &node->right`` points to one member or the other. To unify the two would make all members of the
node stand for each other. A *view* is a region of its own, which shares with the places it may lead to what the program
does through it and nothing more: the bytes that it reads, writes or copies there are the same here and there.

A pointer that moves on in a loop leads to places at all its own steps; it has no view but folds what it goes over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from enzyme.analysis.folds import canonical_offset
from enzyme.analysis.type_tree import cell_bytes
from enzyme.analysis.types_regions import OFFSETS, Place, Region, Regions
from enzyme.ir.types import PointerType
from enzyme.ir.values import Function, GetElementPtr, Instruction, Phi, Select, Value
from enzyme.support.graphs import strong_components

Span = tuple[Place, int]
"""So many bytes from a place on."""


_ROUNDS = 50
"""After so many, what is left is unified: views may lead to themselves by ways that are no views."""


class Views:
    """The views of one analysis; kept up to date by :meth:`flow`, which the solver runs until nothing changes."""

    def __init__(self, regions: Regions) -> None:
        self._regions = regions
        self._edges: list[tuple[Place, Place]] = []
        self._behind: tuple[int, dict[Region, list[tuple[int, Place]]]] = (-1, {})
        self._rounds = 0
        self._shared: dict[tuple[Place, Place], int] = {}
        self.spans: list[Span] = []
        """Accesses through pointers."""
        self.blocks: list[Place] = []
        """Places from which so much is accessed that it is not known how much: their views are unified."""
        regions.behind = self.behind

    def add(self, view: Place, place: Place) -> None:
        """What is accessed at ``view`` may be what is at ``place``."""
        self._edges.append((view, place))

    def edges(self) -> Sequence[tuple[Place, Place]]:
        """Every view with every place it is a view of."""
        return self._edges

    def behind(self, place: Place) -> list[Place]:
        """The places that the region of ``place`` is a view of, directly, each where ``place`` is there."""
        version, by_root = self._behind
        if version != self._regions.version:
            by_root = {}
            for view, target in self._edges:
                root, base = self._regions.find(view)
                by_root.setdefault(root, []).append((base, target))
            self._behind = (self._regions.version, by_root)
        root, offset = self._regions.find(place)
        return [(target[0], target[1] + offset - base) for base, target in by_root.get(root, ())]

    def leaves(self, place: Place) -> list[Place] | None:
        """The places that are no views of others which the region of ``place`` is a view of, each where ``place`` is
        there; itself where it is none. None where views lead in a circle, to other offsets each time."""
        found: list[Place] = []
        seen: dict[Region, set[int]] = {}
        work = [place]
        while work:
            region, offset = self._regions.find(work.pop())
            known = seen.setdefault(region, set())
            if offset in known:
                continue
            known.add(offset)
            if len(known) > OFFSETS:
                return None
            behind = self.behind((region, offset))
            work += behind
            if not behind:
                found.append((region, offset))
        return found

    def flow(self, further: Iterable[Span]) -> None:
        """Share what is known of the spans of views. ``further``: spans that other facts speak of."""
        if not self._edges:
            return
        find = self._regions.find
        whole = {find(place)[0] for place in self.blocks}
        self._rounds += 1
        given_up = self._rounds > _ROUNDS
        self._unify([edge for edge in self._edges if given_up or find(edge[0])[0] in whole])
        self._merge_cycles()
        before = self._regions.version  # what is merged from here on has other spans, which count in the next round
        wanted: dict[Region, set[tuple[int, int]]] = {find(view)[0]: set() for view, _ in self._edges}
        for place, size in (*self.spans, *further):
            root, offset = find(place)
            if root in wanted:
                wanted[root].add((offset, size))
        for view, place in self._edges:
            root, base = find(view)
            latest = max(root.touched, self._regions.touched(place))
            if latest <= self._shared.get((view, place), -1):
                continue  # nothing is new on either side
            self._shared[view, place] = before
            self._share_folds(root, base, place)
            for start, end in _spans_of(find(view)[0], wanted.get(root, ()), self._regions.pointer_bytes):
                shift = start - find(view)[1]
                self._regions.copy((view[0], view[1] + shift), (place[0], place[1] + shift), end - start)

    def _share_folds(self, root: Region, base: int, to: Place) -> None:
        for fold in list(root.folds):
            end = None if fold.end is None else fold.end - fold.start
            self._regions.index((to[0], to[1] + fold.start - base), fold.stride, end)

    def _merge_cycles(self) -> None:
        """A view of itself, through whatever others, is no view: the places are one."""
        while True:
            numbers: dict[Region, int] = {}
            successors: list[list[int]] = []
            for place in (each for edge in self._edges for each in edge):
                root = self._regions.find(place)[0]
                if root not in numbers:
                    numbers[root] = len(successors)
                    successors.append([])
            ends = [tuple(numbers[self._regions.find(place)[0]] for place in edge) for edge in self._edges]
            for view, target in ends:
                successors[view].append(target)
            component: dict[int, int] = {}
            for index, members in enumerate(strong_components(successors)):
                component |= dict.fromkeys(members, index)
            circular = {component[view] for view, target in ends if component[view] == component[target]}
            merged = [edge for edge, (view, _) in zip(self._edges, ends, strict=True) if component[view] in circular]
            if not merged:
                return
            self._unify(merged)

    def _unify(self, edges: list[tuple[Place, Place]]) -> None:
        gone = set(map(id, edges))
        self._edges = [edge for edge in self._edges if id(edge) not in gone]
        for view, place in edges:
            self._regions.unify(view, place)


def _spans_of(root: Region, wanted: Iterable[tuple[int, int]], pointer_bytes: int) -> list[tuple[int, int]]:
    """What is accessed in a region, as [start, end), without overlaps, in order."""
    spans = [(canonical_offset(root.folds, offset), size) for offset, size in wanted]
    spans += [(offset, cell_bytes(cell.kind, pointer_bytes)) for offset, cell in root.cells.items() if cell.kind]
    merged: list[tuple[int, int]] = []
    for start, size in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], start + size))
        else:
            merged.append((start, start + size))
    return merged


def moving_pointers(function: Function) -> frozenset[Value]:
    """The phis and selects of pointers that depend on themselves: pointers that go through memory in loops."""
    nodes: list[Instruction] = [inst for inst in function.instructions() if _passes_on(inst)]
    numbers: dict[Value, int] = {inst: index for index, inst in enumerate(nodes)}
    successors = [[numbers[operand] for operand in inst.operands if operand in numbers] for inst in nodes]
    found: set[Value] = set()
    for component in strong_components(successors):
        if len(component) > 1 or component[0] in successors[component[0]]:
            found.update(nodes[index] for index in component)
    return frozenset(found)


def _passes_on(inst: Instruction) -> bool:
    return isinstance(inst, (Phi, Select, GetElementPtr)) and isinstance(inst.type, PointerType)
