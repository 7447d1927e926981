"""Decisions of a loop as bits: eight iterations share a byte of zeroed memory (``Config(bits=True)``).

A byte that is read, changed and written keeps LLVM from running eight iterations at once, so this is not the default.
"""

from __future__ import annotations

from enzyme.gradient.scopes import TapeScopes
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I8, I64
from enzyme.ir.values import ConstantInt, Instruction, Value


def bytes_of(build: Builder, entries: Value) -> Value:
    """The bytes of so many bits."""
    return build.lshr(build.add(entries, ConstantInt(I64, 7)), ConstantInt(I64, 3))


class BitArray:
    """One bit for each iteration, each written once at most; ``value`` is what they are of."""

    def __init__(self, array: Value, value: Value, scopes: TapeScopes) -> None:
        self.array, self.value, self.scopes = array, value, scopes

    def write(self, build: Builder, position: Value, bit: Value) -> None:
        byte, old = self._byte(build, position)
        new = build.or_(old, build.shl(build.zext(bit, I8), self._within(build, position)))
        self.scopes.mark(build.store(new, byte, 1), self.value)

    def read(self, build: Builder, position: Value) -> Value:
        _, byte = self._byte(build, position)
        return build.trunc(build.lshr(byte, self._within(build, position)), I1)

    def _byte(self, build: Builder, position: Value) -> tuple[Value, Value]:
        address = build.gep(I8, self.array, [build.lshr(position, ConstantInt(I64, 3))], ("inbounds",))
        byte = build.load(I8, address, 1)
        assert isinstance(byte, Instruction)
        self.scopes.mark(byte, self.value)
        return address, byte

    def _within(self, build: Builder, position: Value) -> Value:
        return build.trunc(build.and_(position, ConstantInt(I64, 7)), I8)
