"""What is the same in every call of a function, if some of its parameters and the memory that it writes are not.

A value is *uniform* if each execution of its instruction gives the same in every call: the n-th in one call what the
n-th gives in another. That presupposes that all branches go the same way in every call; where one does not, nothing is
uniform. What a function only reads is taken to hold the same in every call.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from enzyme.analysis.alias import AliasAnalysis
from enzyme.ir.values import (
    Argument,
    BinaryOp,
    CallBase,
    Cast,
    Compare,
    DebugRecord,
    ExtractElement,
    Function,
    GetElementPtr,
    GlobalVariable,
    InsertElement,
    Instruction,
    Load,
    Phi,
    Select,
    ShuffleVector,
    UnaryOp,
    Value,
)

_MADE_OF_OPERANDS = (
    BinaryOp, Cast, Compare, ExtractElement, GetElementPtr, InsertElement, Phi, Select, ShuffleVector, UnaryOp,
)  # fmt: skip


def varying_values(
    function: Function,
    alias: AliasAnalysis,
    parameters: Container[int],
    written: Container[int],
    is_scalar: Callable[[CallBase], bool],
) -> set[Value] | None:
    """The values that are not uniform, given the ``parameters`` that differ from call to call and those whose memory is
    ``written``; None where a branch depends on one. ``is_scalar`` tells the calls that give a number made of their
    arguments alone."""

    def reads_the_same(load: Load) -> bool:
        if load.ordering or "volatile" in load.flags:
            return False
        for each in alias.underlying_objects(load.pointer):
            constant = isinstance(each.value, GlobalVariable) and each.value.is_constant
            if not constant and not (isinstance(each.value, Argument) and each.value.index not in written):
                return False
        return True

    def is_source(inst: Instruction) -> bool:
        if isinstance(inst, Load):
            return not reads_the_same(inst)
        if isinstance(inst, CallBase):
            return not is_scalar(inst)
        return not isinstance(inst, _MADE_OF_OPERANDS)

    found: set[Value] = {argument for argument in function.args if argument.index in parameters}
    work: list[Value] = list(found)
    for inst in function.instructions():
        if not inst.is_terminator and is_source(inst):
            found.add(inst)
            work.append(inst)
    while work:
        for user in _users(work.pop()):
            if user.is_terminator:
                if len(user.block.successors if user.block is not None else ()) > 1:
                    return None
            elif user not in found:
                found.add(user)
                work.append(user)
    return found


def _users(value: Value) -> Iterator[Instruction]:
    for user in value.users:
        if isinstance(user, Instruction) and not isinstance(user, DebugRecord):
            yield user
