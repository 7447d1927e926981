"""The writes of a function, sorted so that those which may touch a location are found without looking at all of them.

Accesses are put in groups that the alias analysis cannot tell apart but for their offsets (same objects, same TBAA
tag, same scopes). A group that is apart from a location is left out at once; in a group that is not, accesses at a
constant distance from one base are found by that distance. What is left is looked at one by one, in program order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import merge

from enzyme.analysis.modref import Access
from enzyme.analysis.pointer_alias import MemoryLocation, PointerAnalysis
from enzyme.ir.values import Instruction, Value

ALIKE = ("errno", "stack")
"""Kinds of accesses that touch a location all or none."""
_WIDE = 64
"""Accesses of more bytes than this are not found by their offset: each makes a lookup of any other search as wide."""


@dataclass
class _Group:
    """Locations written, as numbers of their writers in ascending order: by base and offset, and the others."""

    sample: MemoryLocation
    fixed: dict[Value, dict[int, list[int]]] = field(default_factory=dict)
    sorted_offsets: dict[Value, list[int]] = field(default_factory=dict)
    others: list[int] = field(default_factory=list)


class WriteIndex:
    """Writers by number, in block order, and which of them may touch a location."""

    def __init__(self, pointers: PointerAnalysis, writers: Iterable[tuple[Instruction, tuple[Access, ...]]]) -> None:
        self.pointers = pointers
        self._groups: dict[tuple[object, ...], _Group] = {}
        self._escaped: list[int] = []
        self._general: dict[str, list[int]] = {}
        self.samples: dict[str, tuple[Instruction, Access]] = {}  # of kinds whose accesses are all alike
        for number, (inst, accesses) in enumerate(writers):
            for access in accesses:
                if access.kind == "location" and access.location is not None:
                    self._add(number, inst, access.location)
                elif access.kind == "escaped":
                    _append(self._escaped, number)
                else:
                    kind = access.kind if access.kind in ALIKE and not access.cause else ""
                    _append(self._general.setdefault(kind, []), number)
                    if kind:
                        self.samples.setdefault(kind, (inst, access))
        for group in self._groups.values():
            group.sorted_offsets = {base: sorted(found) for base, found in group.fixed.items()}

    def _add(self, number: int, inst: Instruction, location: MemoryLocation) -> None:
        access = location.instruction
        scopes = (access.metadata.get("noalias"), access.metadata.get("alias.scope")) if access is not None else None
        key = (self.pointers.underlying_objects(location.pointer), location.tbaa, scopes)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(location)
        place = self._constant_place(location)
        if place is None:
            _append(group.others, number)
        else:
            base, offset = place
            _append(group.fixed.setdefault(base, {}).setdefault(offset, []), number)

    def _constant_place(self, location: MemoryLocation) -> tuple[Value, int] | None:
        """Base and offset of a small access at a constant distance from a base that is one address for all accesses."""
        if location.whole or location.size is None or not 0 < location.size <= _WIDE:
            return None
        address = self.pointers.address(location.pointer)
        if address.terms:
            return None
        together = self.pointers.loops_in_step(address.base, None, None, same_iteration=False)
        return (address.base, address.offset) if self.pointers.is_same(address.base, together) else None

    def candidates(self, location: MemoryLocation, start: int, apart: Container[str] = ()) -> Iterator[int]:
        """Numbers from ``start`` on of writers that may touch the location, ascending; one may come several times.
        ``apart`` are kinds of :attr:`samples` that do not touch it."""
        found = [numbers for kind, numbers in self._general.items() if kind not in apart]
        objects = self.pointers.underlying_objects(location.pointer)
        if any(self.pointers.is_exposed(each) for each in objects):
            found.append(self._escaped)
        place = self._constant_place(location)
        for group in self._groups.values():
            if self.pointers.apart_at_any_offset(location, group.sample):
                continue
            found.append(group.others)
            for base, offsets in group.fixed.items():
                if place is None or base is not place[0]:
                    found += offsets.values()
                    continue
                assert location.size is not None
                order = group.sorted_offsets[base]
                at = bisect_left(order, place[1] - _WIDE)
                while at < len(order) and order[at] < place[1] + location.size:
                    found.append(offsets[order[at]])
                    at += 1
        parts = [_from(numbers, start) for numbers in found if numbers and numbers[-1] >= start]
        return merge(*parts) if len(parts) > 1 else iter(parts[0] if parts else ())


def _append(numbers: list[int], number: int) -> None:
    if not numbers or numbers[-1] != number:
        numbers.append(number)


def _from(numbers: list[int], start: int) -> Iterator[int]:
    for at in range(bisect_left(numbers, start), len(numbers)):
        yield numbers[at]
