"""Regions: the mutable state of type analysis.

A region is a stretch of bytes with unknown bounds: the memory behind a pointer, or the bytes of one SSA value. It has
cells (a kind, and for pointers the place they point to) at byte offsets, and folds that make offsets of array elements
stand for each other. Two regions found to be the same memory are unified at a relative offset (Steensgaard 1996, with
offsets as in Lattner's data structure analysis); unifying a region with itself at another offset makes a fold.

Everything grows monotonically: kinds are sets of bits, regions only merge, folds only get coarser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import gcd
from operator import or_

from enzyme.analysis.folds import canonical_offset, confined, contains, images_of, nested, overlap
from enzyme.analysis.type_tree import (
    BY_FORMAT,
    FLOATISH,
    FLOATS,
    FRAGMENT,
    INT,
    MANTISSA,
    POINTER,
    Fold,
    Kind,
    Segment,
    TypeTree,
    cell_bytes,
)
from enzyme.analysis.types_classes import Table
from enzyme.analysis.types_reasons import Reason

Place = tuple["Region", int]

_STEPS_AHEAD = 200  # pairs of places that are looked at before they are unified
OFFSETS = 16
"""Places of one region that one pointer may lead to."""


@dataclass
class Cell:
    """``reasons`` holds, per bit of ``kind``, where it first came from."""

    kind: int = 0
    target: Place | None = None
    reasons: dict[int, Reason] = field(default_factory=dict)


class Region:
    """One member of a union-find forest; after a union, ``shift`` takes its offsets to the parent's. ``touched`` is the
    version of its latest fact, ``tables`` the virtual tables whose addresses are stored at its offsets."""

    __slots__ = ("parent", "shift", "cells", "folds", "touched", "tables")

    def __init__(self) -> None:
        self.parent: Region | None = None
        self.shift = 0
        self.cells: dict[int, Cell] = {}
        self.folds: list[Fold] = []
        self.touched = 0
        self.tables: frozenset[tuple[int, Table]] = frozenset()


@dataclass(frozen=True, eq=False)
class _Told:
    """Why bytes are of a kind, as text when somebody reads it."""

    regions: Regions
    place: Place
    kind: int

    def __str__(self) -> str:
        return self.regions.reason(self.place, self.kind)


class Regions:
    """All regions of one analysis. ``version`` changes with every new fact."""

    def __init__(self, pointer_bytes: int = 8) -> None:
        self.version = 0
        self.pointer_bytes = pointer_bytes
        self.behind: Callable[[Place], list[Place]] = lambda _: []
        """The places that a region is a view of (:mod:`enzyme.analysis.types_views`)."""
        self.is_hidden: Callable[[Place], bool] = lambda _: False
        """Whether nobody but the analysed functions sees a place (:mod:`enzyme.analysis.types_hidden`)."""
        self._pending: list[tuple[Place, Place]] = []
        self._busy = False

    # --- places ----------------------------------------------------------------------------------------------------

    def find(self, place: Place) -> Place:
        """The root region and the offset in it, folds not applied."""
        region, offset = place
        if region.parent is None:
            return place
        if region.parent.parent is None:
            return region.parent, offset + region.shift
        trail = []
        while region.parent is not None:
            trail.append(region)
            offset += region.shift
            region = region.parent
        total = 0
        for member in reversed(trail):
            total += member.shift
            member.parent, member.shift = region, total
        return region, offset

    def canonical(self, place: Place) -> Place:
        """The root region and the offset of the cell that stands for this one."""
        region, offset = self.find(place)
        return (region, canonical_offset(region.folds, offset)) if region.folds else (region, offset)

    def peek(self, place: Place) -> Cell | None:
        region, offset = self.canonical(place)
        return region.cells.get(offset)

    def _cell(self, place: Place) -> tuple[Region, Cell]:
        region, offset = self.canonical(place)
        cell = region.cells.get(offset)
        if cell is None:
            cell = region.cells[offset] = Cell()
        return region, cell

    def _touch(self, region: Region) -> None:
        self.version += 1
        region.touched = self.version

    def touched(self, place: Place) -> int:
        """The version of the latest fact about the region of ``place``."""
        return self.find(place)[0].touched

    # --- facts -----------------------------------------------------------------------------------------------------

    def add_kind(self, place: Place, kind: int, reason: Reason) -> None:
        region, cell = self._cell(place)
        new = kind & ~cell.kind
        if new:
            cell.kind |= new
            for bit in _bits(new):
                cell.reasons.setdefault(bit, reason)
            self._touch(region)

    def add_int(self, place: Place, size: int, reason: Reason) -> None:
        root, offset = self.find(place)
        for byte in range(offset, offset + size):
            self.add_kind((root, byte), INT, reason)

    def add_pointer(self, place: Place, target: Place, reason: Reason) -> None:
        """The cell holds a pointer to ``target``."""
        self.add_kind(place, POINTER, reason)
        self.set_target(place, target)

    def set_target(self, place: Place, target: Place) -> None:
        region, cell = self._cell(place)
        if cell.target is None:
            cell.target = target
            self._touch(region)
        else:
            self.unify(cell.target, target)

    def fold(self, place: Place, stride: int, end: int | None = None, declared: bool = False) -> None:
        """Offsets from ``place`` on (up to ``end`` bytes further) repeat with ``stride``."""
        if stride == 0:
            return
        region, offset = self.find(place)
        made = Fold(offset, abs(stride), None if end is None else offset + end, declared)
        self._add_fold(region, made)
        self._drain()

    def index(self, place: Place, stride: int, end: int | None) -> tuple[int, int] | None:
        """An index ranges over so much from ``place`` on, and stays in the array that it begins in: where that is
        declared, its first offset and its end, counted as that of ``place`` is."""
        if not stride:
            return None
        root, offset = self.find(place)
        made, array = confined(Fold(offset, abs(stride), None if end is None else offset + end), root.folds)
        self.fold((root, made.start), stride, None if made.end is None else made.end - made.start)
        if array is None or array.end is None:
            return None
        shift = place[1] - made.start
        return array.start + shift, array.end + shift

    def into_array(self, place: Place, first: int, end: int | None) -> int:
        """``first``, where an index from ``place`` on ranges from there to ``end``, all of it in a declared array that
        ``place`` is not in: a member of an object, with offsets counted from the front of that; else 0."""
        root, offset = self.find(place)
        if not first or end is None or not root.folds:
            return 0
        outside = confined(Fold(offset, 1), root.folds)[1]
        begin, inside = confined(Fold(offset + first, 1), root.folds)
        fits = inside is not None and inside.end is not None and begin.start + end - first <= inside.end
        return first if fits and inside is not outside else 0

    def add_table(self, place: Place, table: Table) -> None:
        """An object of a class with virtual methods begins here."""
        region, offset = self.find(place)
        region.tables |= {(offset, table)}

    def tables(self, place: Place) -> set[Table]:
        """The virtual tables whose addresses are stored here."""
        region, offset = self.canonical(place)
        return {table for at, table in region.tables if canonical_offset(region.folds, at) == offset}

    def unify(self, left: Place, right: Place) -> None:
        """The two places are the same byte of the same memory."""
        self._pending.append((left, right))
        self._drain()

    def would_fold(self, pairs: list[tuple[Place, Place]]) -> bool:
        """Whether to unify these places, and with them what pointers there lead to, would make two places of one region
        the same."""
        work, steps = list(pairs), 0
        moved: dict[Region, Place] = {}  # where the front of a region would be
        parts: dict[Region, list[Place]] = {}  # by what would be the root: the regions that are part of it, and where

        def at(place: Place) -> Place:
            region, offset = self.find(place)
            while region in moved:
                region, offset = moved[region][0], moved[region][1] + offset
            return self.canonical((region, offset))

        while work and steps < _STEPS_AHEAD:
            left, right = work.pop()
            (a, a_offset), (b, b_offset) = at(left), at(right)
            steps += 1
            if a is b:
                if a_offset != b_offset:
                    return True
                continue
            shift = b_offset - a_offset
            behind = {o + by: c.target for r, by in parts.get(b, [(b, 0)]) for o, c in r.cells.items() if c.target}
            for region, start in parts.pop(a, [(a, 0)]):
                start += shift
                for offset, cell in region.cells.items():
                    other = behind.get(offset + start)
                    if cell.target is not None and other is not None:
                        work.append((cell.target, other))
                parts.setdefault(b, [(b, 0)]).append((region, start))
            moved[a] = b, shift
        return False

    def _drain(self) -> None:
        if self._busy:
            return
        self._busy = True
        try:
            while self._pending:
                self._unify(*self._pending.pop())
        finally:
            self._busy = False

    def _unify(self, left: Place, right: Place) -> None:
        (a, a_offset), (b, b_offset) = self.find(left), self.find(right)
        if a is b:
            (_, x), (_, y) = self.canonical(left), self.canonical(right)
            if x != y:
                self._add_fold(a, Fold(min(a_offset, b_offset), abs(a_offset - b_offset)))
            return
        if len(a.cells) < len(b.cells):
            a, a_offset, b, b_offset = b, b_offset, a, a_offset
        self._touch(a)
        shift = a_offset - b_offset
        b.parent, b.shift = a, shift
        cells, folds = b.cells, b.folds
        b.cells, b.folds = {}, []
        a.tables |= {(offset + shift, table) for offset, table in b.tables}
        for fold in folds:
            end = None if fold.end is None else fold.end + shift
            self._add_fold(a, replace(fold, start=fold.start + shift, end=end))
        for offset, cell in cells.items():
            self._merge_cell(a, offset + shift, cell)

    def _merge_cell(self, region: Region, offset: int, cell: Cell) -> None:
        _, offset = self.canonical((region, offset))
        old = region.cells.get(offset)
        if old is None:
            region.cells[offset] = cell
            return
        if cell is old:
            return
        old.kind |= cell.kind
        for bit, reason in cell.reasons.items():
            old.reasons.setdefault(bit, reason)
        if old.target is None:
            old.target = cell.target
        elif cell.target is not None:
            self._pending.append((old.target, cell.target))

    def _add_fold(self, region: Region, made: Fold) -> None:
        """Add a fold. Folds that overlap either nest, the inner one inside one period of the outer, or become one.

        Folds with an end come from array types, or from indices whose bounds are known. An index without known bounds
        stays inside such an array, as C demands of array members, so it adds nothing.
        """
        inner: list[Fold] = []
        for old in region.folds:
            made = nested(made, old) or made
        if any(made.stride % old.stride == 0 and contains(old, made) for old in region.folds):
            return
        for old in list(region.folds):
            if not overlap(old, made) or nested(made, old) is not None:
                continue
            region.folds.remove(old)
            if nested(old, made) is not None:
                inner.append(old)
                continue
            end = None if old.end is None or made.end is None else max(old.end, made.end)
            made = Fold(min(old.start, made.start), gcd(old.stride, made.stride), end)
        region.folds.append(made)
        region.folds.sort(key=lambda fold: -fold.stride)
        self._touch(region)
        for old in inner:
            self._add_fold(region, old)
        cells, region.cells = region.cells, {}
        for offset, cell in cells.items():
            self._merge_cell(region, offset, cell)

    # --- copies ----------------------------------------------------------------------------------------------------

    def copy(
        self,
        left: Place,
        right: Place,
        size: int,
        both: bool = True,
        note: Reason = "",
        integer: bool = False,
        address: bool = False,
    ) -> None:
        """``size`` bytes go between the places: what one holds the other holds (``both``), or right from left. An
        ``integer`` takes nothing from where pointers and numbers meet; an ``address`` takes and gives pointers only,
        and none where numbers are."""
        if self.find(left) == self.find(right):
            return
        if integer and are_mixed(self.bytes_kind(left, size)):
            self.add_int(right, size, note)
            return
        moved = self._range(left, size)
        back = self._range(right, size) if both else []
        known = self.bytes_kind(right, size) if not both else []
        if address:
            moved = [(at, Cell(POINTER, c.target, c.reasons)) for at, c in moved if _is_pointer(c)]
            back = [(at, Cell(POINTER, c.target, c.reasons)) for at, c in back if _is_pointer(c)]
        for offset, cell in moved:
            if not both and cell.kind == INT and known[offset] & ~INT:
                continue  # zeros or a mask beside the number
            self._put((right[0], right[1] + offset), cell, size - offset, note)
        for offset, cell in back:
            self._put((left[0], left[1] + offset), cell, size - offset, note)

    def copy_rounded(self, left: Place, right: Place, cleared: int, size: int) -> bool:
        """Whether the ``size`` bytes from each place on end a number of which ``cleared`` bytes come before them; if
        one of the two is known to be such a number, both are."""
        starts = [(region, offset - cleared) for region, offset in (left, right)]
        cells = [cell for start in starts if (cell := self.peek(start)) is not None and cell.kind & FLOATS]
        if not any(cell_bytes(cell.kind & FLOATS) == cleared + size for cell in cells):
            return False
        for cell in cells:
            for bit in _bits(cell.kind & FLOATS):
                for start in starts:
                    self.add_kind(start, bit, cell.reasons.get(bit, ""))
        return True

    def _range(self, place: Place, size: int) -> list[tuple[int, Cell]]:
        """Cells in the ``size`` bytes from ``place``, by relative offset; a number cut by the front is a fragment."""
        root, base = self.find(place)
        found: list[tuple[int, Cell]] = []
        if not root.cells:
            return found
        cells, folds = root.cells, root.folds
        for offset in self._offsets(root, base, base + size):
            cell = cells.get(canonical_offset(folds, offset) if folds else offset)
            if cell is not None and (cell.kind or cell.target):
                found.append((offset - base, cell))
        head = self._covering(root, base)
        if head is not None and (not found or found[0][0] > 0):
            found.insert(0, (0, Cell(FRAGMENT, None, {FRAGMENT: head})))
        return found

    def _offsets(self, root: Region, start: int, end: int) -> list[int]:
        """Offsets in [start, end) whose canonical offset has a cell."""
        if not root.folds:
            if end - start < len(root.cells):
                return [o for o in range(start, end) if o in root.cells]
            return sorted(o for o in root.cells if start <= o < end)
        found: set[int] = set()
        for at in root.cells:
            images = [at]
            for fold in reversed(root.folds):  # inner folds repeat inside one period of outer ones
                images = [image for base in images for image in images_of(fold, base, start, end, len(root.folds) > 1)]
            found.update(image for image in images if start <= image < end)
        return sorted(found)

    def _covering(self, root: Region, offset: int) -> Reason | None:
        """Why the byte at ``offset`` lies inside (not at the start of) a floating-point number; None if it does not."""
        cells, folds = root.cells, root.folds
        own = canonical_offset(folds, offset)
        for before in range(1, 16):
            at = canonical_offset(folds, offset - before) if folds else offset - before
            if at == own:
                return None  # the fold is as fine as this
            cell = cells.get(at)
            if cell is not None and cell.kind & FLOATS and cell_bytes(cell.kind & FLOATS) > before:
                return next(iter(cell.reasons.values()), "")
        return None

    def _put(self, place: Place, cell: Cell, room: int, note: Reason) -> None:
        kind = cell.kind
        if kind & FLOATS and cell_bytes(kind & FLOATS) > room:
            kind = (kind & ~FLOATS) | FRAGMENT
        if kind & POINTER and self.pointer_bytes > room:
            kind &= ~POINTER
        root, offset = self.find(place)
        if kind & FRAGMENT and self._covering(root, offset) is not None:
            kind &= ~FRAGMENT  # a piece of a number that is known to be there
        if kind & FRAGMENT and (old := self.peek(place)) is not None and old.kind & FLOATS:
            kind &= ~FRAGMENT
        if kind:
            self.add_kind(place, kind, next(iter(cell.reasons.values()), note))
        if cell.target is not None and kind & POINTER:
            self.set_target(place, cell.target)

    def absorb(self, to: Place, source: Place, integers: bool) -> None:
        """What ``source`` holds ``to`` holds too, but not the other way round; pointers in both lead to one place.
        ``integers`` count, in the end, where nothing else is known: a function that sees integers there is not the one
        that is given numbers."""
        (root, base), (target, offset) = self.find(source), to
        if self.find(to)[0] is root:
            return
        for fold in list(root.folds):
            end = None if fold.end is None else fold.end - fold.start
            start = fold.start if end is not None else base + (fold.start - base) % fold.stride  # from here on
            self.fold((target, offset + start - base), fold.stride, end)
        for at, cell in list(root.cells.items()):
            endless = [fold for fold in root.folds if fold.end is None and fold.covers(at)]
            if endless and at < base:
                at = base + (at - base) % endless[0].stride
            place = (target, offset + at - base)
            for bit in _bits(cell.kind):
                if bit == INT and not (integers and not self.bytes_kind(place, 1)[0] & ~INT):
                    continue
                self.add_kind(place, bit, cell.reasons.get(bit, ""))
            if cell.target is not None:
                self.set_target(place, cell.target)

    # --- questions -------------------------------------------------------------------------------------------------

    def bytes_kind(self, place: Place, size: int) -> list[int]:
        """For each byte, the union of the kinds of cells that cover it."""
        covered = [0] * size
        root, base = self.find(place)
        for offset, cell in self._range((root, base - 15), size + 15) if root.cells else ():
            start = offset - 15
            for byte in range(max(start, 0), min(start + cell_bytes(cell.kind, self.pointer_bytes), size)):
                covered[byte] |= cell.kind
        return covered

    def ends_mantissa(self, place: Place, size: int) -> bool:
        """Whether the bytes are the last of one number, and so few that at least sixteen bits of its
        mantissa are not among them: what is done to them rounds it at most. Not of any word of an array of numbers."""
        cell = self.peek(place)
        number = cell.kind & ~INT if cell is not None else 0
        if 8 * size + 16 > MANTISSA.get(number, 0):
            return False
        if any(kind & ~INT != number for kind in self.bytes_kind(place, size)):
            return False
        around = (
            self.peek((place[0], place[1] + step)) for step in range(1 - cell_bytes(number), cell_bytes(number)) if step
        )
        return not any(other is not None and other.kind & ~INT for other in around)

    def segments(self, place: Place, size: int) -> list[Segment]:
        """The bytes from ``place`` on, cut where the kind changes; one segment for each number or pointer, and for each
        number of one format where there are integers at other times."""
        covered = self.bytes_kind(place, size)
        found: list[Segment] = []
        offset = 0
        while offset < size:
            kind = covered[offset]
            length = 1
            number = kind & ~INT
            begins = number.bit_count() == 1 and (number == kind or self._begins(place, offset, number))
            either = (
                number & ~FRAGMENT == _EITHER and offset + 8 <= size and self._is_either((place[0], place[1] + offset))
            )
            if either:
                length = 8
            elif begins:
                length = self._whole(place, offset, kind, covered)
            else:
                while offset + length < size and covered[offset + length] == kind:
                    if number & FLOATS and self._begins(place, offset + length, number):
                        break
                    length += 1
            told = _Told(self, (place[0], place[1] + offset), kind)
            found.append(Segment(offset, length, Kind(kind), told, either))
            offset += length
        return found

    def _is_either(self, place: Place) -> bool:
        """Whether pointers and doubles, both whole, are found at this word, and neither begins around it. Pieces of
        numbers there are pieces of those: integers that are shorter, to whom else looks at them."""
        for offset in range(-15, 8):
            cell = self.peek((place[0], place[1] + offset))
            kind = cell.kind & ~(INT | FRAGMENT) if cell is not None else 0
            if offset == 0:
                if kind != _EITHER:
                    return False
            elif kind and offset + cell_bytes(kind, self.pointer_bytes) > 0:
                return False
        return self.pointer_bytes == 8

    def _begins(self, place: Place, offset: int, number: int) -> bool:
        """Whether a number of this format begins at this byte."""
        cell = self.peek((place[0], place[1] + offset))
        return bool(number & FLOATS) and cell is not None and bool(cell.kind & number)

    def _whole(self, place: Place, offset: int, kind: int, covered: list[int]) -> int:
        """Bytes of the number or pointer that starts here, as far as nothing else covers them."""
        length = 1
        limit = cell_bytes(kind, self.pointer_bytes)
        while length < limit and offset + length < len(covered) and covered[offset + length] == kind:
            length += 1
        return length

    def reason(self, place: Place, kind: int) -> str:
        cell = self.peek(place)
        if cell is not None and cell.kind & kind:
            return "; ".join(f"{Kind(bit).label()}: {cell.reasons.get(bit, '?')}" for bit in _bits(cell.kind & kind))
        if not kind:
            return "no typed access of these bytes was seen"
        return "covered by the number or pointer before it"

    def is_known_throughout(self, place: Place) -> bool | None:
        """For copies of unknown length: None when nothing is known, else whether an array without gaps starts here."""
        if not any(cell.kind for cell in self.find(place)[0].cells.values()):
            return None
        views = self._with_views(place)
        return views is not None and all(map(self._is_array, views))

    def _is_array(self, place: Place) -> bool:
        root, offset = place
        strides = [fold.stride for fold in root.folds if fold.covers(offset)]
        return bool(strides) and all(self.bytes_kind(place, strides[0]))

    def _with_views(self, place: Place) -> list[Place] | None:
        """``place`` and every place that it is a view of, through whatever others; None where views lead in a circle,
        to other offsets each time."""
        found: dict[Place, None] = {}
        offsets: dict[Region, int] = {}
        work = [place]
        while work:
            at = self.find(work.pop())
            if at not in found:
                found[at] = None
                offsets[at[0]] = offsets.get(at[0], 0) + 1
                if offsets[at[0]] > OFFSETS:
                    return None
                work += self.behind(at)
        return list(found)

    def are_words(self, place: Place) -> bool:
        """Whether an array without end begins here that has doubles, pointers and integers in it, each double and
        pointer a word of eight bytes counted from here: what a word is only the running program knows."""
        views = self._with_views(place) if self.pointer_bytes == 8 else None
        return views is not None and all(map(self._are_words, views))

    def _are_words(self, place: Place) -> bool:
        root, base = place
        strides = [fold.stride for fold in root.folds if fold.covers(base) and fold.end is None]
        if not strides or strides[0] % 8:
            return False
        for at, cell in root.cells.items():
            if cell.kind & _EITHER and any(step % 8 for step in (at - base, *self.strides((root, at)))):
                return False
        kinds = self.bytes_kind(place, strides[0])
        each = (reduce(or_, kinds[word : word + 8]) for word in range(0, len(kinds), 8))
        return all(word and not word & ~(_EITHER | INT | FRAGMENT if word & _EITHER else INT) for word in each)

    def strides(self, place: Place) -> list[int]:
        """Strides of the folds around a place, falling."""
        root, offset = self.find(place)
        return [fold.stride for fold in root.folds if fold.covers(offset)]

    def array_behind(self, place: Place) -> tuple[int, int] | None:
        """(bytes before it, stride) of the array that ends all that is known behind a place which is a view of no
        other; of no declared length."""
        root, offset = self.find(place)
        if self.behind(place) or any(fold.covers(offset) for fold in root.folds):
            return None
        after = max((at for at, cell in root.cells.items() if cell.kind), default=offset)
        for fold in root.folds:  # outer ones first
            if fold.start > offset and fold.covers(after) and not fold.declared:
                return fold.start - offset, fold.stride
        return None

    def known_bytes(self, place: Place) -> int | None:
        """How many bytes of a place, which is a view of no other, come before the end of all that is known of it; None
        where an array covers it."""
        root, offset = self.find(place)
        if self.behind(place) or any(fold.covers(offset) for fold in root.folds):
            return None
        ends = [at + cell_bytes(cell.kind, self.pointer_bytes) for at, cell in root.cells.items()]
        ends += [fold.end for fold in root.folds if fold.end is not None]
        return max(0, max(ends, default=0) - offset)

    def object_kinds(self, place: Place) -> int:
        """Union of the kinds of a whole memory object, when it is known as an array without end or gaps, else 0."""
        kinds = 0
        for root, offset in self._with_views(place) or [(Region(), 0)]:
            endless = [fold for fold in root.folds if fold.covers(offset) and fold.end is None]
            if not endless or not all(self.bytes_kind((root, offset), endless[0].stride)):
                return 0
            for cell in root.cells.values():
                kinds |= cell.kind
        return kinds

    def kinds_from(self, place: Place) -> int:
        """Union of all kinds at or behind ``place``."""
        kinds = 0
        views = self._with_views(place)
        for root, offset in views or ():
            for at, cell in root.cells.items():
                ends = [fold.end for fold in root.folds if fold.covers(at)]
                if at + 16 > offset or any(end is None or end > offset for end in ends):
                    kinds |= cell.kind
        return kinds if views is not None else INT | POINTER | FLOATISH

    # --- trees -----------------------------------------------------------------------------------------------------

    def plant(self, place: Place, tree: TypeTree, reason: str) -> None:
        """Add the facts of ``tree`` from ``place`` on."""
        region, base = place
        for fold in tree.folds:
            end = None if fold.end is None else fold.end - fold.start
            self.fold((region, base + fold.start), fold.stride, end, fold.declared)
        for offset, kind, child in tree.cells:
            self.add_kind((region, base + offset), int(kind), reason)
            if child is not None:
                target: Place = (Region(), 0)
                self.plant(target, child, reason)
                self.set_target((region, base + offset), target)

    def plant_declared(self, place: Place, tree: TypeTree) -> None:
        """Of the facts of ``tree`` the arrays with ends, which are to be known before anything is indexed."""
        region, base = place
        for fold in tree.folds:
            if fold.declared and fold.end is not None:
                self.fold((region, base + fold.start), fold.stride, fold.end - fold.start, True)
        for offset, _, child in tree.cells:
            if child is not None:
                target: Place = (Region(), 0)
                self.plant_declared(target, child)
                self.set_target((region, base + offset), target)


def are_mixed(kinds: Sequence[int]) -> bool:
    """Whether objects of several classes seem to be behind a pointer, so that an access of an integer says more than
    what else was found: pointers and numbers meet, or a long word begins with a float and no number is behind it."""
    if all(kind & POINTER and kind & FLOATS for kind in kinds):
        return True
    first, last = kinds[: len(kinds) // 2], kinds[len(kinds) // 2 :]
    short = all(kind & _FLOAT and not kind & (FLOATS & ~_FLOAT) for kind in first)
    return len(kinds) == 8 and short and not any(kind & ~INT for kind in last)


_FLOAT = BY_FORMAT["float"]
_EITHER = POINTER | BY_FORMAT["double"]


def _is_pointer(cell: Cell) -> bool:
    return bool(cell.kind & POINTER) and not cell.kind & FLOATS


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low
        mask ^= low
