"""Numbers that are scaled through their bits: what is added to the exponent is a power of two to multiply with.

``bits + (k << 52)``, as programs have it that come without ldexp, becomes ``x * 2^k``. The program that is run makes
sure that the product has the very bits of the sum: it has not for zero, for numbers below the normal ones, and where
the exponent overflows, and there the sum of the bits scales nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.analysis.activity_bits import MANTISSA_BITS
from enzyme.analysis.bit_patterns import constant_lanes, lane_bits
from enzyme.gradient.chosen import choices_of, fine_or_left_out, last_of
from enzyme.gradient.primal import builder_after
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, IntType, VectorType
from enzyme.ir.values import BinaryOp, Cast, ConstantInt, Function, GlobalVariable, Value

_FORMATS = ("double", "float")
_DEPTH = 4
_TEXT = "enzyme: the sum of an exponent and the bits of a number is not that number scaled: {}"


def multiply_for_exponents(
    module: Module, insist: Callable[[], Function], message: Callable[[str], GlobalVariable]
) -> None:
    """In every function of the module."""
    for function in list(module.functions.values()):
        if function.is_declaration:
            continue
        for inst in list(function.instructions()):
            if isinstance(inst, Cast) and inst.opcode == "bitcast":
                found = _scaled(inst)
                if found is not None:
                    _multiply(inst, *found, insist, message(_TEXT.format(module.line_of(inst, function))))


def _scaled(inst: Cast) -> tuple[Value, BinaryOp, Value] | None:
    """The number, the sum and what is added, where ``inst`` makes a number of such a sum."""
    total, format = inst.operands[0], inst.type.scalar
    if not isinstance(total, BinaryOp) or total.opcode not in ("add", "sub"):
        return None
    if not isinstance(format, FloatType) or format.kind not in _FORMATS or lane_bits(total.type) != format.bits:
        return None
    pairs = [(total.operands[0], total.operands[1])]
    if total.opcode == "add":
        pairs.append((total.operands[1], total.operands[0]))
    for bits, added in pairs:
        made = isinstance(bits, Cast) and bits.opcode == "bitcast" and bits.operands[0].type is inst.type
        if made and _is_exponent(added, format, _DEPTH):
            assert isinstance(bits, Cast)
            return bits.operands[0], total, added
    return None


def _is_exponent(value: Value, format: FloatType, depth: int) -> bool:
    """Whether the bits below the exponent's are zero."""
    least, width = MANTISSA_BITS[format.kind], format.bits
    lanes = constant_lanes(value, width)
    if lanes is not None:
        return all(lane % (1 << least) == 0 for lane in lanes)
    if not isinstance(value, BinaryOp) or depth == 0:
        return False
    if value.opcode == "shl":
        by = constant_lanes(value.operands[1], width)
        return by is not None and all(least <= lane < width for lane in by)
    each = [_is_exponent(operand, format, depth - 1) for operand in value.operands]
    return any(each) if value.opcode == "and" else value.opcode in ("add", "sub") and all(each)


def _multiply(
    inst: Cast,
    number: Value,
    total: BinaryOp,
    added: Value,
    insist: Callable[[], Function],
    text: GlobalVariable,
) -> None:
    format = inst.type.scalar
    assert isinstance(format, FloatType) and inst.block is not None
    least = MANTISSA_BITS[format.kind]
    build = Builder(inst.block, before=inst)
    one = build.const_int(total.type, (1 << (format.bits - 2)) - (1 << least))  # the bits of 1.0
    field = build.add(one, added) if total.opcode == "add" else build.sub(one, added)
    product = build.fmul(number, build.bitcast(field, inst.type), ())
    choices = choices_of(inst)
    fine: Value = build.icmp("eq", build.bitcast(product, total.type), total)
    if isinstance(fine.type, VectorType):
        lanes = IntType(fine.type.count)
        fine = build.icmp("eq", build.bitcast(fine, lanes), ConstantInt(lanes, -1))
    if choices:
        build = builder_after(last_of(choices, inst))
    call = build.call(insist(), [fine_or_left_out(build, fine, choices, lambda value: value), text])
    call.metadata = {k: v for k, v in inst.metadata.items() if k == "dbg"}
    inst.replace_all_uses_with(product)
    inst.erase()
