"""Things with bodies: blocks, functions, globals and parameters. Import them from :mod:`enzyme.ir.values`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

from enzyme.ir.constants import Constant, Value, quote_name
from enzyme.ir.types import LABEL, PTR, FunctionType, Type

if TYPE_CHECKING:
    from enzyme.ir.instructions import Instruction, Phi
    from enzyme.ir.module import Module


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


_STEP, _NEAR = 1 << 60, 1 << 30
"""Distance of the order numbers of instructions that are appended, and of one put between two others."""

_order = attrgetter("order")


class Block(Value):
    """A basic block: phis first, one terminator last.

    Instructions carry ascending order numbers, so that the place of one in a block of thousands is found at once.
    """

    __slots__ = ("instructions", "function")

    def __init__(self, name: str | None = None) -> None:
        super().__init__(LABEL, name)
        self.instructions: list[Instruction] = []
        self.function: Function | None = None

    def append(self, instruction: Instruction) -> Instruction:
        instruction.block = self
        instruction.order = self.instructions[-1].order + _STEP if self.instructions else 0
        self.instructions.append(instruction)
        return instruction

    def insert(self, index: int, instruction: Instruction) -> Instruction:
        if index >= len(self.instructions):
            return self.append(instruction)
        assert index >= 0
        following = self.instructions[index].order
        before = self.instructions[index - 1].order if index else following - 2 * _STEP
        instruction.block = self
        instruction.order = before + min((following - before) // 2, _STEP if not index else _NEAR)
        self.instructions.insert(index, instruction)
        if instruction.order == before:
            self._renumber()
        return instruction

    def prepend(self, instructions: Sequence[Instruction]) -> None:
        """Put instructions in front of all others."""
        following = self.instructions[0].order if self.instructions else 0
        for distance, each in enumerate(reversed(instructions), 1):
            each.block, each.order = self, following - distance * _STEP
        self.instructions[:0] = instructions

    def insert_before(self, place: Instruction, instruction: Instruction) -> Instruction:
        """Put an instruction right before another one of this block."""
        return self.insert(self.position(place), instruction)

    def remove(self, instruction: Instruction) -> None:
        """Take an instruction out."""
        del self.instructions[self.position(instruction)]
        instruction.block = None

    def position(self, instruction: Instruction) -> int:
        """The index of an instruction of this block."""
        for _ in range(2):
            at = bisect_left(self.instructions, instruction.order, key=_order)
            if at < len(self.instructions) and self.instructions[at] is instruction:
                return at
            self._renumber()  # the list has been changed directly
        raise ValueError(f"{instruction!r} is not in block {self.name!r}")

    def _renumber(self) -> None:
        for number, each in enumerate(self.instructions):
            each.order = number * _STEP

    @property
    def terminator(self) -> Instruction | None:
        last = self.instructions[-1] if self.instructions else None
        return last if last is not None and last.is_terminator else None

    @property
    def phis(self) -> list[Phi]:
        found: list[Phi] = []
        for inst in self.instructions:
            if inst.opcode != "phi":
                break
            found.append(cast("Phi", inst))
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

    def forget_body(self) -> None:
        """Make it a declaration; nothing may refer to its blocks."""
        self._blocks, self.body_text, self._loader = [], None, None

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
