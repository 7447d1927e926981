"""Sizes, alignments and offsets of types under a module's data layout.

The rules are those of LLVM's ``DataLayout``: the *store size* is the bytes a value occupies in memory when written,
the *alloc size* the distance of two such values in an array (the store size rounded up to the ABI alignment).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import gcd
from typing import NamedTuple

from enzyme.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from enzyme.ir.values import ConstantInt, ConstantToken, Value
from enzyme.support.diagnostics import UnsupportedError

_DEFAULT_INTS = {1: 8, 8: 8, 16: 16, 32: 32, 64: 32}
_DEFAULT_FLOATS = {16: 16, 32: 32, 64: 64, 128: 128}
_DEFAULT_VECTORS = {64: 64, 128: 128}
_SPEC = re.compile(r"([a-zA-Z]+)(\d*)(?::(.*))?$")


def _round_up(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


def _power_of_two(value: int) -> int:
    """The smallest power of two that is at least ``value``."""
    return 1 << max(value - 1, 0).bit_length()


class GepParts(NamedTuple):
    """The bytes that a getelementptr adds to its base: ``offset``, and for each index that is not constant so many
    times that index."""

    offset: int
    steps: list[tuple[Value, int]]


class DataLayout:
    """A parsed ``target datalayout`` string; the empty string gives LLVM's defaults."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.big_endian = False
        self.alloca_addrspace = 0
        self.global_addrspace = 0
        self.program_addrspace = 0
        self._ints = dict(_DEFAULT_INTS)
        self._floats = dict(_DEFAULT_FLOATS)
        self._vectors = dict(_DEFAULT_VECTORS)
        self._pointers = {0: (64, 64, 64)}  # address space -> size, ABI alignment, index size; bits
        self._aggregate_align = 8
        self._sizes: dict[Type, int] = {}
        self._aligns: dict[Type, int] = {}
        self._offsets: dict[Type, tuple[int, ...]] = {}
        for part in text.split("-"):
            if part:
                self._read(part)

    def _read(self, part: str) -> None:
        if part in ("e", "E"):
            self.big_endian = part == "E"
            return
        found = _SPEC.match(part)
        if found is None:
            return
        kind, number, rest = found[1], found[2], (found[3] or "").split(":")
        tables = {"i": self._ints, "f": self._floats, "v": self._vectors}
        if kind in tables and number:
            tables[kind][int(number)] = max(int(rest[0]), 8)
        elif kind == "a":
            self._aggregate_align = max(int(rest[0]), 8)
        elif kind[0] == "p" and found[3]:  # LLVM puts the properties of an address space between p and its number
            size = int(rest[0])
            align = int(rest[1]) if len(rest) > 1 else size
            index = int(rest[3]) if len(rest) > 3 else size
            self._pointers[int(number or 0)] = (size, align, index)
        elif kind == "A":
            self.alloca_addrspace = int(number)
        elif kind == "G":
            self.global_addrspace = int(number)
        elif kind == "P":
            self.program_addrspace = int(number)

    def pointer_bits(self, addrspace: int = 0) -> int:
        return self._pointers.get(addrspace, self._pointers[0])[0]

    def index_bits(self, addrspace: int = 0) -> int:
        """Width of the integers that address arithmetic in this address space is done in."""
        return self._pointers.get(addrspace, self._pointers[0])[2]

    def bit_size(self, type: Type) -> int:
        """Size in bits without rounding to bytes: 1 for i1, 80 for x86_fp80, 3 for <3 x i1>."""
        if isinstance(type, (IntType, FloatType)):
            return type.bits
        if isinstance(type, PointerType):
            return self.pointer_bits(type.addrspace)
        if isinstance(type, VectorType) and not type.scalable:
            return type.count * self.bit_size(type.element)
        return 8 * self.size_of(type)

    def size_of(self, type: Type) -> int:
        """Store size in bytes."""
        found = self._sizes.get(type)
        if found is None:
            found = self._sizes[type] = self._size_of(type)
        return found

    def _size_of(self, type: Type) -> int:
        if isinstance(type, (IntType, FloatType, PointerType)):
            return (self.bit_size(type) + 7) // 8
        if isinstance(type, VectorType) and not type.scalable:
            return (self.bit_size(type) + 7) // 8
        if isinstance(type, ArrayType):
            return type.count * self.alloc_size(type.element)
        if isinstance(type, StructType) and type.elements is not None:
            self.struct_offsets(type)
            return self._sizes[type]
        if type.text == "x86_amx":
            return 1024
        raise UnsupportedError(
            f"the type {type} has no size that is known at compile time",
            why="scalable vectors, opaque structs and target types have no fixed size",
        )

    def alloc_size(self, type: Type) -> int:
        """Bytes from one element to the next in an array of ``type``."""
        return _round_up(self.size_of(type), self.abi_align(type))

    def abi_align(self, type: Type) -> int:
        """ABI alignment in bytes."""
        found = self._aligns.get(type)
        if found is None:
            found = self._aligns[type] = self._abi_align(type)
        return found

    def _abi_align(self, type: Type) -> int:
        if isinstance(type, IntType):
            return self._int_align(type.bits)
        if isinstance(type, FloatType):
            listed = self._floats.get(type.bits)
            return listed // 8 if listed else _power_of_two((type.bits + 7) // 8)
        if isinstance(type, PointerType):
            return max(self._pointers.get(type.addrspace, self._pointers[0])[1] // 8, 1)
        if isinstance(type, VectorType) and not type.scalable:
            listed = self._vectors.get(self.bit_size(type))
            return listed // 8 if listed else _power_of_two(self.size_of(type))
        if isinstance(type, ArrayType):
            return self.abi_align(type.element)
        if isinstance(type, StructType) and type.elements is not None:
            if type.packed:
                return 1
            return max((self._aggregate_align // 8, *map(self.abi_align, type.elements)))
        if type.text == "x86_amx":
            return 64
        self._size_of(type)
        raise AssertionError(type)

    def _int_align(self, bits: int) -> int:
        """The listed alignment of this width, else of the next wider one, else of the widest."""
        wider = [width for width in self._ints if width >= bits]
        return self._ints[min(wider) if wider else max(self._ints)] // 8

    def struct_offsets(self, type: StructType) -> tuple[int, ...]:
        """Byte offset of each element."""
        found = self._offsets.get(type)
        if found is not None:
            return found
        if type.elements is None:
            raise UnsupportedError(f"the struct {type} is opaque", why="its elements are not known in this module")
        offsets: list[int] = []
        at = 0
        for element in type.elements:
            if not type.packed:
                at = _round_up(at, self.abi_align(element))
            offsets.append(at)
            at += self.alloc_size(element)
        self._sizes[type] = _round_up(at, self.abi_align(type))
        self._offsets[type] = tuple(offsets)
        return self._offsets[type]

    def gep_parts(self, source_type: Type, indices: Sequence[Value | int]) -> GepParts | None:
        """What indices add to the base of a getelementptr; None where they step into a type that has no elements, or
        whose size is known when the program runs only."""
        offset = 0
        steps: list[tuple[Value, int]] = []
        type = source_type
        for position, index in enumerate(indices):
            amount = constant_index(index)
            if position and isinstance(type, StructType):
                if amount is None or type.elements is None:
                    return None
                offset += self.struct_offsets(type)[amount]
                type = type.elements[amount]
                continue
            if position:
                if not isinstance(type, (ArrayType, VectorType)):
                    return None
                type = type.element
            if amount == 0:
                continue
            if isinstance(type, VectorType) and type.scalable:
                return None
            if amount is not None:
                offset += amount * self.alloc_size(type)
            else:
                assert isinstance(index, Value)
                steps.append((index, self.alloc_size(type)))
        return GepParts(offset, steps)

    def gep_offset(self, source_type: Type, indices: Sequence[Value | int]) -> int | None:
        """Byte offset that constant indices add to the base of a getelementptr; None when one is not constant."""
        parts = self.gep_parts(source_type, indices)
        return parts.offset if parts is not None and not parts.steps else None

    def gep_divisor(self, source_type: Type, indices: Sequence[Value], divisor: Callable[[Value], int]) -> int:
        """A number that divides the bytes that indices add to the base of a getelementptr, 0 where they add none;
        ``divisor`` gives one of each index that is not constant."""
        parts = self.gep_parts(source_type, indices)
        if parts is None:
            return 1
        return gcd(parts.offset, *(size * divisor(index) for index, size in parts.steps))


def constant_index(index: Value | int) -> int | None:
    """The value of a constant index, or None."""
    if isinstance(index, int):
        return index
    if isinstance(index, ConstantInt):
        return index.value
    if isinstance(index, ConstantToken) and index.keyword == "zeroinitializer" and not index.type.is_vector:
        return 0
    return None
