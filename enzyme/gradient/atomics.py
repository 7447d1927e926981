"""Atomic updates of numbers as the loads and stores they are on one thread.

``atomicrmw`` of a floating-point operation or exchange becomes load, operation, store. ``cmpxchg`` and ``xchg`` of
integers do so where the new value is the bits of a number, as in compare-and-swap loops that update a double; others
are left alone, so that reference counts and locks stay atomic in derivatives too. On a GPU, where other threads add to
the same numbers, all stay as they are.
"""

from __future__ import annotations

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, FunctionType, IntType, Type
from enzyme.ir.values import (
    AtomicRMW,
    Cast,
    CompareExchange,
    ConstantToken,
    ExtractValue,
    Freeze,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
)
from enzyme.rules.emit import mangle
from enzyme.support.devices import is_gpu

_INTRINSICS = {
    "fmax": "llvm.maxnum",
    "fmin": "llvm.minnum",
    "fmaximum": "llvm.maximum",
    "fminimum": "llvm.minimum",
    "fmaximumnum": "llvm.maximumnum",
    "fminimumnum": "llvm.minimumnum",
}


def plain_atomics(module: Module) -> None:
    """Rewrite the updates of every function."""
    if is_gpu(module.triple):
        return
    for function in list(module.functions.values()):
        for inst in list(function.instructions()) if not function.is_declaration else ():
            if isinstance(inst, AtomicRMW):
                _update(module, inst)
            elif isinstance(inst, CompareExchange) and _is_number(inst.operands[2]):
                _exchange(inst)


def _is_number(value: Value, depth: int = 6) -> bool:
    """Whether a value is a number or its bits."""
    if isinstance(value.type, FloatType):
        return True
    if depth == 0 or not isinstance(value, Instruction):
        return False
    if isinstance(value, Cast):
        return value.opcode == "bitcast" and isinstance(value.operands[0].type.scalar, FloatType)
    if isinstance(value, Phi):
        return any(_is_number(each, depth - 1) for each, _ in value.incoming)
    if isinstance(value, Select):
        return any(_is_number(each, depth - 1) for each in value.operands[1:])
    return isinstance(value, Freeze) and _is_number(value.operands[0], depth - 1)


def _builder(inst: Instruction) -> Builder:
    assert inst.block is not None
    return Builder(inst.block, before=inst)


def _finish(inst: Instruction, value: Value, first: int) -> None:
    block = inst.block
    assert block is not None
    if "dbg" in inst.metadata:
        for made in block.instructions[first : block.instructions.index(inst)]:
            made.metadata.setdefault("dbg", inst.metadata["dbg"])
    inst.replace_all_uses_with(value)
    inst.erase()


def _update(module: Module, inst: AtomicRMW) -> None:
    pointer, amount = inst.operands
    operation = inst.operation
    if operation == "xchg":
        if not _is_number(amount) and not _read_as_number(inst):
            return
    elif operation not in ("fadd", "fsub", *_INTRINSICS):
        return
    build = _builder(inst)
    first = build.block.instructions.index(inst)
    old = build.load(inst.type, pointer, _align(module, inst.type))
    if operation == "xchg":
        new = amount
    elif operation in ("fadd", "fsub"):
        new = getattr(build, operation)(old, amount)
    else:
        new = build.call(_intrinsic(module, _INTRINSICS[operation], inst.type), [old, amount])
    build.store(new, pointer, _align(module, inst.type))
    _finish(inst, old, first)


def _read_as_number(inst: Instruction) -> bool:
    return any(isinstance(user, Cast) and isinstance(user.type.scalar, FloatType) for user in inst.users)


def _align(module: Module, type: Type) -> int:
    return module.datalayout.abi_align(type)


def _intrinsic(module: Module, name: str, type: Type) -> Function:
    return module.declare_function(f"{name}.{mangle(type)}", FunctionType(type, (type, type)))


def _exchange(inst: CompareExchange) -> None:
    pointer, expected, new = inst.operands
    if not isinstance(expected.type, IntType):
        return
    build = _builder(inst)
    first = build.block.instructions.index(inst)
    old = build.insert(Load(expected.type, pointer, expected.type.bits // 8))
    same = build.icmp("eq", old, expected)
    build.store(build.select(same, new, old), pointer, expected.type.bits // 8)
    for user in list(inst.users):
        if isinstance(user, ExtractValue):
            user.replace_all_uses_with(same if user.indices == (1,) else old)
            user.erase()
    result: Value = ConstantToken(inst.type, "zeroinitializer")
    if not inst.users:
        _finish(inst, result, first)
        return
    result = build.insert_value(build.insert_value(result, old, 0), same, 1)
    _finish(inst, result, first)
