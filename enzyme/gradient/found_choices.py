"""Which number of an array was the largest is found behind the loop.

``for (i) if (largest < x[i]) largest = x[i]`` hands its adjoint to the last iteration that was chosen (see
:mod:`enzyme.gradient.last_choices`). A decision that is noted in each iteration keeps such a loop from running in
vectors; and where NaNs and the signs of zeros matter, LLVM makes no vectors of it either. But the largest number tells
where it was chosen: in the first place where it stands. So the forward sweep calls a function (runtime_choices.py) that
finds the number in vectors, in any order, then the first place in which it stands, and takes from there what the loop
ends with, bit by bit the same. The loop itself is left without use, and LLVM drops it. Nothing is kept but the place.

This is for loops of one block around which there is no other, that go along an array by one element and do nothing
else, and that choose what is strictly beyond what they have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.analysis.loops import Loop
from enzyme.analysis.symbolic import emit_sym
from enzyme.gradient.last_choices import KeptChoice, LastChoice
from enzyme.ir.builder import Builder
from enzyme.ir.types import I64, FloatType
from enzyme.ir.values import (
    BinaryOp,
    Cast,
    Compare,
    ConstantInt,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from enzyme.gradient.primal import PrimalCopy
    from enzyme.ir.values import Function

_SWAPPED = {"olt": "ogt", "ogt": "olt", "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule"}
_INVERSE = {"uge": "olt", "ule": "ogt"}
_PLAIN = (BinaryOp, Cast, Compare, DebugRecord, GetElementPtr, Load, Phi, Select)


def find_choices(
    copy: PrimalCopy, kept: list[KeptChoice], runtime: Callable[[str], Function]
) -> tuple[list[LastChoice], list[KeptChoice]]:
    """Let the primal copy find what it can, and the choices that are left to be kept."""
    found: list[LastChoice] = []
    left: list[KeptChoice] = []
    for choice in kept:
        made = _find(copy, choice, runtime)
        if made is None:
            left.append(choice)
        else:
            found.append(made)
    return found, left


def _find(copy: PrimalCopy, choice: KeptChoice, runtime: Callable[[str], Function]) -> LastChoice | None:
    loop, chosen = choice.loop, choice.select
    beyond = _beyond(choice)
    count = copy.subject.backedge_count(loop)
    if beyond is None or count is None or loop.preheader is None or not _is_plain(loop, chosen):
        return None
    carried, number = chosen.operands[2 if choice.first else 1], chosen.operands[1 if choice.first else 2]
    if not isinstance(carried, Phi) or not isinstance(number, Load):
        return None
    build = Builder(copy.blocks[loop.preheader], before=copy.blocks[loop.preheader].terminator)
    first = _first_place(copy, loop, number, build)
    if first is None:
        return None
    kind = number.type
    times = emit_sym(count, build, copy.of)
    times = build.zext(times, I64) if times.type is not I64 else times
    begin = copy.of(carried.value_from(loop.preheader))
    times = build.add(times, ConstantInt(I64, 1))
    last = build.call(runtime(f"chosen.{beyond}.{kind}"), [first, times, begin], name="chosen.last")
    result = build.call(runtime(f"chosenof.{kind}"), [first, last, begin], name="chosen")
    ((_, target),) = loop.exits
    made = copy.of(chosen)
    for phi in copy.blocks[target].phis:
        phi.replace_operand(made, result)
    return LastChoice(loop, chosen, choice.first, last)


def _beyond(choice: KeptChoice) -> str | None:
    """How a number compares with what the loop carries where it is chosen; None where that is not by a strict order."""
    condition = choice.select.operands[0]
    carried, number = (choice.select.operands[index] for index in ((2, 1) if choice.first else (1, 2)))
    if not isinstance(condition, Compare) or condition.opcode != "fcmp" or not isinstance(number.type, FloatType):
        return None
    predicate = condition.predicate
    if tuple(condition.operands) == (carried, number):
        predicate = _SWAPPED.get(predicate, "")
    elif tuple(condition.operands) != (number, carried):
        return None
    predicate = predicate if choice.first else _INVERSE.get(predicate, "")
    return predicate if predicate in ("olt", "ogt") and str(number.type) in ("double", "float") else None


def _is_plain(loop: Loop, chosen: Select) -> bool:
    """Whether a loop reads one array of numbers, and nothing that it does is seen behind it but what it chose."""
    if loop.blocks != {loop.header} or loop.parent is not None:
        return False
    inside = [inst for inst in loop.header.instructions if inst is not loop.header.terminator]
    loads = [inst for inst in inside if isinstance(inst, Load)]
    if len(loads) != 1 or not all(isinstance(inst, _PLAIN) for inst in inside):
        return False
    users = (user for inst in inside if inst is not chosen for user in inst.users)
    return all(isinstance(user, Instruction) and user.block is loop.header for user in users)


def _first_place(copy: PrimalCopy, loop: Loop, number: Load, build: Builder) -> Value | None:
    """The address of the number in the first iteration, where each iteration goes on by one."""
    place = number.pointer
    if number.ordering or "volatile" in number.flags or not isinstance(place, GetElementPtr) or len(place.indices) != 1:
        return None
    (index,) = place.indices
    if place.source_type != number.type or index.type is not I64 or not loop.is_invariant(place.base):
        return None
    assert loop.preheader is not None
    begin = _begin(copy, loop, index, build)
    if begin is None:
        return None
    return build.gep(number.type, copy.of(place.base), [begin])


def _begin(copy: PrimalCopy, loop: Loop, index: Value, build: Builder) -> Value | None:
    """Where an index begins that goes on by one."""
    assert loop.preheader is not None
    if isinstance(index, Phi) and index.block is loop.header:
        following = index.value_from(loop.latches[0])
        if isinstance(following, BinaryOp) and following.opcode == "add" and following.operands[0] is index:
            step = following.operands[1]
            if isinstance(step, ConstantInt) and step.value == 1:
                return copy.of(index.value_from(loop.preheader))
    if isinstance(index, BinaryOp) and index.opcode == "add":
        left, right = index.operands
        if loop.is_invariant(left):
            left, right = right, left
        if loop.is_invariant(right) and isinstance(left, Phi):
            begin = _begin(copy, loop, left, build)
            return build.add(begin, copy.of(right)) if begin is not None else None
    return None
