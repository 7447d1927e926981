"""How large an index can get, as far as constants say: a loop of three rounds over a member of a struct stays in it."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.analysis.guards import INVERSE
from enzyme.analysis.pointer_walks import reaches
from enzyme.ir.containers import Block
from enzyme.ir.types import IntType
from enzyme.ir.values import BinaryOp, Branch, Cast, Compare, ConstantInt, Phi, Select, Value

Bounds = tuple[int | None, int | None]
"""Least and greatest value, read as a signed integer; None where nothing is known."""
_DEPTH = 8  # instructions opened one below the other
_NOTHING: Bounds = (None, None)


def greatest(value: Value) -> int | None:
    """The greatest value that ``value`` can have, read as a signed integer."""
    return _bounds(value, _DEPTH)[1]


def least(value: Value) -> int:
    """The least value that ``value`` can have, read as a signed integer; 0 where it may be negative."""
    return max(_bounds(value, _DEPTH)[0] or 0, 0)


def _bounds(value: Value, depth: int) -> Bounds:
    if isinstance(value, ConstantInt):
        return value.value, value.value
    if depth == 0 or not isinstance(value.type, IntType):
        return _NOTHING
    match value:
        case Phi():
            return _counter(value) or _either([part for part, _ in value.incoming if part is not value], depth)
        case Select():
            return _either(list(value.operands[1:]), depth)
        case Cast():
            return _cast(value, depth)
        case BinaryOp():
            return _operation(value, depth)
    return _NOTHING


def _either(parts: list[Value], depth: int) -> Bounds:
    found = [_bounds(part, depth - 2) if depth > 2 else _NOTHING for part in parts]
    least, most = [low for low, _ in found if low is not None], [high for _, high in found if high is not None]
    all_least, all_most = len(least) == len(found) > 0, len(most) == len(found) > 0
    return min(least) if all_least else None, max(most) if all_most else None


def _cast(value: Cast, depth: int) -> Bounds:
    source = value.operands[0]
    low, high = _bounds(source, depth - 1)
    if value.opcode == "sext":
        return low, high
    if value.opcode == "zext" and isinstance(source.type, IntType):
        if "nneg" in value.flags or (low is not None and low >= 0):
            return max(low or 0, 0), high
        return 0, (1 << source.type.bits) - 1
    if value.opcode == "trunc":
        return _fitting(low, high, value)
    return _NOTHING


def _fitting(low: int | None, high: int | None, value: Value) -> Bounds:
    """The bounds, where both are known and nothing between them wraps in the type of ``value``."""
    assert isinstance(value.type, IntType)
    limit = 1 << (value.type.bits - 1)
    if low is None or high is None or low < -limit or high >= limit:
        return _NOTHING
    return low, high


def _operation(value: BinaryOp, depth: int) -> Bounds:
    first, second = value.operands
    if value.opcode in ("urem", "srem") and isinstance(second, ConstantInt) and second.value > 0:
        low = _bounds(first, depth - 1)[0]
        is_positive = value.opcode == "urem" or (low is not None and low >= 0)
        return 0 if is_positive else 1 - second.value, second.value - 1
    (low, high), (other_low, other_high) = _bounds(first, depth - 1), _bounds(second, depth - 1)
    if value.opcode == "and":
        masks = [most for least, most in ((low, high), (other_low, other_high)) if least is not None and least >= 0]
        known = [most for most in masks if most is not None]
        return (0, min(known)) if known else _NOTHING
    if value.opcode == "add" and "nsw" in value.flags:
        return _sum(low, other_low), _sum(high, other_high)
    if low is None or high is None or other_low is None or other_high is None:
        return _NOTHING
    if value.opcode == "add" or (value.opcode == "or" and "disjoint" in value.flags):
        return _fitting(low + other_low, high + other_high, value)
    if value.opcode == "sub":
        return _fitting(low - other_high, high - other_low, value)
    if low < 0 or other_low < 0:
        return _NOTHING
    if value.opcode == "mul":
        return _fitting(low * other_low, high * other_high, value)
    if value.opcode == "shl" and other_high < 64:
        return _fitting(low << other_low, high << other_high, value)
    if value.opcode in ("or", "xor"):
        return _fitting(0, (1 << max(high, other_high).bit_length()) - 1, value)
    return (0, high) if value.opcode in ("lshr", "udiv", "sdiv") else _NOTHING


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _counter(phi: Phi) -> Bounds | None:
    """A counter that goes up or down by a constant, until a test that every round makes says that it is over."""
    if len(phi.incoming) != 2:
        return None
    for (start, _), (stepped, latch) in (phi.incoming, phi.incoming[::-1]):
        if not (isinstance(start, ConstantInt) and isinstance(stepped, BinaryOp) and stepped.opcode == "add"):
            continue
        step = stepped.operands[1]
        if stepped.operands[0] is not phi or not isinstance(step, ConstantInt) or not step.value:
            continue
        for value, behind in ((stepped, 0), (phi, step.value)):
            for stays, limit in _tests(phi, value, latch):
                end = _last(stays, start.value, step.value, limit, behind)  # ``stepped`` where another round begins
                if end is None:
                    continue
                low, high = min(start.value, end), max(start.value, end)
                if _fitting(low, high + abs(step.value), phi) != _NOTHING:
                    return low, high
        if "nsw" in stepped.flags:
            return (start.value, None) if step.value > 0 else (None, start.value)
    return None


def _tests(phi: Phi, value: Value, latch: Block) -> Iterator[tuple[str, int]]:
    """Predicates that ``value``, of one round, meets where another begins, with the constants it is compared with."""
    for test in value.users:
        if not isinstance(test, Compare) or test.operands[0] is not value or test.block is None:
            continue
        limit, last = test.operands[1], test.block.terminator
        if not isinstance(limit, ConstantInt) or not isinstance(last, Branch) or not last.is_conditional:
            continue
        if last.operands[0] is not test or last.operands[1] is last.operands[2]:
            continue
        if test.block is not latch and (phi.block is None or reaches(phi.block, latch, test.block)):
            continue
        for target, predicate in zip(last.operands[1:], (INVERSE.get(test.predicate, ""), test.predicate), strict=True):
            if isinstance(target, Block) and target is not phi.block and not reaches(target, latch, phi.block):
                yield predicate, limit.value


def _last(stays: str, start: int, step: int, limit: int, behind: int) -> int | None:
    """Where a counter from ``start`` by ``step`` ends that goes on while ``next - behind`` ``stays`` to ``limit``."""
    limit += behind
    if stays == "ne":
        rounds = limit - start
        return limit - step if rounds % step == 0 and rounds // step > 0 else None
    upward, unsigned = step > 0, stays.startswith("u")
    if unsigned and (start < 0 or limit < 0 or not upward):
        return None
    if upward and stays[1:] in ("lt", "le"):
        return max(limit - (stays[1:] == "lt"), start)
    if not upward and stays[1:] in ("gt", "ge"):
        return min(limit + (stays[1:] == "gt"), start)
    return None


def reach(index: Value, unit: int, size: int) -> int | None:
    """How many bytes there are from the first element to behind the last one that ``index`` reaches in steps of
    ``unit`` bytes, where an element has ``size``."""
    most = greatest(index)
    return None if most is None or most < 0 else unit * most + size
