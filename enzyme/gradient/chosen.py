"""What is computed before it is known whether anybody asks for it.

Optimisers compute both sides of a choice where that is cheap. A check of what is computed counts only where it is
chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from enzyme.gradient.sums import is_fused
from enzyme.ir.builder import Builder
from enzyme.ir.types import I1
from enzyme.ir.values import (
    INT_DIVISIONS,
    BinaryOp,
    CallBase,
    Cast,
    ConstantInt,
    DebugRecord,
    Instruction,
    Select,
    UnaryOp,
    Value,
)

Choice = tuple[Select, bool]
"""A choice, and whether it takes the value where its condition is true."""


def choices_of(inst: Instruction) -> list[Choice]:
    """The choices, in the same block, without which nothing is done with what an instruction computes. None of them
    where it is used otherwise, too."""
    found: list[Choice] = []
    seen: set[Value] = set()
    work: list[Value] = [inst]
    while work:
        value = work.pop()
        for user in value.users:
            if isinstance(user, DebugRecord) or user in seen:
                continue
            if not isinstance(user, Instruction) or user.block is not inst.block:
                return []
            if isinstance(user, Select) and user.operands[0].type is I1 and user.operands.count(value) == 1:
                if user.operands[0] is value:
                    return []
                found.append((user, user.operands[1] is value))
            elif _is_silent(user):
                seen.add(user)
                work.append(user)
            else:
                return []
    return found


def last_of(choices: Sequence[Choice], inst: Instruction) -> Instruction:
    """The choice that stands behind the others, or ``inst`` where there is none."""
    assert inst.block is not None
    return max((choice for choice, _ in choices), key=inst.block.position, default=inst)


def fine_or_left_out(build: Builder, fine: Value, choices: Sequence[Choice], of: Callable[[Value], Value]) -> Value:
    """Whether a value is ``fine`` or, where there are choices, none of them takes it; ``of`` gives their conditions
    where ``build`` stands."""
    left: Value | None = None
    for choice, taken in choices:
        condition = of(choice.operands[0])
        other = build.xor(condition, ConstantInt(I1, 1)) if taken else condition
        left = other if left is None else build.and_(left, other)
    return fine if left is None else build.or_(fine, left)


def _is_silent(user: Instruction) -> bool:
    """Whether it computes a value, whatever it is given, and does nothing else."""
    if isinstance(user, CallBase):
        return is_fused(user)
    return isinstance(user, (UnaryOp, Cast)) or (isinstance(user, BinaryOp) and user.opcode not in INT_DIVISIONS)
