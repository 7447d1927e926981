"""Addresses as base + constant + sum of scaled integers, and the question whether two byte ranges can overlap.

``decompose`` opens getelementptr chains and integer arithmetic in their indices. Offsets are exact modulo 2**64; when
every step is ``inbounds`` (or ``nusw``) and no operation wraps they are exact as integers relative to the base object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from enzyme.ir.layout import DataLayout
from enzyme.ir.types import IntType, PointerType, Type
from enzyme.ir.values import (
    BinaryOp,
    CallBase,
    Cast,
    ConstantExpr,
    ConstantInt,
    Freeze,
    GetElementPtr,
    Value,
)

_SAME_ADDRESS = ("llvm.launder.invariant.group", "llvm.strip.invariant.group")
_WRAP = 1 << 64


@dataclass(frozen=True)
class Term:
    """``scale`` times ``value``, extended to 64 bits as ``cast`` says ("" for a 64-bit value, "sext", "zext")."""

    value: Value
    cast: str
    scale: int


@dataclass(frozen=True)
class Address:
    """``base + offset + sum(terms)``; ``exact``: without wrap, as plain integers."""

    base: Value
    offset: int
    terms: tuple[Term, ...]
    exact: bool


def _signed(value: int) -> int:
    value %= _WRAP
    return value - _WRAP if value >> 63 else value


class _Sum:
    def __init__(self) -> None:
        self.offset = 0
        self.terms: dict[tuple[Value, str], int] = {}
        self.wraps = False  # an operation was opened that may wrap modulo 2**64

    def add(self, value: Value, scale: int, cast: str = "", depth: int = 6) -> None:
        """Add ``scale * cast(value)``, opened as far as wrapping allows."""
        if isinstance(value, ConstantInt):
            assert isinstance(value.type, IntType)
            number = value.value if cast != "zext" else value.value % (1 << value.type.bits)
            self.offset += scale * number
            return
        if depth > 0 and isinstance(value, BinaryOp) and self._open(value, scale, cast, depth):
            return
        if depth > 0 and isinstance(value, Cast) and value.opcode in ("sext", "zext") and cast in ("", value.opcode):
            source = value.operands[0]
            if isinstance(source.type, IntType):
                self.add(source, scale, value.opcode, depth - 1)
                return
        if depth > 0 and isinstance(value, Cast) and value.opcode == "zext" and cast == "sext":
            self.add(value.operands[0], scale, "zext", depth - 1)  # a zero-extended value is not negative
            return
        key = (value, cast)
        self.terms[key] = self.terms.get(key, 0) + scale

    def _open(self, value: BinaryOp, scale: int, cast: str, depth: int) -> bool:
        left, right = value.operands
        disjoint = value.opcode == "or" and "disjoint" in value.flags
        flag = {"": True, "sext": "nsw" in value.flags, "zext": "nuw" in value.flags}[cast] or disjoint
        if not flag:
            return False
        wraps, self.wraps = self.wraps, self.wraps or not (cast or disjoint or "nsw" in value.flags)
        if value.opcode == "add" or disjoint:
            self.add(left, scale, cast, depth - 1)
            self.add(right, scale, cast, depth - 1)
            return True
        if value.opcode == "sub" and cast != "zext":
            self.add(left, scale, cast, depth - 1)
            self.add(right, -scale, cast, depth - 1)
            return True
        if isinstance(right, ConstantInt):
            if value.opcode == "mul" and (cast != "zext" or right.value >= 0):
                self.add(left, scale * right.value, cast, depth - 1)
                return True
            if value.opcode == "shl" and 0 <= right.value < 62:
                self.add(left, scale << right.value, cast, depth - 1)
                return True
        self.wraps = wraps
        return False


def _add_steps(source_type: Type, indices: list[Value], layout: DataLayout, into: _Sum) -> bool:
    """Add the indices of one getelementptr; False when they cannot be read (vectors of pointers, scalable types)."""
    parts = layout.gep_parts(source_type, indices)
    if parts is None or any(not isinstance(each.type, IntType) or each.type.bits > 64 for each in indices):
        return False
    into.offset += parts.offset
    for index, size in parts.steps:
        into.add(index, size, "sext" if isinstance(index.type, IntType) and index.type.bits < 64 else "")
    return True


def decompose(pointer: Value, layout: DataLayout) -> Address:
    """The address as far as it can be opened; the base is then the first value that cannot."""
    total = _Sum()
    exact = True
    for _ in range(32):
        if isinstance(pointer, GetElementPtr) and isinstance(pointer.type, PointerType):
            source, base, indices, flags = pointer.source_type, pointer.base, pointer.indices, pointer.flags
        elif isinstance(pointer, ConstantExpr) and pointer.opcode == "getelementptr":
            assert pointer.source_type is not None
            source, base, indices, flags = pointer.source_type, pointer.args[0], list(pointer.args[1:]), pointer.flags
        else:
            inner = _same_pointer(pointer)
            if inner is None:
                break
            pointer = inner
            continue
        if not _add_steps(source, indices, layout, total):
            break
        exact = exact and ("inbounds" in flags or "nusw" in flags)
        pointer = base
    terms = tuple(Term(value, cast, scale) for (value, cast), scale in total.terms.items() if scale % _WRAP)
    return Address(pointer, _signed(total.offset), terms, exact and not total.wraps)


def _same_pointer(pointer: Value) -> Value | None:
    """The pointer that this one is a mere renaming of."""
    if isinstance(pointer, (Cast, Freeze)) and pointer.opcode in ("bitcast", "freeze"):
        return pointer.operands[0]
    if isinstance(pointer, ConstantExpr) and pointer.opcode == "bitcast":
        return pointer.args[0]
    if isinstance(pointer, CallBase) and (pointer.callee_name or "").startswith(_SAME_ADDRESS):
        return pointer.args[0]
    return None


@dataclass(frozen=True)
class Overlap:
    """``kind``: "no", "must" (same start and size) or "may"."""

    kind: str
    reason: str


_MAY = Overlap("may", "same base, unknown distance")


def compare(a: Address, size_a: int | None, b: Address, size_b: int | None, same: Callable[[Value], bool]) -> Overlap:
    """Overlap of two ranges with one base; ``same(v)`` tells that ``v`` is the same number in both addresses."""
    left = {(t.value, t.cast): t.scale for t in a.terms}
    varying = 0
    for term in b.terms:
        key = (term.value, term.cast)
        if key in left and same(term.value):
            rest = term.scale - left.pop(key)
            varying = gcd(varying, rest)
        else:
            varying = gcd(varying, term.scale)
    for scale in left.values():
        varying = gcd(varying, scale)
    distance = b.offset - a.offset  # of b from a, up to multiples of ``varying``
    if varying == 0:
        distance = _signed(distance)
        if distance == 0 and size_a is not None and size_a == size_b:
            return Overlap("must", "same address")
        before = size_a is not None and distance >= size_a
        after = size_b is not None and -distance >= size_b
        if before or after:
            return Overlap("no", "disjoint constant offsets")
        return Overlap("may", "overlapping constant offsets")
    if size_a is None or size_b is None:
        return _MAY
    if varying & (varying - 1) and not (a.exact and b.exact):
        return _MAY  # a wrapped multiple of anything but a power of two is no multiple
    rest = distance % varying
    if rest >= size_a and varying - rest >= size_b:
        return Overlap("no", f"disjoint residues modulo stride {varying}")
    return _MAY
