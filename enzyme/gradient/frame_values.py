"""Small frames that a derivative in two functions hands on as numbers.

What the first function keeps for the second lies in a frame, a block of memory, to which the caller keeps a pointer.
For a function that keeps three numbers and is called a million times, that is a million blocks, each asked for, written
where no cache holds it, and given back. So where the frame is small, and its caller is the only one that knows of it,
the first function returns what is in it, the caller keeps that as it keeps its own numbers, in arrays of its own, and
gives it to the second function. The frame itself is on the stack of each of them, from where LLVM takes it into
registers.

Recursions have frames in memory: while the derivative is being made, its own calls need to know what it returns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from enzyme.gradient.adjoints import entry_slot
from enzyme.ir.builder import Builder
from enzyme.ir.types import I8, VOID, ArrayType, FunctionType, StructType
from enzyme.ir.values import (
    Alloca,
    Argument,
    Block,
    CallBase,
    ConstantInt,
    ConstantToken,
    GetElementPtr,
    InsertValue,
    Instruction,
    Load,
    Return,
    Store,
    Value,
)

if TYPE_CHECKING:
    from enzyme.gradient.engine import SplitPair
    from enzyme.gradient.frames import Field, Frame

LARGEST = 256
IN_A_LOOP = 64
"""Bytes of the largest frame that is handed on so, and where the call stands in a loop: there, each number has an array
of its own."""
_COUNTS = ("free", "enzyme.rt.tape.take", "enzyme.rt.tape.give")


def hand_over(frame: Frame, pair: SplitPair) -> int | None:
    """Let the two functions, which nothing refers to yet, hand on what is in the frame, and how many numbers that are;
    None where they keep the frame."""
    block, tape = frame.allocation, frame.reverse_tape
    if frame.locals or frame.size > pair.most_values or pair.augmented.users or pair.reverse.users:
        return None
    ends = list(_returns(pair))
    if len(ends) != 1 or block is None or not isinstance(tape, Argument):
        return None
    parts, chain = _returned(ends[0])
    if frame.size and not (parts[0] is block and _is_plain(block, chain) and _is_plain(tape, ())):
        return None
    fields = list({field.offset: field for field in frame.fields}.values())
    _return_values(frame, fields, pair, ends[0], parts[1:])
    for each in chain:
        each.erase()
    _take_values(frame, fields, pair, tape)
    pair.most_values = frame.size
    return len(fields)


def _returns(pair: SplitPair) -> Iterable[Return]:
    for each in pair.augmented.blocks:
        end = each.terminator
        if isinstance(end, Return):
            yield end


def _returned(end: Return) -> tuple[list[Value], list[InsertValue]]:
    """The parts of the struct that a function returns, and the instructions that make it, last ones first."""
    parts: list[Value] = []
    chain: list[InsertValue] = []
    at = end.operands[0] if end.operands else None
    while isinstance(at, InsertValue):
        chain.append(at)
        parts.insert(0, at.operands[1])
        at = at.operands[0]
    return parts, chain


def _is_plain(pointer: Value, chain: Iterable[Instruction]) -> bool:
    """Whether a frame is only written and read, counted and freed, and returned in a struct."""
    for user in pointer.users:
        if isinstance(user, GetElementPtr):
            if not isinstance(user.operands[1], ConstantInt) or not all(_is_access(user, each) for each in user.users):
                return False
        elif user not in chain and not _is_access(pointer, user) and not _is_counted(user):
            return False
    return True


def _is_access(pointer: Value, user: Instruction) -> bool:
    return isinstance(user, Load) or (isinstance(user, Store) and user.value is not pointer)


def _is_counted(user: Instruction) -> bool:
    return isinstance(user, CallBase) and user.callee_name in _COUNTS


def _return_values(frame: Frame, fields: list[Field], pair: SplitPair, end: Return, others: list[Value]) -> None:
    assert end.block is not None
    build = Builder(end.block, before=end)
    parts = others
    if fields:
        slot = _slot(frame, frame.forward_entry)
        _replace(frame.allocation, slot)
        places = (build.offset(slot, field.offset) for field in fields)
        parts = [*(build.load(f.type, at, f.align(frame)) for f, at in zip(fields, places, strict=True)), *others]
    result = StructType.literal(tuple(part.type for part in parts)) if parts else VOID
    pair.augmented.function_type = FunctionType(result, pair.augmented.function_type.params)
    made: Value = ConstantToken(result, "poison")
    for index, part in enumerate(parts):
        made = build.insert_value(made, part, index)
    build.ret(made if parts else None)
    end.erase()


def _take_values(frame: Frame, fields: list[Field], pair: SplitPair, tape: Argument) -> None:
    reverse = pair.reverse
    types = (field.type for field in fields)
    reverse.function_type = FunctionType(reverse.function_type.result, (*reverse.function_type.params[:-1], *types))
    reverse.args.pop()
    if not fields:
        return
    entry = reverse.blocks[0]
    slot = _slot(frame, entry)
    build = Builder(entry, before=entry.instructions[1])
    for field in fields:
        argument = Argument(field.type, None, len(reverse.args))
        argument.function = reverse
        reverse.args.append(argument)
        build.store(argument, build.offset(slot, field.offset), field.align(frame))
    _replace(tape, slot)


def _replace(frame: Value | None, slot: Alloca) -> None:
    assert frame is not None
    for user in list(frame.users):
        if _is_counted(user):
            user.erase()
    frame.replace_all_uses_with(slot)
    if isinstance(frame, Instruction):
        frame.erase()


def _slot(frame: Frame, entry: Block) -> Alloca:
    """The frame on the stack."""
    made = entry_slot(entry, ArrayType(frame.size, I8), None)
    assert isinstance(made, Alloca)
    made.align = 16
    return made
