"""Values: constants, arguments, instructions, blocks, functions and globals, with use lists.

A value knows its users (``users``: each user instruction once, in order of first use, with its number of operand
slots). Pure constants are not tracked. An instruction's operands are changed only through ``set_operand``,
``replace_all_uses_with`` and ``drop_operands``, which keep the lists true; the verifier checks them.

One class per *shape* of instruction; ``opcode`` is LLVM's mnemonic. What an instruction carries beside operands:

- ``flags``: the keywords printed after the mnemonic (``nuw``, ``nsw``, ``exact``, ``disjoint``, ``nneg``,
  ``samesign``, ``inbounds``, fast-math words, ``volatile``, ``atomic``...), a tuple of strings in print order;
- ``metadata``: a dict from kind to the printed node, e.g. ``{"tbaa": "!10", "dbg": "!31"}``.
"""

from __future__ import annotations

import copy
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from enzyme.ir.types import (
    I1,
    LABEL,
    METADATA,
    PTR,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    StructType,
    Type,
    VectorType,
)

if TYPE_CHECKING:
    from enzyme.ir.module import Module


class Value:
    """Anything an instruction can use. ``name`` has no sigil; None or "" means the printer numbers it."""

    __slots__ = ("type", "name", "users")
    tracked = True

    def __init__(self, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self.users: dict[Instruction, int] = {}

    def replace_all_uses_with(self, new: Value) -> None:
        for user in list(self.users):
            for index, operand in enumerate(user.operands):
                if operand is self:
                    user.set_operand(index, new)
                elif isinstance(operand, MetadataValue) and operand.inner is self:
                    user.set_operand(index, MetadataValue(new))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.type} {self.name!r}>"


# --- constants -------------------------------------------------------------------------------------------------------


class Constant(Value):
    """A constant; ``text`` is its spelling without the type. Pure constants have no use list."""

    __slots__ = ()
    tracked = False

    @property
    def text(self) -> str:
        raise TypeError(f"{type(self).__name__} has no spelling")

    def constant_operands(self) -> tuple[Value, ...]:
        """Values this constant is made of (elements of aggregates, operands of constant expressions)."""
        return ()


class ConstantInt(Constant):
    """An integer; ``value`` is signed for widths above 1, as LLVM prints it, and 0 or 1 for i1."""

    __slots__ = ("value",)

    def __init__(self, type: Type, value: int) -> None:
        super().__init__(type)
        assert isinstance(type, IntType), type
        mask = (1 << type.bits) - 1
        value &= mask
        if type.bits > 1 and value >> (type.bits - 1):
            value -= 1 << type.bits
        self.value = value

    @property
    def text(self) -> str:
        if self.type is I1:
            return "true" if self.value else "false"
        return str(self.value)


class ConstantFloat(Constant):
    """A floating-point constant, kept as LLVM prints it; ``value`` is the nearest Python float."""

    __slots__ = ("spelling",)

    def __init__(self, type: Type, spelling: str) -> None:
        super().__init__(type)
        self.spelling = spelling

    @classmethod
    def of(cls, type: Type, value: float) -> ConstantFloat:
        """The constant ``value`` rounded to ``type``."""
        return cls(type, _float_spelling(type, value))

    @property
    def text(self) -> str:
        return self.spelling

    @property
    def value(self) -> float:
        return _float_value(self.spelling)


class ConstantToken(Constant):
    """``null``, ``undef``, ``poison``, ``zeroinitializer`` or ``none``: a keyword of any type."""

    __slots__ = ("keyword",)

    def __init__(self, type: Type, keyword: str) -> None:
        super().__init__(type)
        self.keyword = keyword

    @property
    def text(self) -> str:
        return self.keyword


class ConstantAggregate(Constant):
    """An array, struct, packed struct, vector or splat with element values (constants)."""

    __slots__ = ("elements", "splat")

    def __init__(self, type: Type, elements: Sequence[Value], splat: bool = False) -> None:
        super().__init__(type)
        self.elements = tuple(elements)
        self.splat = splat

    @property
    def text(self) -> str:
        inner = ", ".join(typed(e) for e in self.elements)
        if self.splat:
            return f"splat ({inner})"
        if isinstance(self.type, ArrayType):
            return f"[{inner}]"
        if isinstance(self.type, VectorType):
            return f"<{inner}>"
        assert isinstance(self.type, StructType)
        inner = f"{{ {inner} }}" if inner else "{}"
        return f"<{inner}>" if self.type.packed else inner

    def constant_operands(self) -> tuple[Value, ...]:
        return self.elements


class ConstantString(Constant):
    """``c"..."``; ``spelling`` includes the c and the quotes."""

    __slots__ = ("spelling",)

    def __init__(self, type: Type, spelling: str) -> None:
        super().__init__(type)
        self.spelling = spelling

    @property
    def text(self) -> str:
        return self.spelling


class ConstantExpr(Constant):
    """A constant expression: ``opcode flags (operands)``.

    ``source_type`` is the element type of a getelementptr; ``flags`` its keywords (``inbounds``, ``nuw``,
    ``inrange(-16, 32)``); a cast's target is ``type``.
    """

    __slots__ = ("opcode", "flags", "args", "source_type")

    def __init__(
        self, type: Type, opcode: str, args: Sequence[Value], flags: Sequence[str] = (), source_type: Type | None = None
    ) -> None:
        super().__init__(type)
        self.opcode, self.args, self.flags, self.source_type = opcode, tuple(args), tuple(flags), source_type

    @property
    def text(self) -> str:
        head = " ".join((self.opcode, *self.flags))
        inner = ", ".join(typed(a) for a in self.args)
        if self.opcode == "getelementptr":
            return f"{head} ({self.source_type}, {inner})"
        if self.opcode in CAST_OPCODES:
            return f"{head} ({inner} to {self.type})"
        return f"{head} ({inner})"

    def constant_operands(self) -> tuple[Value, ...]:
        return self.args


class OpaqueConstant(Constant):
    """A constant kept verbatim: blockaddress, dso_local_equivalent, no_cfi, ptrauth."""

    __slots__ = ("spelling",)

    def __init__(self, type: Type, spelling: str) -> None:
        super().__init__(type)
        self.spelling = spelling

    @property
    def text(self) -> str:
        return self.spelling


class InlineAsm(Constant):
    """The callee of an inline-assembly call; ``spelling`` is everything from ``asm`` on."""

    __slots__ = ("spelling",)

    def __init__(self, spelling: str) -> None:
        super().__init__(PTR)
        self.spelling = spelling

    @property
    def text(self) -> str:
        return self.spelling


class MetadataOperand(Constant):
    """A metadata argument of a call: ``metadata !3``, ``metadata !"round.tonearest"``, ``metadata !DIExpression()``.

    A metadata-wrapped local value (``metadata i32 %x``) is a :class:`MetadataValue` instead.
    """

    __slots__ = ("spelling",)

    def __init__(self, spelling: str) -> None:
        super().__init__(METADATA)
        self.spelling = spelling

    @property
    def text(self) -> str:
        return self.spelling


class MetadataValue(Value):
    """``metadata TYPE VALUE``: a value wrapped for a metadata argument. The wrapped value is ``inner``."""

    __slots__ = ("inner",)
    tracked = False

    def __init__(self, inner: Value) -> None:
        super().__init__(METADATA)
        self.inner = inner


# --- things with bodies ----------------------------------------------------------------------------------------------


class Argument(Value):
    """A parameter: ``attrs`` are its attributes as printed words, ``index`` its position."""

    __slots__ = ("attrs", "index", "function")

    def __init__(self, type: Type, name: str | None, index: int, attrs: Sequence[str] = ()) -> None:
        super().__init__(type, name)
        self.index = index
        self.attrs: tuple[str, ...] = tuple(attrs)
        self.function: Function | None = None

    def has_attr(self, name: str) -> bool:
        return any(a == name or a.startswith((name + "(", name + " ")) for a in self.attrs)


class Block(Value):
    """A basic block: phis first, one terminator last."""

    __slots__ = ("instructions", "function")

    def __init__(self, name: str | None = None) -> None:
        super().__init__(LABEL, name)
        self.instructions: list[Instruction] = []
        self.function: Function | None = None

    def append(self, instruction: Instruction) -> Instruction:
        instruction.block = self
        self.instructions.append(instruction)
        return instruction

    def insert(self, index: int, instruction: Instruction) -> Instruction:
        instruction.block = self
        self.instructions.insert(index, instruction)
        return instruction

    @property
    def terminator(self) -> Instruction | None:
        last = self.instructions[-1] if self.instructions else None
        return last if last is not None and last.is_terminator else None

    @property
    def phis(self) -> list[Phi]:
        found: list[Phi] = []
        for inst in self.instructions:
            if not isinstance(inst, Phi):
                break
            found.append(inst)
        return found

    @property
    def successors(self) -> list[Block]:
        """Successor blocks in operand order; a block may appear twice (switch)."""
        end = self.terminator
        return [op for op in end.operands if isinstance(op, Block)] if end is not None else []

    @property
    def predecessors(self) -> list[Block]:
        """Predecessor blocks, each once, in order of first use."""
        found: dict[Block, None] = {}
        for user in self.users:
            if user.is_terminator and user.block is not None:
                found[user.block] = None
        return list(found)


class GlobalValue(Constant):
    """A global's address, of pointer type. Its printed form is ``@name`` (quoted when needed)."""

    __slots__ = ("module",)
    tracked = True

    def __init__(self, type: Type, name: str) -> None:
        super().__init__(type, name)
        self.module: Module | None = None

    @property
    def text(self) -> str:
        return "@" + quote_name(self.name or "")


class GlobalVariable(GlobalValue):
    """``@g = ... global TYPE init``. ``entity`` is the module's printed line; parsed parts beside it.

    ``initializer`` is read from the line when it is first asked for. Setting it drops ``entity``: the printer then
    prints the parts.
    """

    __slots__ = ("value_type", "_initializer", "is_constant", "linkage", "entity", "_loader")

    def __init__(
        self,
        name: str,
        value_type: Type,
        initializer: Value | None,
        is_constant: bool,
        linkage: str = "",
        addrspace_type: Type = PTR,
        entity: str | None = None,
    ) -> None:
        super().__init__(addrspace_type, name)
        self.value_type, self._initializer, self.is_constant = value_type, initializer, is_constant
        self.linkage, self.entity = linkage, entity
        self._loader: Any = None  # callable(GlobalVariable) -> Value, set by the parser when there is an initialiser

    @property
    def initializer(self) -> Value | None:
        if self._loader is not None:
            loader, self._loader = self._loader, None
            self._initializer = loader(self)
        return self._initializer

    @initializer.setter
    def initializer(self, value: Value | None) -> None:
        self._loader, self._initializer, self.entity = None, value, None


class GlobalAlias(GlobalValue):
    """``@a = alias ...`` or ifunc; ``aliasee`` when it is a plain constant."""

    __slots__ = ("_aliasee", "entity", "_loader")

    def __init__(self, name: str, aliasee: Value | None, entity: str) -> None:
        super().__init__(PTR, name)
        self._aliasee, self.entity = aliasee, entity
        self._loader: Any = None  # callable(GlobalAlias) -> Value, set by the parser

    @property
    def aliasee(self) -> Value | None:
        if self._loader is not None:
            loader, self._loader = self._loader, None
            self._aliasee = loader(self)
        return self._aliasee


class Function(GlobalValue):
    """A function: a declaration while ``blocks`` is empty and ``body_text`` is None.

    ``prefix`` are the printed words between ``define`` or ``declare`` and the result type (linkage, visibility,
    calling convention), ``result_attrs`` the result's attributes, ``attrs`` the function's attributes after the
    parameter list (words, and group references such as ``#3``), ``suffix`` what follows them up to the brace (section,
    comdat, align, gc, personality, ``!dbg !4``). ``blocks`` parses the body on first use when ``body_text`` is set.
    """

    __slots__ = (
        "function_type",
        "args",
        "_blocks",
        "prefix",
        "result_attrs",
        "attrs",
        "suffix",
        "body_text",
        "_loader",
    )

    def __init__(self, name: str, function_type: FunctionType, arg_names: Sequence[str | None] = ()) -> None:
        super().__init__(PTR, name)
        self.function_type = function_type
        self.args: list[Argument] = []
        for index, param in enumerate(function_type.params):
            argument = Argument(param, arg_names[index] if index < len(arg_names) else None, index)
            argument.function = self
            self.args.append(argument)
        self._blocks: list[Block] = []
        self.prefix: tuple[str, ...] = ()
        self.result_attrs: tuple[str, ...] = ()
        self.attrs: tuple[str, ...] = ()
        self.suffix: str = ""
        self.body_text: str | None = None
        self._loader: Any = None  # callable(Function) -> None, set by the parser with body_text

    @property
    def result_type(self) -> Type:
        return self.function_type.result

    @property
    def is_declaration(self) -> bool:
        return not self._blocks and self.body_text is None

    @property
    def blocks(self) -> list[Block]:
        if self.body_text is not None and self._loader is not None and not self._blocks:
            self._loader(self)
            self._loader = None
        return self._blocks

    @property
    def is_loaded(self) -> bool:
        """False while the body is only text."""
        return bool(self._blocks) or self.body_text is None

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    def append_block(self, block: Block | str | None = None) -> Block:
        made = block if isinstance(block, Block) else Block(block)
        made.function = self
        self._blocks.append(made)
        return made

    def instructions(self) -> Iterator[Instruction]:
        for block in self.blocks:
            yield from block.instructions


# --- instructions ----------------------------------------------------------------------------------------------------

FAST_MATH_FLAGS = ("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc")
CAST_OPCODES = frozenset(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast".split()
)
INT_BINARY_OPCODES = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split())
FLOAT_BINARY_OPCODES = frozenset("fadd fsub fmul fdiv frem".split())
TERMINATOR_OPCODES = frozenset(
    "ret br switch indirectbr invoke callbr resume catchswitch catchret cleanupret unreachable".split()
)


class Instruction(Value):
    """Base of all instructions; see the module docstring for ``flags`` and ``metadata``."""

    __slots__ = ("opcode", "operands", "flags", "metadata", "block")

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

    def drop_operands(self) -> None:
        for operand in self.operands:
            self._unregister(operand)
        self.operands = []

    def erase(self) -> None:
        """Take the instruction out of its block and drop its uses; it must itself be unused."""
        assert not self.users, f"erasing a used instruction: {self!r}"
        if self.block is not None:
            self.block.instructions.remove(self)
            self.block = None
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


def zero(type: Type) -> Constant:
    """The null value of any first-class type."""
    if isinstance(type, IntType):
        return ConstantInt(type, 0)
    if isinstance(type, FloatType):
        return ConstantFloat.of(type, 0.0)
    return ConstantToken(type, "null" if type.is_pointer else "zeroinitializer")


def is_zero(value: Value) -> bool:
    """True for constants that are (positive) zero in every element."""
    if isinstance(value, ConstantToken):
        return value.keyword in ("null", "zeroinitializer")
    if isinstance(value, ConstantInt):
        return value.value == 0
    if isinstance(value, ConstantFloat):
        return value.value == 0.0 and not value.spelling.startswith("-") and "8000" not in value.spelling
    return isinstance(value, ConstantAggregate) and all(map(is_zero, value.elements))


_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._")


def quote_name(name: str) -> str:
    """``name`` as LLVM prints it after a sigil: bare when plain, else quoted. Names are kept in escaped form.

    Bare digits are the number of an unnamed global; a name that LLVM quotes because it is only digits is kept with
    its first digit escaped.
    """
    if name.isdigit() or (name and not name[0].isdigit() and _PLAIN.issuperset(name)):
        return name
    return f'"{name}"'


def typed(value: Value) -> str:
    """``TYPE TEXT`` of a constant."""
    assert isinstance(value, Constant), value
    return f"{value.type} {value.text}"


def _packed(format: str, value: float) -> bytes:
    """``struct.pack`` that rounds what is too large to infinity."""
    try:
        return struct.pack(format, value)
    except OverflowError:
        return struct.pack(format, math.copysign(math.inf, value))


def _rounded_to_bfloat(value: float) -> float:
    """The nearest multiple of bfloat's last place; rounding to float first would round twice."""
    if not math.isfinite(value) or value == 0.0:
        return value
    if abs(value) > 2.0**128:
        return math.copysign(math.inf, value)
    exponent = max(math.frexp(value)[1] - 1, -126) - 7
    return math.copysign(math.ldexp(round(math.ldexp(value, -exponent)), exponent), value)


def _float_spelling(type: Type, value: float) -> str:
    assert isinstance(type, FloatType)
    if type.kind == "float":
        (value,) = struct.unpack("<f", _packed("<f", value))
    if type.kind in ("float", "double"):
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if type.kind == "half":
        return f"0xH{struct.unpack('<H', _packed('<e', value))[0]:04X}"
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    if type.kind == "bfloat":
        return f"0xR{struct.unpack('<I', _packed('<f', _rounded_to_bfloat(value)))[0] >> 16:04X}"
    sign, exponent, fraction = bits >> 63, (bits >> 52) & 0x7FF, bits & ((1 << 52) - 1)
    if type.kind == "ppc_fp128":
        return f"0xM{bits:016X}{0:016X}"
    if exponent == 0 and fraction:  # a subnormal double is normal in the wider formats
        shift = 53 - fraction.bit_length()
        fraction, exponent = (fraction << shift) & ((1 << 52) - 1), 1 - shift
    wide = 0 if exponent == 0 and not fraction else 0x7FFF if exponent == 0x7FF else exponent - 1023 + 16383
    if type.kind == "x86_fp80":
        mantissa = (fraction << 11) | ((1 << 63) if wide else 0)
        return f"0xK{(sign << 15) | wide:04X}{mantissa:016X}"
    quad = (sign << 127) | (wide << 112) | (fraction << 60)
    return f"0xL{quad & (2**64 - 1):016X}{quad >> 64:016X}"  # LLVM prints the low half first


def _float_value(text: str) -> float:
    if not text.startswith("0x"):
        return float(text)
    kind, digits = text[2], text[3:]
    if kind == "H":
        return float(struct.unpack("<e", struct.pack("<H", int(digits, 16)))[0])
    if kind == "R":
        return float(struct.unpack("<f", struct.pack("<I", int(digits, 16) << 16))[0])
    if kind in "KL":
        if kind == "K":
            head, mantissa, width = int(digits[:4], 16), int(digits[4:], 16), 63
        else:
            quad = int(digits[16:], 16) << 64 | int(digits[:16], 16)
            head, mantissa, width = quad >> 112, quad & ((1 << 112) - 1), 112
            mantissa |= (1 << 112) if head & 0x7FFF else 0
        sign, exponent = -1.0 if head >> 15 else 1.0, head & 0x7FFF
        if exponent == 0x7FFF:
            return sign * (float("inf") if mantissa & ((1 << width) - 1) == 0 else float("nan"))
        try:
            return sign * math.ldexp(mantissa, exponent - 16383 - width)
        except OverflowError:
            return sign * float("inf")
    if kind == "M":
        return float(struct.unpack("<d", struct.pack("<Q", int(digits[:16], 16)))[0])
    return float(struct.unpack("<d", struct.pack("<Q", int(text[2:], 16)))[0])
