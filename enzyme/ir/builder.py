"""The one way to make instructions: a cursor at the end of a block, a method per opcode.

The builder folds nothing but the trivially constant (integer arithmetic on two constants, ``x + 0``, ``x * 1``,
selects and branches excluded): LLVM does the rest. ``flags`` given at construction are put on every floating-point
instruction that takes fast-math flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from enzyme.ir.types import I64, FloatType, FunctionType, IntType, Type, VectorType
from enzyme.ir.values import (
    Alloca,
    BinaryOp,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    Constant,
    ConstantAggregate,
    ConstantFloat,
    ConstantInt,
    ConstantToken,
    ExtractElement,
    ExtractValue,
    Function,
    GetElementPtr,
    InsertElement,
    InsertValue,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    UnaryOp,
    Unreachable,
    Value,
)


class Builder:
    """Appends instructions to ``block`` (before ``before`` when given)."""

    def __init__(self, block: Block, flags: Sequence[str] = (), before: Instruction | None = None) -> None:
        self.block = block
        self.flags = tuple(flags)
        self.before = before

    @property
    def function(self) -> Function:
        assert self.block.function is not None
        return self.block.function

    def insert(self, instruction: Instruction) -> Instruction:
        if self.before is not None:
            self.block.insert_before(self.before, instruction)
        else:
            self.block.append(instruction)
        return instruction

    # constants
    def const_int(self, type: Type, value: int) -> Constant:
        if isinstance(type, VectorType):
            return ConstantAggregate(type, [ConstantInt(type.element, value)], splat=True)
        return ConstantInt(type, value)

    def const_float(self, type: Type, value: float) -> Constant:
        if isinstance(type, VectorType):
            return ConstantAggregate(type, [ConstantFloat.of(type.element, value)], splat=True)
        return ConstantFloat.of(type, value)

    # floating point
    def _float(self, opcode: str, left: Value, right: Value, flags: Sequence[str] | None, name: str | None) -> Value:
        return self.insert(BinaryOp(opcode, left, right, flags=self.flags if flags is None else flags, name=name))

    def fadd(self, left: Value, right: Value, flags: Sequence[str] | None = None, name: str | None = None) -> Value:
        return self._float("fadd", left, right, flags, name)

    def fsub(self, left: Value, right: Value, flags: Sequence[str] | None = None, name: str | None = None) -> Value:
        return self._float("fsub", left, right, flags, name)

    def fmul(self, left: Value, right: Value, flags: Sequence[str] | None = None, name: str | None = None) -> Value:
        return self._float("fmul", left, right, flags, name)

    def fdiv(self, left: Value, right: Value, flags: Sequence[str] | None = None, name: str | None = None) -> Value:
        return self._float("fdiv", left, right, flags, name)

    def fneg(self, value: Value, flags: Sequence[str] | None = None, name: str | None = None) -> Value:
        return self.insert(UnaryOp("fneg", value, flags=self.flags if flags is None else flags, name=name))

    def fcmp(
        self, predicate: str, left: Value, right: Value, flags: Sequence[str] | None = None, name: str | None = None
    ) -> Value:
        return self.insert(
            Compare("fcmp", predicate, left, right, flags=self.flags if flags is None else flags, name=name)
        )

    # integers
    def _int(self, opcode: str, left: Value, right: Value, flags: Sequence[str], name: str | None) -> Value:
        if isinstance(left, ConstantInt) and isinstance(right, ConstantInt) and opcode in _FOLD:
            return ConstantInt(left.type, _FOLD[opcode](left.value, right.value))
        if isinstance(right, ConstantInt):
            if right.value == 0 and opcode in ("add", "sub", "or", "shl", "lshr"):
                return left
            if right.value == 1 and opcode in ("mul", "udiv", "sdiv"):
                return left
        if isinstance(left, ConstantInt):
            if left.value == 0 and opcode == "add":
                return right
            if left.value == 1 and opcode == "mul":
                return right
        return self.insert(BinaryOp(opcode, left, right, flags=flags, name=name))

    def add(self, left: Value, right: Value, flags: Sequence[str] = (), name: str | None = None) -> Value:
        return self._int("add", left, right, flags, name)

    def sub(self, left: Value, right: Value, flags: Sequence[str] = (), name: str | None = None) -> Value:
        return self._int("sub", left, right, flags, name)

    def mul(self, left: Value, right: Value, flags: Sequence[str] = (), name: str | None = None) -> Value:
        return self._int("mul", left, right, flags, name)

    def udiv(self, left: Value, right: Value, name: str | None = None) -> Value:
        return self._int("udiv", left, right, (), name)

    def sdiv(self, left: Value, right: Value, name: str | None = None) -> Value:
        return self._int("sdiv", left, right, (), name)

    def and_(self, left: Value, right: Value, name: str | None = None) -> Value:
        return self._int("and", left, right, (), name)

    def or_(self, left: Value, right: Value, name: str | None = None) -> Value:
        return self._int("or", left, right, (), name)

    def xor(self, left: Value, right: Value, name: str | None = None) -> Value:
        return self._int("xor", left, right, (), name)

    def shl(self, left: Value, right: Value, name: str | None = None) -> Value:
        return self._int("shl", left, right, (), name)

    def lshr(self, left: Value, right: Value, name: str | None = None) -> Value:
        return self._int("lshr", left, right, (), name)

    def icmp(self, predicate: str, left: Value, right: Value, name: str | None = None) -> Value:
        return self.insert(Compare("icmp", predicate, left, right, name=name))

    # casts
    def cast(self, opcode: str, value: Value, to: Type, name: str | None = None) -> Value:
        if value.type is to:
            return value
        if opcode in ("zext", "sext", "trunc") and isinstance(value, ConstantInt) and isinstance(to, IntType):
            bits = value.type.bits if isinstance(value.type, IntType) else 64
            raw = value.value & ((1 << bits) - 1) if opcode == "zext" else value.value
            return ConstantInt(to, raw)
        return self.insert(Cast(opcode, value, to, name=name))

    def zext(self, value: Value, to: Type, name: str | None = None) -> Value:
        return self.cast("zext", value, to, name)

    def sext(self, value: Value, to: Type, name: str | None = None) -> Value:
        return self.cast("sext", value, to, name)

    def trunc(self, value: Value, to: Type, name: str | None = None) -> Value:
        return self.cast("trunc", value, to, name)

    def bitcast(self, value: Value, to: Type, name: str | None = None) -> Value:
        return self.cast("bitcast", value, to, name)

    def float_cast(self, value: Value, to: Type, name: str | None = None) -> Value:
        """fpext or fptrunc, whichever leads to ``to``."""
        source, target = value.type.scalar, to.scalar
        assert isinstance(source, FloatType) and isinstance(target, FloatType)
        if source is target:
            return value
        return self.cast("fpext" if source.bits < target.bits else "fptrunc", value, to, name)

    # choice
    def select(
        self, condition: Value, if_true: Value, if_false: Value, flags: Sequence[str] = (), name: str | None = None
    ) -> Value:
        return self.insert(Select(condition, if_true, if_false, flags=flags, name=name))

    def phi(self, type: Type, incoming: Sequence[tuple[Value, Block]] = (), name: str | None = None) -> Phi:
        made = Phi(type, incoming, name=name)
        self.block.insert(len(self.block.phis), made)
        return made

    # memory
    def alloca(self, type: Type, count: Value | None = None, align: int = 0, name: str | None = None) -> Value:
        return self.insert(Alloca(type, count or ConstantInt(IntType(32), 1), align, name=name))

    def load(self, type: Type, pointer: Value, align: int = 0, name: str | None = None, **more: Any) -> Value:
        return self.insert(Load(type, pointer, align, name=name, **more))

    def store(self, value: Value, pointer: Value, align: int = 0, **more: Any) -> Instruction:
        return self.insert(Store(value, pointer, align, **more))

    def gep(
        self,
        source_type: Type,
        base: Value,
        indices: Sequence[Value],
        flags: Sequence[str] = (),
        name: str | None = None,
    ) -> Value:
        return self.insert(GetElementPtr(source_type, base, indices, flags=flags, name=name))

    def offset(self, base: Value, bytes: Value | int, name: str | None = None) -> Value:
        """``base`` plus a byte offset."""
        amount = ConstantInt(I64, bytes) if isinstance(bytes, int) else bytes
        if isinstance(amount, ConstantInt) and amount.value == 0:
            return base
        return self.gep(IntType(8), base, [amount], name=name)

    # aggregates and vectors
    def extract_value(self, aggregate: Value, *indices: int, name: str | None = None) -> Value:
        return self.insert(ExtractValue(aggregate, indices, name=name)) if indices else aggregate

    def insert_value(self, aggregate: Value, element: Value, *indices: int, name: str | None = None) -> Value:
        return self.insert(InsertValue(aggregate, element, indices, name=name)) if indices else element

    def extract_element(self, vector: Value, index: Value | int, name: str | None = None) -> Value:
        at = ConstantInt(I64, index) if isinstance(index, int) else index
        return self.insert(ExtractElement(vector, at, name=name))

    def insert_element(self, vector: Value, element: Value, index: Value | int, name: str | None = None) -> Value:
        at = ConstantInt(I64, index) if isinstance(index, int) else index
        return self.insert(InsertElement(vector, element, at, name=name))

    def splat(self, value: Value, type: VectorType) -> Value:
        """A vector with ``value`` in every lane."""
        if isinstance(value, Constant):
            return ConstantAggregate(type, [value], splat=True)
        poison = ConstantToken(type, "poison")
        first = ConstantToken(VectorType(type.count, IntType(32)), "zeroinitializer")
        return self.insert(ShuffleVector(self.insert_element(poison, value, 0), poison, first))

    def shuffle(self, vector: Value, lanes: Iterable[int], other: Value | None = None) -> Value:
        """Lanes of a vector, those of ``other`` numbered on behind its own."""
        picked = [ConstantInt(IntType(32), lane) for lane in lanes]
        mask = ConstantAggregate(VectorType(len(picked), IntType(32)), picked)
        return self.insert(ShuffleVector(vector, other or ConstantToken(vector.type, "poison"), mask))

    # calls and control flow
    def call(
        self,
        callee: Value,
        args: Sequence[Value],
        callee_type: FunctionType | None = None,
        name: str | None = None,
        attrs: Sequence[str] = (),
        flags: Sequence[str] = (),
    ) -> Instruction:
        made = Call(callee, args, callee_type, name=name, attrs=attrs, flags=flags)
        for argument, parameter in zip(args, made.callee_type.params, strict=False):
            assert argument.type is parameter, f"{argument.type} passed for {parameter} to {made.callee_name}"
        return self.insert(made)

    def br(self, target: Block) -> Instruction:
        return self.insert(Branch(target))

    def cond_br(self, condition: Value, if_true: Block, if_false: Block) -> Instruction:
        return self.insert(Branch(condition, if_true, if_false))

    def ret(self, value: Value | None = None) -> Instruction:
        return self.insert(Return(value))

    def unreachable(self) -> Instruction:
        return self.insert(Unreachable())


_FOLD = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
