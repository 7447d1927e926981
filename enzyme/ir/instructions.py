"""Instructions: one class per shape. Import them from :mod:`enzyme.ir.values`, which says what they carry."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from enzyme.ir.constants import ConstantAggregate, ConstantInt, ConstantToken, MetadataValue, Value
from enzyme.ir.containers import Block, Function
from enzyme.ir.types import I1, PTR, VOID, ArrayType, FunctionType, StructType, Type, VectorType

FAST_MATH_FLAGS = ("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc")
INT_BINARY_OPCODES = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split())
INT_DIVISIONS = frozenset("udiv sdiv urem srem".split())
"""Operations that stop the program for some operands."""
FLOAT_BINARY_OPCODES = frozenset("fadd fsub fmul fdiv frem".split())
TERMINATOR_OPCODES = frozenset(
    "ret br switch indirectbr invoke callbr resume catchswitch catchret cleanupret unreachable".split()
)


class Instruction(Value):
    """Base of all instructions; see the module docstring for ``flags`` and ``metadata``."""

    __slots__ = ("opcode", "operands", "flags", "metadata", "block", "order")

    def __init__(
        self,
        opcode: str,
        type: Type,
        operands: Sequence[Value] = (),
        name: str | None = None,
        flags: Sequence[str] = (),
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(type, name)
        self.opcode = opcode
        self.flags = tuple(flags)
        self.metadata: dict[str, str] = dict(metadata) if metadata else {}
        self.block: Block | None = None
        self.order = 0  # ascending in a block, which sets it
        self.operands: list[Value] = []
        for operand in operands:
            self.add_operand(operand)

    def add_operand(self, operand: Value) -> None:
        self.operands.append(operand)
        self._register(operand)

    def _register(self, operand: Value) -> None:
        if isinstance(operand, MetadataValue):
            operand = operand.inner
        if operand.tracked:
            operand.users[self] = operand.users.get(self, 0) + 1

    def _unregister(self, operand: Value) -> None:
        if isinstance(operand, MetadataValue):
            operand = operand.inner
        if operand.tracked:
            left = operand.users[self] - 1
            if left:
                operand.users[self] = left
            else:
                del operand.users[self]

    def set_operand(self, index: int, new: Value) -> None:
        self._unregister(self.operands[index])
        self.operands[index] = new
        self._register(new)

    def replace_operand(self, old: Value, new: Value) -> None:
        """Use ``new`` wherever this instruction uses ``old``."""
        for index, operand in enumerate(self.operands):
            if operand is old:
                self.set_operand(index, new)

    def drop_operands(self) -> None:
        for operand in self.operands:
            self._unregister(operand)
        self.operands = []

    def erase(self) -> None:
        """Take the instruction out of its block and drop its uses; it must itself be unused."""
        assert not self.users, f"erasing a used instruction: {self!r}"
        if self.block is not None:
            self.block.remove(self)
        self.drop_operands()

    def clone(self, operands: Sequence[Value] | None = None) -> Instruction:
        """An unattached copy with its own use-list entries; ``operands`` replace the originals one for one."""
        made = copy.copy(self)
        made.users, made.block, made.operands = {}, None, []
        made.metadata = dict(self.metadata)
        for operand in self.operands if operands is None else operands:
            made.add_operand(operand)
        return made

    @property
    def is_terminator(self) -> bool:
        return self.opcode in TERMINATOR_OPCODES

    @property
    def function(self) -> Function | None:
        return self.block.function if self.block is not None else None

    @property
    def fast_math(self) -> tuple[str, ...]:
        return tuple(f for f in self.flags if f in FAST_MATH_FLAGS)


class UnaryOp(Instruction):
    """``fneg``."""

    __slots__ = ()

    def __init__(self, opcode: str, value: Value, **more: Any) -> None:
        super().__init__(opcode, value.type, (value,), **more)


class BinaryOp(Instruction):
    """Integer and floating-point arithmetic, shifts and logic."""

    __slots__ = ()

    def __init__(self, opcode: str, left: Value, right: Value, **more: Any) -> None:
        super().__init__(opcode, left.type, (left, right), **more)


class Cast(Instruction):
    __slots__ = ()

    def __init__(self, opcode: str, value: Value, to: Type, **more: Any) -> None:
        super().__init__(opcode, to, (value,), **more)


class Compare(Instruction):
    """``icmp`` and ``fcmp``; ``predicate`` as printed."""

    __slots__ = ("predicate",)

    def __init__(self, opcode: str, predicate: str, left: Value, right: Value, **more: Any) -> None:
        super().__init__(opcode, bool_like(left.type), (left, right), **more)
        self.predicate = predicate


class Select(Instruction):
    """Operands: condition, value if true, value if false."""

    __slots__ = ()

    def __init__(self, condition: Value, if_true: Value, if_false: Value, **more: Any) -> None:
        super().__init__("select", if_true.type, (condition, if_true, if_false), **more)


class Freeze(Instruction):
    __slots__ = ()

    def __init__(self, value: Value, **more: Any) -> None:
        super().__init__("freeze", value.type, (value,), **more)


class Phi(Instruction):
    """Operands alternate: value, block, value, block, ..."""

    __slots__ = ()

    def __init__(self, type: Type, incoming: Sequence[tuple[Value, Block]] = (), **more: Any) -> None:
        super().__init__("phi", type, [part for pair in incoming for part in pair], **more)

    @property
    def incoming(self) -> list[tuple[Value, Block]]:
        ops = self.operands
        return [(ops[i], ops[i + 1]) for i in range(0, len(ops), 2)]  # type: ignore[misc]

    def add_incoming(self, value: Value, block: Block) -> None:
        self.add_operand(value)
        self.add_operand(block)

    def value_from(self, block: Block) -> Value:
        for value, source in self.incoming:
            if source is block:
                return value
        raise KeyError(block.name)


class Alloca(Instruction):
    """Operand: the element count (a ConstantInt i32 1 when not printed). ``align`` 0 means not printed."""

    __slots__ = ("allocated_type", "align")

    def __init__(self, allocated_type: Type, count: Value, align: int = 0, pointer: Type = PTR, **more: Any) -> None:
        super().__init__("alloca", pointer, (count,), **more)
        self.allocated_type, self.align = allocated_type, align


class Load(Instruction):
    """Operand: the address. ``ordering`` is what follows the address in an atomic load (syncscope and ordering)."""

    __slots__ = ("align", "ordering")

    def __init__(self, type: Type, pointer: Value, align: int = 0, ordering: str = "", **more: Any) -> None:
        super().__init__("load", type, (pointer,), **more)
        self.align, self.ordering = align, ordering

    @property
    def pointer(self) -> Value:
        return self.operands[0]

    @property
    def accessed(self) -> Type:
        """The type of what lies in memory."""
        return self.type


class Store(Instruction):
    """Operands: the value, the address."""

    __slots__ = ("align", "ordering")

    def __init__(self, value: Value, pointer: Value, align: int = 0, ordering: str = "", **more: Any) -> None:
        super().__init__("store", VOID, (value, pointer), **more)
        self.align, self.ordering = align, ordering

    @property
    def value(self) -> Value:
        return self.operands[0]

    @property
    def pointer(self) -> Value:
        return self.operands[1]

    @property
    def accessed(self) -> Type:
        """The type of what lies in memory."""
        return self.value.type


class GetElementPtr(Instruction):
    """Operands: base pointer, then indices. ``source_type`` is the element type the indices walk."""

    __slots__ = ("source_type",)

    def __init__(
        self, source_type: Type, base: Value, indices: Sequence[Value], type: Type | None = None, **more: Any
    ) -> None:
        super().__init__("getelementptr", type or base.type, (base, *indices), **more)
        self.source_type = source_type

    @property
    def base(self) -> Value:
        return self.operands[0]

    @property
    def indices(self) -> list[Value]:
        return self.operands[1:]


def without_steps(pointer: Value) -> Value:
    """The pointer that another was made of by steps."""
    while isinstance(pointer, GetElementPtr):
        pointer = pointer.base
    return pointer


class ExtractValue(Instruction):
    __slots__ = ("indices",)

    def __init__(self, aggregate: Value, indices: Sequence[int], **more: Any) -> None:
        super().__init__("extractvalue", element_type(aggregate.type, indices), (aggregate,), **more)
        self.indices = tuple(indices)


class InsertValue(Instruction):
    """Operands: the aggregate, the element."""

    __slots__ = ("indices",)

    def __init__(self, aggregate: Value, element: Value, indices: Sequence[int], **more: Any) -> None:
        super().__init__("insertvalue", aggregate.type, (aggregate, element), **more)
        self.indices = tuple(indices)


class ExtractElement(Instruction):
    __slots__ = ()

    def __init__(self, vector: Value, index: Value, **more: Any) -> None:
        assert isinstance(vector.type, VectorType)
        super().__init__("extractelement", vector.type.element, (vector, index), **more)


class InsertElement(Instruction):
    """Operands: vector, element, index."""

    __slots__ = ()

    def __init__(self, vector: Value, element: Value, index: Value, **more: Any) -> None:
        super().__init__("insertelement", vector.type, (vector, element, index), **more)


class ShuffleVector(Instruction):
    """Operands: two vectors and the mask constant (of type <N x i32>)."""

    __slots__ = ()

    def __init__(self, first: Value, second: Value, mask: Value, **more: Any) -> None:
        assert isinstance(first.type, VectorType) and isinstance(mask.type, VectorType)
        to = VectorType(mask.type.count, first.type.element, mask.type.scalable)
        super().__init__("shufflevector", to, (first, second, mask), **more)

    @property
    def lanes(self) -> list[int | None] | None:
        """What the mask picks, lane by lane; None for a lane where any will do. None when it is no constant list."""
        mask = self.operands[2]
        assert isinstance(mask.type, VectorType)
        if isinstance(mask, ConstantAggregate):
            lanes = [each.value if isinstance(each, ConstantInt) else None for each in mask.elements]
            return lanes * mask.type.count if mask.splat else lanes
        if isinstance(mask, ConstantToken) and mask.keyword in ("zeroinitializer", "poison", "undef"):
            return [0 if mask.keyword == "zeroinitializer" else None] * mask.type.count
        return None


class AtomicRMW(Instruction):
    """``atomicrmw [volatile] OPERATION ptr, value TAIL``; ``tail`` is syncscope, ordering and alignment as printed."""

    __slots__ = ("operation", "tail")

    def __init__(self, operation: str, pointer: Value, value: Value, tail: str, **more: Any) -> None:
        super().__init__("atomicrmw", value.type, (pointer, value), **more)
        self.operation, self.tail = operation, tail


class CompareExchange(Instruction):
    """Operands: pointer, expected, new. ``tail`` as for :class:`AtomicRMW`."""

    __slots__ = ("tail",)

    def __init__(self, pointer: Value, expected: Value, new: Value, tail: str, **more: Any) -> None:
        super().__init__("cmpxchg", StructType.literal((expected.type, I1)), (pointer, expected, new), **more)
        self.tail = tail


class Fence(Instruction):
    __slots__ = ("tail",)

    def __init__(self, tail: str, **more: Any) -> None:
        super().__init__("fence", VOID, (), **more)
        self.tail = tail


class CallBase(Instruction):
    """What call and invoke share.

    Operands: the arguments, then the operands of bundles, then the callee, then (invoke) the two successor blocks.

    ``callee_type`` is the function type; ``tail`` one of "", "tail", "musttail", "notail"; ``cc`` the calling
    convention as printed or ""; ``result_attrs`` and ``arg_attrs`` attributes as printed words; ``attrs`` what follows
    the arguments (words and ``#5``); ``bundles`` the printed operand bundles with ``{0}``, ``{1}``... for the operands
    in ``bundle_operands``.
    """

    __slots__ = ("callee_type", "tail", "cc", "result_attrs", "arg_attrs", "attrs", "bundles", "_bundle_count")

    def __init__(
        self,
        opcode: str,
        callee: Value,
        args: Sequence[Value],
        callee_type: FunctionType,
        successors: Sequence[Block] = (),
        tail: str = "",
        cc: str = "",
        result_attrs: Sequence[str] = (),
        arg_attrs: Sequence[Sequence[str]] | None = None,
        attrs: Sequence[str] = (),
        bundles: str = "",
        bundle_operands: Sequence[Value] = (),
        **more: Any,
    ) -> None:
        super().__init__(opcode, callee_type.result, (*args, *bundle_operands, callee, *successors), **more)
        self._bundle_count = len(bundle_operands)
        self.callee_type, self.tail, self.cc = callee_type, tail, cc
        self.result_attrs = tuple(result_attrs)
        self.arg_attrs = tuple(tuple(a) for a in arg_attrs) if arg_attrs is not None else tuple(() for _ in args)
        self.attrs, self.bundles = tuple(attrs), bundles

    @property
    def _successor_count(self) -> int:
        return 2 if self.opcode == "invoke" else 0

    @property
    def args(self) -> list[Value]:
        return self.operands[: len(self.operands) - 1 - self._successor_count - self._bundle_count]

    @property
    def bundle_operands(self) -> list[Value]:
        end = len(self.operands) - 1 - self._successor_count
        return self.operands[end - self._bundle_count : end]

    @property
    def callee(self) -> Value:
        return self.operands[len(self.operands) - 1 - self._successor_count]

    @callee.setter
    def callee(self, value: Value) -> None:
        self.set_operand(len(self.operands) - 1 - self._successor_count, value)

    @property
    def callee_name(self) -> str | None:
        """The called function's name, or None for an indirect call or inline assembly."""
        callee = self.callee
        return callee.name if isinstance(callee, Function) else None


class Call(CallBase):
    __slots__ = ()

    def __init__(
        self, callee: Value, args: Sequence[Value], callee_type: FunctionType | None = None, **more: Any
    ) -> None:
        if callee_type is None:
            assert isinstance(callee, Function)
            callee_type = callee.function_type
        super().__init__("call", callee, args, callee_type, **more)


class Invoke(CallBase):
    __slots__ = ()

    def __init__(
        self, callee: Value, args: Sequence[Value], callee_type: FunctionType, normal: Block, unwind: Block, **more: Any
    ) -> None:
        super().__init__("invoke", callee, args, callee_type, (normal, unwind), **more)


class Return(Instruction):
    """Operand: the value, or none."""

    __slots__ = ()

    def __init__(self, value: Value | None = None, **more: Any) -> None:
        super().__init__("ret", VOID, () if value is None else (value,), **more)


class Branch(Instruction):
    """Operands: the target; or condition, target if true, target if false."""

    __slots__ = ()

    def __init__(self, *operands: Value, **more: Any) -> None:
        super().__init__("br", VOID, operands, **more)

    @property
    def is_conditional(self) -> bool:
        return len(self.operands) == 3


class Switch(Instruction):
    """Operands: the condition, the default block, then case constant and block in turn."""

    __slots__ = ()

    def __init__(self, condition: Value, default: Block, cases: Sequence[tuple[Value, Block]], **more: Any) -> None:
        super().__init__("switch", VOID, (condition, default, *[p for pair in cases for p in pair]), **more)

    @property
    def cases(self) -> list[tuple[Value, Block]]:
        ops = self.operands
        return [(ops[i], ops[i + 1]) for i in range(2, len(ops), 2)]  # type: ignore[misc]


class Unreachable(Instruction):
    __slots__ = ()

    def __init__(self, **more: Any) -> None:
        super().__init__("unreachable", VOID, (), **more)


class OtherInstruction(Instruction):
    """Any other instruction (landingpad, resume, va_arg, indirectbr, callbr, catchpad, ...).

    ``template`` is the printed text with ``{0}``, ``{1}``... where operands stand; see the printer.
    """

    __slots__ = ("template",)

    def __init__(self, opcode: str, type: Type, operands: Sequence[Value], template: str, **more: Any) -> None:
        super().__init__(opcode, type, operands, **more)
        self.template = template


class DebugRecord(Instruction):
    """``#dbg_value(...)`` and its kin: stands between instructions, has no effect. ``template`` as above."""

    __slots__ = ("template",)

    def __init__(self, opcode: str, operands: Sequence[Value], template: str) -> None:
        super().__init__(opcode, VOID, operands)
        self.template = template


# --- small helpers ---------------------------------------------------------------------------------------------------


def bool_like(type: Type) -> Type:
    """i1, or the vector of i1 with the shape of ``type``."""
    return VectorType(type.count, I1, type.scalable) if isinstance(type, VectorType) else I1


def element_type(type: Type, indices: Sequence[int]) -> Type:
    """The type reached from an aggregate by constant indices."""
    for index in indices:
        if isinstance(type, StructType):
            assert type.elements is not None
            type = type.elements[index]
        elif isinstance(type, ArrayType):
            type = type.element
        else:
            raise TypeError(f"{type} has no elements")
    return type


_COMPUTING = (BinaryOp, Cast, Compare, Freeze, GetElementPtr, Select, UnaryOp)


def is_speculatable(inst: Instruction) -> bool:
    """Whether an instruction only computes a value of its operands, and may do so wherever these are there. Calls are
    not looked into: of them the answer is no."""
    return isinstance(inst, _COMPUTING) and inst.opcode not in INT_DIVISIONS
