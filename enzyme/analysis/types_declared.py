"""The declared type of a variable as the judge between kinds that flow-insensitive analysis has mixed up.

A pointer that may point to an array or to a struct's member makes the two one memory for the analysis. Where a copy
starts at a variable of the function (or a global) whose declared type has a number or pointer at the bytes in question,
and that kind is among those found, the declaration decides. Unions declare nothing. Integer variables do carry the bits
of numbers: a member that is declared an integer is one where none of the numbers and pointers found there fits into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from enzyme.analysis.type_tree import BY_FORMAT, FLOAT_BYTES, INT, POINTER, Besides, Kind, Segment, cell_bytes
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import ArrayType, FloatType, IntType, PointerType, StructType, Type, VectorType
from enzyme.ir.values import Alloca, Cast, ConstantExpr, ConstantInt, GetElementPtr, GlobalVariable, Value

LARGEST = 4096  # bytes of a variable that are looked at
_WHOLE = (*FLOAT_BYTES, POINTER)
_PADDING = 8  # gaps of fewer bytes between members are padding


def decide(
    layout: DataLayout, pointer: Value, segments: list[Segment], tagged: Sequence[tuple[int, int, int]] = ()
) -> list[Segment]:
    """``segments`` of the memory behind ``pointer``, with conflicts settled where a declaration settles them, or the
    fields (offset, kind, size) that the copy of a struct is ``tagged`` with."""
    if not any(segment.kind.is_conflict or _is_piece(segment) for segment in segments):
        return segments
    leaves = {offset: (kind, size) for offset, kind, size in tagged}
    found = _variable(layout, pointer)
    if found is not None and layout.alloc_size(found[0]) <= LARGEST:
        type, base = found
        leaves |= {offset - base: (kind, size) for offset, kind, size in _leaves(layout, type, 0)}
    if not leaves:
        return segments
    return _all_settled(segments, leaves) or [
        part for each in segments for part in (_settle(each, leaves) if each.kind.is_conflict else [each])
    ]


def _is_piece(segment: Segment) -> bool:
    """Whether a number is cut by something else that covers its end."""
    width = FLOAT_BYTES.get(int(segment.kind))
    return width is not None and segment.size % width != 0


def _all_settled(segments: list[Segment], leaves: dict[int, tuple[int, int]]) -> list[Segment] | None:
    """The bytes as the declaration cuts them, where it agrees with what was found at each of them."""
    covered = {segment.offset + at: segment for segment in segments for at in range(segment.size)}
    made: list[Segment] = []
    offset, end = min(covered), max(covered) + 1
    while offset < end:
        leaf = leaves.get(offset)
        if leaf is None:  # padding, where what follows is near
            following = min((at for at in leaves if at > offset), default=end)
            leaf = INT, min(following, end) - offset
            if leaf[1] >= _PADDING:
                return None
        kind, size = leaf
        if offset + size > end:
            return None
        found = [int(covered[at].kind) for at in range(offset, offset + size)]
        inside = reduce(or_, found)
        if inside and not (inside & kind if kind != INT else _fits_nothing(found)):
            return None
        reason = Besides("declared; else ", covered[offset].reason)
        made.append(Segment(offset, size, Kind(kind if inside else 0), reason))
        offset += size
    return made


def _fits_nothing(found: list[int]) -> bool:
    """Whether no number or pointer has room in bytes of these kinds."""
    for bit in _WHOLE:
        width, room = cell_bytes(bit), 0
        for kind in found:
            room = room + 1 if kind & bit else 0
            if room == width:
                return False
    return True


def _settle(segment: Segment, leaves: dict[int, tuple[int, int]]) -> list[Segment]:
    made = []
    offset, end = segment.offset, segment.offset + segment.size
    while offset < end:
        kind, size = leaves.get(offset, (0, 0))
        if not kind & segment.kind & ~INT or offset + size > end:
            return [segment]
        made.append(Segment(offset, size, Kind(kind), Besides("declared type of the variable; else ", segment.reason)))
        offset += size
    return made


def _variable(layout: DataLayout, pointer: Value) -> tuple[Type, int] | None:
    """The declared type of the variable that ``pointer`` points into, and the offset in it, when both are plain."""
    offset = 0
    first = pointer
    while True:
        if isinstance(pointer, Alloca):
            single = isinstance(pointer.operands[0], ConstantInt) and pointer.operands[0].value == 1
            return (pointer.allocated_type, offset) if single else None
        if isinstance(pointer, GlobalVariable):
            return pointer.value_type, offset
        if isinstance(pointer, (GetElementPtr, ConstantExpr)) and pointer.opcode == "getelementptr":
            operands = pointer.operands if isinstance(pointer, GetElementPtr) else list(pointer.args)
            step = layout.gep_offset(pointer.source_type, operands[1:]) if pointer.source_type is not None else None
            if step is None:
                return None
            offset += step
            pointer = operands[0]
        elif isinstance(pointer, Cast) and pointer.opcode == "addrspacecast":
            pointer = pointer.operands[0]
        else:
            return _member(layout, first)


def _member(layout: DataLayout, pointer: Value) -> tuple[Type, int] | None:
    """The struct that one step of an address goes into, and the offset there: a member of an object of that class."""
    if not isinstance(pointer, GetElementPtr) or not isinstance(pointer.source_type, StructType):
        return None
    first = pointer.operands[1]
    offset = layout.gep_offset(pointer.source_type, pointer.operands[1:])
    if offset is None or not isinstance(first, ConstantInt) or first.value:
        return None
    return pointer.source_type, offset


def _leaves(layout: DataLayout, type: Type, base: int) -> Iterator[tuple[int, int, int]]:
    """(offset, kind, size) of the numbers, pointers and integers in a type; an array of integers is one of its size.
    Of a union nothing is known, which no kind (0) says."""
    if isinstance(type, FloatType):
        yield base, BY_FORMAT[type.kind], layout.size_of(type)
    elif isinstance(type, PointerType):
        yield base, POINTER, layout.size_of(type)
    elif isinstance(type, IntType) or (isinstance(type, (ArrayType, VectorType)) and isinstance(type.element, IntType)):
        yield base, INT, layout.size_of(type)
    elif isinstance(type, ArrayType):
        step = layout.alloc_size(type.element)
        for index in range(type.count):
            yield from _leaves(layout, type.element, base + index * step)
    elif isinstance(type, VectorType):
        step = layout.size_of(type.element)
        for index in range(type.count):
            yield from _leaves(layout, type.element, base + index * step)
    elif isinstance(type, StructType) and type.elements is not None and "union" not in (type.name or ""):
        for offset, part in zip(layout.struct_offsets(type), type.elements, strict=True):
            yield from _leaves(layout, part, base + offset)
    else:
        yield base, 0, layout.size_of(type)
