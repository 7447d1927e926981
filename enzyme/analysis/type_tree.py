"""The lattice of type analysis: what bytes are, and trees of it through pointers.

A :class:`Kind` is a set of facts, ordered by inclusion: the empty set is *unknown*, one member is a proof, several are
a conflict (a union, memory reused, or offsets that could not be told apart). Nothing is ever taken away.

``FRAGMENT`` marks bytes computed from a part of a floating-point number (its upper half, its shifted bits).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntFlag
from functools import cache

from enzyme.ir.types import FloatType


class Kind(IntFlag):
    UNKNOWN = 0
    INT = 1
    POINTER = 2
    HALF = 4
    BFLOAT = 8
    FLOAT = 16
    DOUBLE = 32
    X86_FP80 = 64
    FP128 = 128
    PPC_FP128 = 256
    FRAGMENT = 512

    @property
    def is_unknown(self) -> bool:
        return not self

    @property
    def is_conflict(self) -> bool:
        return self.bit_count() > 1

    @property
    def is_float(self) -> bool:
        """One floating-point format and nothing else."""
        return self in _FORMATS

    @property
    def may_be_float(self) -> bool:
        """True unless proved to be something else."""
        return not self or bool(self & FLOATISH)

    @property
    def may_be_pointer(self) -> bool:
        return not self or bool(self & Kind.POINTER)

    @property
    def float_type(self) -> FloatType | None:
        """The LLVM type, when this is one floating-point format."""
        return FloatType(_FORMATS[self]) if self in _FORMATS else None

    def label(self) -> str:
        if not self:
            return "unknown"
        names = [str(member.name).lower() for member in Kind if member and member in self]
        return names[0] if len(names) == 1 else f"conflict({'|'.join(names)})"


_FORMATS: dict[int, str] = {
    Kind.HALF: "half",
    Kind.BFLOAT: "bfloat",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.X86_FP80: "x86_fp80",
    Kind.FP128: "fp128",
    Kind.PPC_FP128: "ppc_fp128",
}
BY_FORMAT: dict[str, int] = {name: int(kind) for kind, name in _FORMATS.items()}
INT, POINTER, FRAGMENT = int(Kind.INT), int(Kind.POINTER), int(Kind.FRAGMENT)
FLOATS = sum(map(int, _FORMATS))
FLOATISH = FLOATS | FRAGMENT
_STORE_BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "x86_fp80": 10, "fp128": 16, "ppc_fp128": 16}
FLOAT_BYTES: dict[int, int] = {BY_FORMAT[name]: size for name, size in _STORE_BYTES.items()}
_STORED_BITS = {"half": 10, "bfloat": 7, "float": 23, "double": 52, "x86_fp80": 64, "fp128": 112}
MANTISSA: dict[int, int] = {BY_FORMAT[name]: bits for name, bits in _STORED_BITS.items()}


@cache
def cell_bytes(kind: int, pointer_bytes: int = 8) -> int:
    """How many bytes a cell of this kind covers: a whole number or pointer, one byte of an integer."""
    size = pointer_bytes if kind & POINTER else 1
    for bit, bytes_ in FLOAT_BYTES.items():
        if kind & bit:
            size = max(size, bytes_)
    return size


@dataclass(frozen=True)
class Segment:
    """``size`` bytes from ``offset`` on that are of one kind; ``reason``, as text, says where the kind (or its lack) is
    from. ``either``: a whole pointer at some times, a whole number of its size at others."""

    offset: int
    size: int
    kind: Kind
    reason: object = field(default="", compare=False)
    either: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"[{self.offset}, {self.offset + self.size}) {self.kind.label()}"


@dataclass(frozen=True, eq=False)
class Besides:
    """A reason after other words; put together when somebody reads it."""

    words: str
    reason: object

    def __str__(self) -> str:
        return f"{self.words}{self.reason}"


@dataclass(frozen=True)
class Fold:
    """Offsets in [start, end) stand for each other when they differ by a multiple of ``stride`` (end None: no end).
    ``declared``: this is an array by its type, which what is indexed in it does not leave."""

    start: int
    stride: int
    end: int | None = None
    declared: bool = False

    def covers(self, offset: int) -> bool:
        return self.start <= offset and (self.end is None or offset < self.end)

    def canonical(self, offset: int) -> int:
        return self.start + (offset - self.start) % self.stride

    def keeps(self, stride: int) -> bool:
        """Whether steps of so many bytes stay inside: steps as long as the whole go from one such array to the next,
        but where it is declared with one element (there is something else behind it then)."""
        if self.end is None:
            return True
        length = self.end - self.start
        return stride < length or (self.declared and stride == length == self.stride)


@dataclass(frozen=True)
class TypeTree:
    """Kinds by byte offset of a value's own bytes, and for pointers the tree of the memory they point to.

    ``cells`` are sorted by offset; offsets in a fold are given once, at their least position. Integers have one cell a
    byte, numbers and pointers one cell where they start. Trees are cut at a fixed depth.
    """

    cells: tuple[tuple[int, Kind, TypeTree | None], ...] = ()
    folds: tuple[Fold, ...] = ()  # by falling stride: outer arrays first

    @classmethod
    def scalar(cls, kind: Kind, bytes: int = 1) -> TypeTree:
        """A value of one kind; integers take ``bytes`` cells."""
        count = bytes if kind == Kind.INT else 1
        return cls(tuple((offset, kind, None) for offset in range(count)))

    @classmethod
    def pointer_to(cls, memory: TypeTree) -> TypeTree:
        return cls(((0, Kind.POINTER, memory),))

    @classmethod
    def array_of(cls, kind: Kind) -> TypeTree:
        """Memory that holds one kind of number or pointer, one after the other, without end."""
        return cls(((0, kind, None),), (Fold(0, cell_bytes(int(kind))),))

    @property
    def pointee(self) -> TypeTree | None:
        """The memory behind a pointer value."""
        return next((child for offset, _, child in self.cells if offset == 0), None)

    def kind_at(self, offset: int) -> Kind:
        return self._cell_at(offset)[0]

    def child_at(self, offset: int) -> TypeTree:
        """The memory that the pointer at ``offset`` leads to; empty where nothing is known of it."""
        return self._cell_at(offset)[1] or TypeTree()

    def _cell_at(self, offset: int) -> tuple[Kind, TypeTree | None]:
        for fold in self.folds:
            if fold.covers(offset):
                offset = fold.canonical(offset)
        return next(((kind, child) for at, kind, child in self.cells if at == offset), (Kind.UNKNOWN, None))

    def paths(self) -> dict[tuple[int, ...], Kind]:
        """Kinds by path of offsets; -1 is any offset of an array whose elements are all alike."""
        return dict(self._paths(()))

    def _paths(self, prefix: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Kind]]:
        for offset, kind, child in self.cells:
            path = (*prefix, -1 if self._uniform(offset, kind) else offset)
            yield path, kind
            if child is not None:
                yield from child._paths(path)

    def _uniform(self, offset: int, kind: Kind) -> bool:
        fold = next((f for f in self.folds if f.covers(offset)), None)
        return fold is not None and fold.start == 0 and fold.stride <= cell_bytes(int(kind))

    def __str__(self) -> str:
        parts = (f"[{','.join(map(str, path))}]:{kind.label()}" for path, kind in self.paths().items())
        return "{" + ", ".join(parts) + "}"


def agreed(trees: Iterable[TypeTree]) -> list[TypeTree]:
    """``trees`` of one pointer as several see it, without what not all of them bear out: bytes are integers where none
    of them knows nothing (unknown bytes may be numbers), and an array has a declared end where all know it."""
    each = list(dict.fromkeys(trees))
    return each if len(each) == 1 else [_agreed(tree, each) for tree in each]


def _agreed(tree: TypeTree, each: Sequence[TypeTree]) -> TypeTree:
    cells = []
    for offset, kind, child in tree.cells:
        if kind & Kind.INT and not all(other.kind_at(offset) for other in each):
            kind &= ~Kind.INT
        if child is not None:
            child = _agreed(child, [other.child_at(offset) for other in each])
        cells.append((offset, kind, child))
    folds = (replace(f, declared=f.declared and all(f in other.folds for other in each)) for f in tree.folds)
    return TypeTree(tuple(cells), tuple(folds))
