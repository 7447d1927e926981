"""Decisions of one iteration share a byte of the tape.

Eight decisions of an iteration would be eight arrays, each written, read, let grow and freed by itself, and each with
a pointer in a register while the loop runs. Decisions that one block of a loop makes are kept as bits of one byte,
which is written behind the last of them; the first stands for all in the plan.

All of a block's instructions are run or none of them is, so that the byte is whole wherever one of the decisions was
made. What ends a block (a call that may throw) is left out: the others would not be written where it throws. Unlike
with ``Config(bits=True)``, iterations share no byte: loops run in vectors as before, and nothing has to be zero before.

A decision that nobody looks at may be poison, where an operand overflows, say; as a bit it would make the others
poison, so it is frozen. Decisions on numbers, without flags that promise something, are never poison: freezing those,
too, made `particle` 1.1 times slower.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.ir.builder import Builder
from enzyme.ir.types import I1, I8
from enzyme.ir.values import (
    BinaryOp,
    Block,
    CallBase,
    Cast,
    Compare,
    ConstantInt,
    Freeze,
    Instruction,
    Load,
    Phi,
    Select,
    UnaryOp,
    Value,
)

_MOST = 4
"""Decisions of a byte. With all eight, LLVM makes vectors of the bits that it takes apart, and none of the numbers that
they decide on (measured on `particle`: 1.27 times slower than a byte for each; with four, 1.1 to 1.2 times faster)."""


_PROMISES = {"range", "nonnull", "align", "nofpclass"}
_PARTIAL = ("shl", "lshr", "ashr", "fptosi", "fptoui")
"""Poison for some operands."""


def shared(values: Iterable[Value]) -> dict[Value, tuple[Value, ...]]:
    """The decisions among the values that a loop keeps which share a byte, in the order of their bits, for the first
    of each byte; the values belong to one tape."""
    of_block: dict[Block, list[Instruction]] = {}
    for value in values:
        if value.type is I1 and isinstance(value, Instruction) and value.block is not None and not value.is_terminator:
            of_block.setdefault(value.block, []).append(value)
    found: dict[Value, tuple[Value, ...]] = {}
    for decisions in of_block.values():
        for first in range(0, len(decisions) - 1, _MOST):
            group = tuple(decisions[first : first + _MOST])
            if len(group) > 1:
                found[group[0]] = group
    return found


def last_of(group: Iterable[Value]) -> Instruction:
    """The decision that is made last."""
    made = [value for value in group if isinstance(value, Instruction)]
    block = made[0].block
    assert block is not None
    return max(made, key=block.position)


def byte_of(build: Builder, group: Iterable[Value]) -> Value:
    """The byte of decisions."""
    byte: Value = ConstantInt(I8, 0)
    for bit, value in enumerate(group):
        fixed = build.insert(Freeze(value)) if _may_be_poison(value) else value
        moved = build.shl(build.zext(fixed, I8), ConstantInt(I8, bit))
        byte = moved if bit == 0 else build.or_(byte, moved)
    return byte


def _may_be_poison(value: Value) -> bool:
    seen: set[Value] = set()
    work = [value]
    while work:
        each = work.pop()
        if each in seen or isinstance(each, ConstantInt) or not isinstance(each, Instruction):
            continue
        seen.add(each)
        match each:
            case Phi():
                work += [incoming for incoming, _ in each.incoming]
            case Load() if not _PROMISES & each.metadata.keys():
                pass
            case CallBase() if each.type.is_float and not each.flags:
                pass
            case Compare() | Select() | UnaryOp() | BinaryOp() | Cast() if (
                not each.flags and each.opcode not in _PARTIAL
            ):
                work += each.operands
            case _:
                return True
    return False


def decision(build: Builder, byte: Value, bit: int) -> Value:
    """One of the decisions of a byte."""
    return build.trunc(build.lshr(byte, ConstantInt(I8, bit)), I1)
