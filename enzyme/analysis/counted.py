"""Arithmetic on words out of memory, which are integers although numbers seem to be there.

Type analysis joins places that one pointer leads to; without type metadata the length of a list lies where its nodes
have their numbers. Multiplied, added or converted, the bits of a double are of no use: what is computed with is taken
for an integer, and the program that is run makes sure of it. An integer has fewer than 52 bits, and no double but those
next to zero has as few (:func:`enzyme.gradient.words.stop_number`); beside a float, fewer than 23. Words that atomic
updates find count as such.
"""

from __future__ import annotations

from enzyme.ir.types import I32, I64
from enzyme.ir.values import (
    AtomicRMW,
    BinaryOp,
    Cast,
    Compare,
    CompareExchange,
    ConstantInt,
    DebugRecord,
    ExtractValue,
    Freeze,
    Load,
    Phi,
    Select,
    Value,
)

_WORDS = (I32, I64)
_ARITHMETIC = ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem")


def is_counted(inst: Value) -> bool:
    """Whether such arithmetic is done, or an integer made a number, with nothing but words out of memory."""
    if isinstance(inst, BinaryOp):
        return inst.opcode in _ARITHMETIC and inst.type in _WORDS and _from_memory(inst.operands)
    if isinstance(inst, Cast) and inst.opcode in ("sitofp", "uitofp"):
        return inst.operands[0].type in _WORDS and _from_memory(inst.operands)
    return False


def only_counted(word: Value) -> bool:
    """Whether what is done with a word out of memory is such arithmetic, or a comparison."""
    seen: set[Value] = set()
    work = [word]
    while work:
        for user in work.pop().users:
            if user in seen or isinstance(user, (Compare, DebugRecord)) or is_counted(user):
                continue
            if isinstance(user, ExtractValue) and user.indices == (1,):
                continue  # whether words were exchanged
            if not isinstance(user, (Phi, Select, Freeze, ExtractValue, CompareExchange)):
                return False
            seen.add(user)
            work.append(user)
    return True


def _from_memory(values: list[Value] | tuple[Value, ...]) -> bool:
    seen: set[Value] = set()
    work = [*values]
    loaded = False
    while work:
        value = work.pop()
        if value in seen or isinstance(value, ConstantInt):
            continue
        seen.add(value)
        match value:
            case Load() | AtomicRMW() | ExtractValue(operands=[CompareExchange()]):
                loaded = True
            case Phi():
                work += [incoming for incoming, _ in value.incoming]
            case Select():
                work += value.operands[1:]
            case Freeze() | BinaryOp(opcode="add" | "sub" | "mul" | "udiv" | "sdiv" | "urem" | "srem"):
                work += value.operands
            case BinaryOp(opcode="and") if _rounds(value.operands[1]):
                work.append(value.operands[0])
            case Cast(opcode="zext" | "sext"):
                pass
            case _:
                return False
    return loaded


def _rounds(mask: Value) -> bool:
    """Whether a mask clears a few low bits alone, so that it makes nothing small that was not."""
    return isinstance(mask, ConstantInt) and -4096 <= mask.value < 0
