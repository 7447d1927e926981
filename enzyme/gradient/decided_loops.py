"""Loops of a few rounds whose course is decided by constants, though their counter does not go by steps.

A power with an exponent that the program states is a loop that squares and halves, ``while (n) { if (n & 1) r *= x;
x *= x; n >>= 1; }``, wherever a library has one for all exponents: in Numba's ``x ** 2``, in C's own helpers. No count
can be written down for it, so as a loop it has a tape that grows. Followed with the constants that it begins with, it
ends after so many rounds, and LLVM, which follows it in the same way, is asked to unroll it before differentiation.
"""

from __future__ import annotations

from enzyme.analysis.loops import Loop
from enzyme.analysis.tripcount import known_rounds
from enzyme.gradient.short_loops import CODE, ShortLoops, ask_to_unroll, is_spoken_of
from enzyme.ir.module import Module
from enzyme.ir.types import IntType
from enzyme.ir.values import BinaryOp, Branch, Cast, Compare, ConstantInt, Instruction, Phi, Select, Value

ROUNDS = 12
"""Rounds that are written out at most: exponents of 12 bits."""
_DEPTH = 8


def mark_decided(module: Module) -> list[str]:
    """Ask LLVM to unroll such loops in a prepared module. Returns the functions that have some."""
    found: list[str] = []
    for function in module.functions.values():
        if function.is_declaration or not any(map(_halves, function.instructions())):
            continue
        short = ShortLoops(module, function)
        domtree = short.forest.domtree
        loops = [
            loop for loop in short.forest.loops if known_rounds(loop, domtree) is None and _is_decided(module, loop)
        ]
        for loop in loops:
            ask_to_unroll(module, loop.latches[0].terminator)
        if loops:
            found.append(function.name or "")
    return found


def _halves(inst: Instruction) -> bool:
    """Whether a whole number goes on from round to round in another way than by a step."""
    return isinstance(inst, BinaryOp) and inst.opcode in ("lshr", "ashr", "shl", "udiv", "sdiv", "mul", "and")


def _is_decided(module: Module, loop: Loop) -> bool:
    latch = loop.latch
    if latch is None or not loop.is_simple or loop.children or is_spoken_of(module, loop):
        return False
    if len(loop.exits) != 1 or loop.exits[0][0] is not latch:
        return False
    rounds = _rounds(loop)
    return rounds is not None and rounds * sum(len(block.instructions) for block in loop.order) <= CODE


def _rounds(loop: Loop) -> int | None:
    """How often the loop runs, if that is decided by constants, and seldom."""
    latch, preheader = loop.latch, loop.preheader
    assert latch is not None and preheader is not None
    end = latch.terminator
    if not isinstance(end, Branch) or not end.is_conditional:
        return None
    now: dict[Value, int] = {}
    for phi in loop.header.phis:
        first = phi.value_from(preheader)
        if isinstance(first, ConstantInt):
            now[phi] = _bits(first.value, phi)
    stays = end.operands[1] is loop.header
    for rounds in range(1, ROUNDS + 1):
        asked = _follow(end.operands[0], now, _DEPTH)
        if asked is None:
            return None
        if bool(asked) is not stays:
            return rounds
        new = {phi: _follow(phi.value_from(latch), now, _DEPTH) for phi in now if isinstance(phi, Phi)}
        now = {phi: value for phi, value in new.items() if value is not None}
    return None


def _bits(number: int, value: Value) -> int:
    assert isinstance(value.type, IntType)
    return number & ((1 << value.type.bits) - 1)


def _signed(number: int, bits: int) -> int:
    return number - (1 << bits) if number >> (bits - 1) else number


def _follow(value: Value | None, now: dict[Value, int], depth: int) -> int | None:
    """A whole number in this round, as bits; None if it is not decided."""
    if value is None or not isinstance(value.type, IntType):
        return None
    if value in now:
        return now[value]
    if isinstance(value, ConstantInt):
        return _bits(value.value, value)
    if not depth or not isinstance(value, (BinaryOp, Cast, Compare, Select)):
        return None
    parts = [_follow(each, now, depth - 1) for each in value.operands]
    if isinstance(value, Select):
        return None if parts[0] is None else parts[1] if parts[0] else parts[2]
    known = [each for each in parts if each is not None]
    if len(known) < len(parts):
        return None
    source = value.operands[0].type
    assert isinstance(source, IntType)
    found = _computed(value, known, source.bits)
    return None if found is None else _bits(found, value)


def _computed(inst: Instruction, parts: list[int], bits: int) -> int | None:
    """The result of an instruction on whole numbers of some bits."""
    left, right = parts[0], parts[-1]
    if isinstance(inst, Cast):
        return {"zext": left, "trunc": left, "sext": _signed(left, bits)}.get(inst.opcode)
    if isinstance(inst, Compare):
        if inst.predicate in ("eq", "ne"):
            return int((left == right) is (inst.predicate == "eq"))
        if inst.predicate.startswith("s"):
            left, right = _signed(left, bits), _signed(right, bits)
        kind = inst.predicate[1:]
        return {"lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}.get(kind)
    if inst.opcode in ("shl", "lshr", "ashr") and right >= bits or inst.opcode in ("udiv", "urem") and not right:
        return None
    made = {
        "add": lambda: left + right,
        "sub": lambda: left - right,
        "mul": lambda: left * right,
        "and": lambda: left & right,
        "or": lambda: left | right,
        "xor": lambda: left ^ right,
        "shl": lambda: left << right,
        "lshr": lambda: left >> right,
        "ashr": lambda: _signed(left, bits) >> right,
        "udiv": lambda: left // right,
        "urem": lambda: left % right,
    }.get(inst.opcode)
    return None if made is None else made()
