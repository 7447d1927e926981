"""How far pointers are apart that were made of one another: multiples of the steps that lead from one to the other."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from enzyme.ir.values import Cast, GetElementPtr, Instruction, Phi, Select, Value

Step = Callable[[GetElementPtr], int]
"""A number that divides the bytes of a step."""

_MOST = 64
"""Values looked at on the way from one pointer to another."""
_ORIGINS = 8


def apart(left: Value, right: Value, step: Step) -> int:
    """A number that divides the difference of two addresses, given as integers; 0 where they are the same, 1 where
    nothing is known."""
    for origin in dict.fromkeys((*_origins(right), *_origins(left))):
        ways = [_from(origin, end, step) for end in (left, right)]
        if None not in ways:
            return gcd(*(way for way in ways if way is not None))
    return 1


def _plain(value: Value) -> Value:
    while isinstance(value, Cast) and value.opcode == "ptrtoint":
        value = value.operands[0]
    return value


def _origins(value: Value) -> list[Value]:
    """What a pointer may have been made of: itself, and what steps and choices lead to it from."""
    found = {_plain(value): None}
    work = list(found)
    while work and len(found) < _ORIGINS:
        for part in map(_plain, _made_of(work.pop(0)) or ()):
            if part not in found:
                found[part] = None
                work.append(part)
    return list(found)


def _made_of(value: Value) -> list[Value] | None:
    """The pointers that a value is a step from or a choice of; None where it is neither."""
    match value:
        case GetElementPtr():
            return [value.base]
        case Phi():
            return [part for part, _ in value.incoming]
        case Select():
            return list(value.operands[1:])
    return None


def _from(origin: Value, end: Value, step: Step) -> int | None:
    """What divides the bytes from ``origin`` to ``end``, None where not all ways of making ``end`` begin there.

    Both are what they are at one time: between the making of ``origin`` and the use of ``end``, ``origin`` is not made
    anew. All that lies on the way is dominated by the block of ``origin``; what is used after that block has run again
    has been made again, too, unless it is a phi of that very block.
    """
    found, work, seen = 0, [end], set[Value]()
    while work:
        value = _plain(work.pop())
        if value is origin or value in seen:
            continue
        seen.add(value)
        if len(seen) > _MOST:
            return None
        parts = _made_of(value)
        if parts is None or (
            isinstance(value, Phi) and isinstance(origin, Instruction) and origin.block is value.block
        ):
            return None
        if isinstance(value, GetElementPtr):
            found = gcd(found, step(value))
        work += parts
    return found
