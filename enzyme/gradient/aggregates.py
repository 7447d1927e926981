"""Structs, arrays and vectors as values: their leaves, where those lie in memory, taking apart and putting together."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.ir.builder import Builder
from enzyme.ir.layout import DataLayout
from enzyme.ir.types import ArrayType, StructType, Type, VectorType
from enzyme.ir.values import ConstantToken, Value

Path = tuple[int, ...]


def leaves(type: Type, vectors: bool = False) -> list[tuple[Path, Type]]:
    """Paths to the parts of a first-class type that are not aggregates; with ``vectors``, of vectors too."""
    return list(_leaves(type, (), vectors))


def _leaves(type: Type, path: Path, vectors: bool) -> Iterator[tuple[Path, Type]]:
    if isinstance(type, StructType):
        for index, part in enumerate(type.elements or ()):
            yield from _leaves(part, (*path, index), vectors)
    elif isinstance(type, ArrayType) or (vectors and isinstance(type, VectorType)):
        for index in range(type.count):
            yield from _leaves(type.element, (*path, index), vectors)
    else:
        yield path, type


def path_offset(layout: DataLayout, type: Type, path: Path) -> int:
    """Bytes from the start of a value in memory to the part at ``path``."""
    if not path:
        return 0
    if isinstance(type, StructType):
        inner = (type.elements or ())[path[0]]
        return layout.struct_offsets(type)[path[0]] + path_offset(layout, inner, path[1:])
    assert isinstance(type, (ArrayType, VectorType))
    return path[0] * layout.alloc_size(type.element) + path_offset(layout, type.element, path[1:])


def get_part(build: Builder, value: Value, path: Path) -> Value:
    for index in path:
        value = build.extract_element(value, index) if value.type.is_vector else build.extract_value(value, index)
    return value


def put_part(build: Builder, whole: Value, piece: Value, path: Path) -> Value:
    if not path:
        return piece
    if whole.type.is_vector:
        return build.insert_element(whole, piece, path[0])
    if len(path) == 1:
        return build.insert_value(whole, piece, path[0])
    inner = put_part(build, build.extract_value(whole, path[0]), piece, path[1:])
    return build.insert_value(whole, inner, path[0])


def assembled(build: Builder, type: Type, pieces: list[Value]) -> Value:
    """A value of ``type`` from the values of its leaves, in order."""
    result: Value = ConstantToken(type, "poison")
    for (path, _), piece in zip(leaves(type, vectors=True), pieces, strict=True):
        result = put_part(build, result, piece, path)
    return result
