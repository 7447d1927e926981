"""Undefined numbers and lanes made zero before differentiation.

An optimiser computes with lanes and values that nothing looks at: it writes ``poison`` where any value will do. In a
derivative such a value is looked at: the adjoint of what nobody uses is zero, and zero times poison is poison, which
the addition to the adjoint of a *used* operand spreads. To choose zero where any value will do changes no program.
"""

from __future__ import annotations

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, IntType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    BinaryOp,
    CallBase,
    Cast,
    Constant,
    ConstantAggregate,
    ConstantInt,
    ConstantToken,
    Function,
    GetElementPtr,
    InsertElement,
    Instruction,
    Load,
    ShuffleVector,
    Value,
    zero,
)

_UNDEFINED = ("poison", "undef")


def define_undefined(module: Module) -> None:
    """In every function of the module."""
    for function in module.functions.values():
        if not function.is_declaration:
            _define(function)
            _define_addresses(function)
            _drop_undefined_copies(function)


def _define(function: Function) -> None:
    for block in function.blocks:
        for inst in list(block.instructions):
            if isinstance(inst, ShuffleVector):
                _shuffle(inst)
                continue
            if isinstance(inst, Load):
                continue
            for index, operand in enumerate(inst.operands):
                if _numeric(operand.type) and isinstance(operand, (ConstantToken, ConstantAggregate)):
                    defined = _defined(operand)
                    if defined is not operand:
                        inst.set_operand(index, defined)


def _define_addresses(function: Function) -> None:
    """Addresses that nobody wrote, as integers, are zero: taking unions apart (a byte and a pointer, as the values that
    may be missing are kept in) leaves words of which a byte is known, and makes pointers of them again."""
    for inst in list(function.instructions()):
        if isinstance(inst, Cast) and inst.opcode == "ptrtoint" and _undefined(inst.operands[0]):
            _fold(inst, zero(inst.type))


def _fold(inst: Instruction, value: Constant) -> None:
    users = list(inst.users)
    inst.replace_all_uses_with(value)
    inst.erase()
    for user in users:
        if not user.operands:
            continue  # folded with another
        if isinstance(user, BinaryOp) and user.opcode in ("and", "or"):
            left, right = user.operands
            if isinstance(left, ConstantInt) and isinstance(right, ConstantInt):
                both = left.value & right.value if user.opcode == "and" else left.value | right.value
                _fold(user, ConstantInt(user.type, both))
        elif (
            isinstance(user, Cast) and user.opcode == "inttoptr" and isinstance(value, ConstantInt) and not value.value
        ):
            user.replace_all_uses_with(zero(user.type))
            user.erase()


def _drop_undefined_copies(function: Function) -> None:
    """A block copy out of a local that nothing is ever written to: what was there before will do. Taking structs apart
    leaves such locals for the bytes of a union that the member in use does not have."""
    for inst in list(function.instructions()):
        if isinstance(inst, Alloca):
            copies = _copies_out(inst)
            for copy in copies or ():
                copy.erase()


def _copies_out(pointer: Value) -> list[CallBase] | None:
    """The block copies that read behind ``pointer``; None where it has other uses."""
    found: list[CallBase] = []
    for user in pointer.users:
        if isinstance(user, GetElementPtr) and user.base is pointer:
            inner = _copies_out(user)
            if inner is None:
                return None
            found += inner
            continue
        if not isinstance(user, CallBase):
            return None
        name = user.callee_name or ""
        if name.startswith(_COPIES) and user.args[1] is pointer and user.args[0] is not pointer:
            found.append(user)
        elif not name.startswith("llvm.lifetime."):
            return None
    return found


_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def _numeric(type: Type) -> bool:
    return isinstance(type.scalar, (FloatType, IntType))


def _defined(constant: Constant) -> Constant:
    if isinstance(constant, ConstantToken):
        return zero(constant.type) if constant.keyword in _UNDEFINED else constant
    if isinstance(constant, ConstantAggregate) and any(_undefined(each) for each in constant.elements):
        elements = [zero(each.type) if _undefined(each) else each for each in constant.elements]
        return ConstantAggregate(constant.type, elements, constant.splat)
    return constant


def _undefined(value: Value) -> bool:
    return isinstance(value, ConstantToken) and value.keyword in _UNDEFINED


def _shuffle(inst: ShuffleVector) -> None:
    """Lanes of no source come from a source that is zero; where both sources are in use, zero is written afterwards."""
    first, second, mask = inst.operands
    type = inst.type
    if not isinstance(type, VectorType) or type.scalable or not _numeric(type):
        return
    missing = [index for index, lane in enumerate(inst.lanes or ()) if lane is None]
    for index, source in ((0, first), (1, second)):
        if isinstance(source, (ConstantToken, ConstantAggregate)):
            inst.set_operand(index, _defined(source))
    if not missing:
        return
    free = next((index for index in (1, 0) if inst.operands[index] is not (first, second)[index]
                 and _undefined((first, second)[index])), None)  # fmt: skip
    if free is not None and isinstance(mask, ConstantAggregate) and not mask.splat:
        assert isinstance(first.type, VectorType)
        lane = ConstantInt(mask.elements[0].type, free * first.type.count)
        elements = [lane if index in missing else each for index, each in enumerate(mask.elements)]
        inst.set_operand(2, ConstantAggregate(mask.type, elements))
        return
    _write_zeros(inst, missing)


def _write_zeros(inst: ShuffleVector, lanes: list[int]) -> None:
    block = inst.block
    assert block is not None and isinstance(inst.type, VectorType)
    following = block.instructions[block.instructions.index(inst) + 1]
    users = list(inst.users)
    build = Builder(block, before=following)
    value: Value = inst
    for lane in lanes:
        value = build.insert_element(value, zero(inst.type.element), lane)
    first = next(user for user in inst.users if isinstance(user, InsertElement) and user not in users)
    _replace(inst, value, first, users)


def _replace(inst: Instruction, value: Value, keep: Instruction, users: list[Instruction]) -> None:
    for user in users:
        if user is not keep:
            user.replace_operand(inst, value)
