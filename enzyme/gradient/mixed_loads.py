"""Loads that read an address as a number, taken apart.

A struct of a number and a pointer has the size of two numbers, and an optimiser loads it as two: it uses the number in
one lane and makes a pointer of the other lane's bits. Nothing says there that an address was read, and that lane's
adjoint would be added to a shadow pointer. The address is loaded as one instead, and of the numbers only those lanes
that something depends on.

So with a value that is a number in one case and an address in another, as a ``Result<f64, String>`` of Rust: the
optimiser loads it in front of the question which of both it is, as a number, and where it is an address makes one of
the number's bits. There the address is loaded as one beside the number.
"""

from __future__ import annotations

from collections import defaultdict

from enzyme.gradient.sums import is_simple_access
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import PTR, FloatType, IntType, Type, VectorType
from enzyme.ir.values import (
    BinaryOp,
    CallBase,
    Cast,
    ConstantInt,
    ExtractElement,
    Function,
    InsertElement,
    Instruction,
    Load,
    ShuffleVector,
    UnaryOp,
    Value,
    zero,
)

_LANE_BY_LANE = ("llvm.fma.", "llvm.fmuladd.", "llvm.fabs.", "llvm.sqrt.")


def separate_mixed_loads(module: Module) -> None:
    """In every function of the module."""
    bits = module.datalayout.pointer_bits()
    for function in module.functions.values():
        if not function.is_declaration:
            _separate(function, bits)


def _separate(function: Function, bits: int) -> None:
    addresses: dict[Load, dict[Cast, int]] = defaultdict(dict)
    alone: dict[Load, list[Cast]] = defaultdict(list)
    for inst in function.instructions():
        if isinstance(inst, Cast) and inst.opcode == "inttoptr":
            number = _number(inst.operands[0], bits)
            if number is not None:
                alone[number].append(inst)
            elif found := _loaded(inst.operands[0], bits):
                addresses[found[0]][inst] = found[1]
    for load, casts in alone.items():
        _load_beside(load, casts)
    for load, lanes in addresses.items():
        numbers = _lanes_in_use(load)
        width = bits // load.type.scalar.bits  # type: ignore[attr-defined]
        if not any(lane <= each < lane + width for lane in lanes.values() for each in numbers):
            _rewrite(load, lanes, numbers)


def _number(address: Value, bits: int) -> Load | None:
    """The load of one floating-point number whose bits ``address`` is."""
    load = address.operands[0] if isinstance(address, Cast) and address.opcode == "bitcast" else None
    if not isinstance(load, Load) or not isinstance(load.type, FloatType) or load.type.bits != bits:
        return None
    return load if is_simple_access(load) else None


def _load_beside(load: Load, casts: list[Cast]) -> None:
    """Load what a number is loaded from as an address, too, and take that in place of one made of its bits."""
    assert load.block is not None
    address = Builder(load.block, before=load).load(PTR, load.pointer, load.align)
    for cast in casts:
        bits = cast.operands[0]
        cast.replace_all_uses_with(address)
        cast.erase()
        if isinstance(bits, Cast) and not bits.users:
            bits.erase()


def _loaded(address: Value, bits: int) -> tuple[Load, int] | None:
    """The vector load of floating-point numbers that ``address`` is a part of, and the lane at which it begins."""
    if not (isinstance(address, ExtractElement) and isinstance(address.operands[1], ConstantInt)):
        return None
    cast = address.operands[0]
    load = cast.operands[0] if isinstance(cast, Cast) else None
    if not isinstance(load, Load) or load.flags or load.ordering:
        return None
    whole, parts = load.type, address.operands[0].type
    if not (isinstance(whole, VectorType) and isinstance(parts, VectorType)) or whole.scalable:
        return None
    if not isinstance(whole.element, FloatType) or parts.element is not IntType(bits) or whole.count % parts.count:
        return None
    return load, address.operands[1].value * (whole.count // parts.count)


def _lanes_in_use(load: Load) -> list[int]:
    """The lanes of ``load`` that something depends on, other than as an address."""
    assert isinstance(load.type, VectorType)
    return [lane for lane in range(load.type.count) if _in_use(load, lane)]


def _in_use(load: Load, lane: int) -> bool:
    seen: set[tuple[Value, int]] = set()
    work: list[tuple[Value, int]] = [(load, lane)]
    while work:
        value, lane = at = work.pop()
        if at not in seen:
            seen.add(at)
            for user in value.users:
                following = _followed(user, value, lane)
                if following is None:
                    return True
                work += [(user, each) for each in following]
    return False


def _followed(user: Instruction, vector: Value, lane: int) -> list[int] | None:
    """The lanes of ``user`` that depend on a lane of its operand; None where anything may."""
    assert isinstance(vector.type, VectorType)
    match user:
        case ExtractElement(operands=[_, ConstantInt(value=taken)]):
            unused = taken != lane or all(isinstance(u, Cast) and u.opcode == "inttoptr" for u in user.users)
            return [] if unused else None
        case InsertElement(operands=[_, _, ConstantInt(value=taken)]):
            return [lane] if taken != lane else []
        case ShuffleVector(lanes=list(lanes)):
            sources = [lane + i * vector.type.count for i, each in enumerate(user.operands[:2]) if each is vector]
            return [place for place, each in enumerate(lanes) if each in sources]
        case Cast(type=VectorType(count=count)) if vector.type.count % count == 0:
            return [lane // (vector.type.count // count)]
        case BinaryOp() | UnaryOp() if isinstance(user.type.scalar, FloatType):
            return [lane]
        case CallBase() if (user.callee_name or "").startswith(_LANE_BY_LANE):
            return [lane]
    return None


def _rewrite(load: Load, addresses: dict[Cast, int], numbers: list[int]) -> None:
    assert load.block is not None and isinstance(load.type, VectorType)
    build = Builder(load.block, before=load)
    element = load.type.element
    size = element.bits // 8  # type: ignore[attr-defined]

    def part(type: Type, lane: int) -> Value:
        offset = lane * size
        align = min(load.align, offset & -offset) if offset else load.align
        return build.load(type, build.offset(load.pointer, offset), align)

    pointers = {lane: part(PTR, lane) for lane in sorted(set(addresses.values()))}
    for cast, lane in addresses.items():
        bits = cast.operands[0]
        cast.replace_all_uses_with(pointers[lane])
        cast.erase()
        if isinstance(bits, ExtractElement) and not bits.users:
            bits.erase()
    vector: Value = zero(load.type)
    for lane in numbers:
        vector = build.insert_element(vector, part(element, lane), lane)
    load.replace_all_uses_with(vector)
    load.erase()
