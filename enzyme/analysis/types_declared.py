"""The declared type of a variable as the judge between kinds that flow-insensitive analysis has mixed up.

A pointer that may point to an array or to a struct's member makes the two one memory for the analysis. Where a copy
starts at a variable of the function (or a global) whose declared type has a number or pointer at the bytes in question,
and that kind is among those found, the declaration decides. Unions declare nothing; integers are not decided this way,
because integer variables do carry the bits of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from enzyme.analysis.type_tree import BY_FORMAT, POINTER, Kind, Segment
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import ArrayType, FloatType, PointerType, StructType, Type, VectorType
from enzyme.ir.values import Alloca, Cast, ConstantExpr, ConstantInt, GetElementPtr, GlobalVariable, Value

LARGEST = 4096  # bytes of a variable that are looked at


def decide(
    layout: DataLayout, pointer: Value, segments: list[Segment], tagged: Sequence[tuple[int, int, int]] = ()
) -> list[Segment]:
    """``segments`` of the memory behind ``pointer``, with conflicts settled where a declaration settles them, or the
    fields (offset, kind, size) that the copy of a struct is ``tagged`` with."""
    if not any(segment.kind.is_conflict for segment in segments):
        return segments
    leaves = {offset: (kind, size) for offset, kind, size in tagged}
    found = _variable(layout, pointer)
    if found is not None and layout.alloc_size(found[0]) <= LARGEST:
        type, base = found
        leaves |= {offset - base: (kind, size) for offset, kind, size in _leaves(layout, type, 0)}
    if not leaves:
        return segments
    decided: list[Segment] = []
    for segment in segments:
        decided += _settle(segment, leaves) if segment.kind.is_conflict else [segment]
    return decided


def _settle(segment: Segment, leaves: dict[int, tuple[int, int]]) -> list[Segment]:
    made = []
    offset, end = segment.offset, segment.offset + segment.size
    while offset < end:
        kind, size = leaves.get(offset, (0, 0))
        if not kind & segment.kind or offset + size > end:
            return [segment]
        made.append(Segment(offset, size, Kind(kind), f"declared type of the variable; else {segment.reason}"))
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
    """(offset, kind, size) of the numbers and pointers in a type."""
    if isinstance(type, FloatType):
        yield base, BY_FORMAT[type.kind], layout.size_of(type)
    elif isinstance(type, PointerType):
        yield base, POINTER, layout.size_of(type)
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
