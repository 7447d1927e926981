"""Integers computed from the bits of a floating-point number in a way that is not piecewise constant.

``(double)bits`` of a number's bit pattern, or of its mantissa, has a slope that no rule of the engine sees; converting
an exponent (the bits above the mantissa) is piecewise constant and has derivative zero.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.ir.types import FloatType
from enzyme.ir.values import BinaryOp, Cast, Constant, ConstantInt, Instruction, Phi, Select, Value

MANTISSA_BITS = {"half": 10, "bfloat": 7, "float": 23, "double": 52, "x86_fp80": 64, "fp128": 112, "ppc_fp128": 52}

WholeFloat = Callable[[Value], FloatType | None]


def uses_mantissa(value: Value, whole_float: WholeFloat) -> bool:
    """Whether ``value`` depends on mantissa bits of a number; ``whole_float`` names values that are a number's bits."""
    seen: set[tuple[Value, int]] = set()
    work = [(value, 0)]
    while work:
        here, shifted = work.pop()
        if (here, shifted) in seen or isinstance(here, Constant) or not isinstance(here, Instruction):
            continue
        seen.add((here, shifted))
        type = whole_float(here)
        if type is not None:
            if shifted < MANTISSA_BITS[type.kind]:
                return True
            continue
        # capped: a shift in a loop would go on for ever, and no format has more mantissa bits than this
        work += [(operand, min(shifted + more, 128)) for operand, more in _sources(here)]
    return False


def _sources(inst: Instruction) -> list[tuple[Value, int]]:
    """Operands whose bits go into the result, and how many of their low bits are shifted out."""
    match inst:
        case BinaryOp(opcode="lshr" | "ashr"):
            distance = inst.operands[1]
            return [(inst.operands[0], distance.value if isinstance(distance, ConstantInt) else 0)]
        case BinaryOp():
            return [(operand, 0) for operand in inst.operands]
        case Cast(opcode="trunc" | "zext" | "sext" | "bitcast"):
            return [(inst.operands[0], 0)]
        case Phi():
            return [(value, 0) for value, _ in inst.incoming]
        case Select():
            return [(operand, 0) for operand in inst.operands[1:]]
    return [(inst.operands[0], 0)] if inst.opcode == "freeze" else []
