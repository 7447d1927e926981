"""Indices of 32 bits that might wrap, as far as anyone can tell, are made in 64 bits where they do not.

C says that ``(i + a) * n + j + b`` does not wrap if its parts are ``int``, but an optimiser that takes
``(i + a) * n + j`` out of the innermost loop adds in another order, and drops that promise. Then what is widened to an
address is no sum of rows and columns to anyone behind it: arrays may overlap, rows may not be rows, and loops do not
run in vectors.

How large such numbers can get follows from how often the loops of a nest run (``Sizes`` in edge_forms.py). So the
running program asks in front of the nest whether all stay small, and if they do, a version of the nest runs whose
indices are sums and products of 64 bits.
"""

from __future__ import annotations

from enzyme.analysis.loops import Loop
from enzyme.gradient.edge_forms import Sizes
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64, IntType
from enzyme.ir.values import BinaryOp, Cast, ConstantInt, GetElementPtr, Instruction, Value

_OPERATIONS = ("add", "sub", "mul", "shl")
_DEPTH = 10
_MOST_ASKED = 24
"""Questions in front of a nest."""


class WideIndices:
    """Those of a nest that can be told."""

    def __init__(self, nest: Loop) -> None:
        self.nest, self.sizes = nest, Sizes(nest)
        self.found: list[Cast] = []
        for block in nest.order:
            for inst in block.instructions:
                if isinstance(inst, Cast) and may_wrap(inst) and _is_address(inst) and self._take(inst):
                    self.found.append(inst)
        if len(self.sizes.rooms) > _MOST_ASKED:
            self.found, self.sizes = [], Sizes(nest)

    def _take(self, inst: Cast) -> bool:
        parts = self._parts(inst.operands[0], _DEPTH)
        signed = inst.opcode == "sext" or "nneg" in inst.flags
        if parts is None or not all(self.sizes.is_known((each, "sext")) for each in parts):
            return False
        if not signed and not self.sizes.is_never_negative((inst.operands[0], "sext")):
            return False
        for each in parts:
            self.sizes.take((each, "sext"))
        return signed or self.sizes.take((inst.operands[0], "sext"), with_sign=True)

    def _parts(self, value: Value, depth: int) -> list[Value] | None:
        """What must be small for a number to be what its parts come to; None where there is too much."""
        if not depth:
            return None
        if not isinstance(value, Instruction) or self.nest.is_invariant(value) or not self._is_opened(value):
            return []
        found: list[Value] = [value]
        for each in value.operands if isinstance(value, BinaryOp) else ():
            parts = self._parts(each, depth - 1)
            if parts is None:
                return None
            found += parts
        return found

    def _is_opened(self, value: Value) -> bool:
        if isinstance(value, Cast):
            return value.opcode == "trunc" and value.operands[0].type is I64
        if not isinstance(value, BinaryOp) or value.opcode not in _OPERATIONS:
            return False
        return value.opcode != "shl" or isinstance(value.operands[1], ConstantInt)

    def widen(self, copies: dict[Value, Value], without: set[Instruction]) -> None:
        """Make them in the copy of the nest, but for those of ``without``."""
        for inst in self.found:
            copy = copies[inst]
            if inst not in without and isinstance(copy, Instruction) and copy.block is not None:
                build = Builder(copy.block, before=copy)
                copy.replace_all_uses_with(self._widened(build, copies, inst.operands[0]))

    def _widened(self, build: Builder, copies: dict[Value, Value], value: Value) -> Value:
        if isinstance(value, ConstantInt):
            return ConstantInt(I64, value.value)
        opened = isinstance(value, Instruction) and not self.nest.is_invariant(value) and self._is_opened(value)
        if isinstance(value, BinaryOp) and opened:
            parts = [self._widened(build, copies, each) for each in value.operands]
            return build.insert(BinaryOp(value.opcode, *parts, flags=("nsw",)))
        if isinstance(value, Cast) and opened:
            return copies.get(value.operands[0], value.operands[0])
        return build.sext(copies.get(value, value), I64)


def may_wrap(inst: Instruction) -> bool:
    """Whether an index is widened to 64 bits that nobody says is what its parts come to."""
    if not isinstance(inst, Cast) or inst.opcode not in ("sext", "zext") or inst.type is not I64:
        return False
    number = inst.operands[0]
    return isinstance(number.type, IntType) and number.type.bits == 32 and _wraps(number, _DEPTH)


def _wraps(number: Value, depth: int) -> bool:
    if not isinstance(number, BinaryOp) or number.opcode not in _OPERATIONS or not depth:
        return False
    return "nsw" not in number.flags or any(_wraps(each, depth - 1) for each in number.operands)


def _is_address(inst: Value, depth: int = 3) -> bool:
    """Whether a number goes into an address."""
    return any(
        isinstance(user, GetElementPtr)
        or (isinstance(user, BinaryOp) and user.opcode in _OPERATIONS and depth > 0 and _is_address(user, depth - 1))
        for user in inst.users
    )
