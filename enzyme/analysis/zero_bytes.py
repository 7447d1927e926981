"""Bytes of integers that are zero by how the integer is made: extended, shifted, masked."""

from __future__ import annotations

from enzyme.ir.types import IntType
from enzyme.ir.values import BinaryOp, Cast, ConstantInt, ConstantToken, Freeze, Instruction, Phi, Select, Value

_DEPTH = 8  # how far operands are looked through


def is_zero(value: Value, start: int, count: int, depth: int = _DEPTH) -> bool:
    """Whether ``count`` bytes from ``start`` on of an integer are known to be zero."""
    if isinstance(value, ConstantInt):
        return (value.value >> (8 * start)) & ((1 << (8 * count)) - 1) == 0
    if count <= 0 or (isinstance(value, ConstantToken) and value.keyword == "zeroinitializer"):
        return True
    if depth == 0 or not isinstance(value, Instruction) or not isinstance(value.type, IntType):
        return False
    end = start + count
    below = depth - 1
    match value:
        case Cast(opcode="zext"):
            inside = value.operands[0].type
            if not isinstance(inside, IntType):
                return False
            if inside.bits % 8:
                return 8 * start >= inside.bits
            width = inside.bits // 8
            return start >= width or is_zero(value.operands[0], start, min(end, width) - start, below)
        case Cast(opcode="trunc"):
            return is_zero(value.operands[0], start, count, below)
        case BinaryOp(opcode="shl" | "lshr"):
            distance = value.operands[1]
            if not isinstance(distance, ConstantInt):
                return False
            by, width = distance.value // 8, value.type.bits // 8
            if value.opcode == "shl":
                if end <= by:
                    return True
                first, last = max(start - by, 0), end - by
            else:
                if 8 * start >= value.type.bits - distance.value:
                    return True
                first, last = start + by, min(end + by, width)
            return distance.value % 8 == 0 and is_zero(value.operands[0], first, last - first, below)
        case BinaryOp(opcode="and"):
            return any(is_zero(o, start, count, below) for o in value.operands)
        case BinaryOp(opcode="add"):  # nothing is carried into bytes above zeros
            return all(is_zero(o, 0, end, below) for o in value.operands)
        case BinaryOp(opcode="or" | "xor") | Select() | Phi() | Freeze():
            sources = value.operands[1:] if isinstance(value, Select) else value.operands
            return all(is_zero(o, start, count, below) for o in sources if o.type is value.type)
    return False
