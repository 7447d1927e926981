"""A module: named things in printed order, each either an object or the text LLVM printed.

What the engine looks into are objects (functions, globals, aliases, named types); what it carries along is text
(comdats, module assembly, metadata definitions). Metadata nodes are text by number and are read only when asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from os.path import join, normpath

from enzyme.ir.layout import DataLayout
from enzyme.ir.lexer import plain_name
from enzyme.ir.types import FunctionType, PointerType, StructType, Type
from enzyme.ir.values import (
    CallBase,
    Constant,
    Function,
    GlobalAlias,
    GlobalValue,
    GlobalVariable,
    Instruction,
    Value,
    quote_name,
)
from enzyme.support.diagnostics import ParseError, SourceLocation

Entity = str | GlobalVariable | GlobalAlias | Function

_FIELD_LINE = re.compile(r"\bline: (\d+)")
_FIELD_COLUMN = re.compile(r"\bcolumn: (\d+)")
_FIELD_SCOPE = re.compile(r"\bscope: (![0-9]+)")
_FIELD_INLINED = re.compile(r"\binlinedAt: (![0-9]+)")
_FIELD_FILE = re.compile(r"\bfile: (![0-9]+)")
_FIELD_FILENAME = re.compile(r'\bfilename: "([^"]*)"')
_FIELD_DIRECTORY = re.compile(r'\bdirectory: "([^"]*)"')
_HEADER_DEBUG = re.compile(r"!dbg (![0-9]+)")
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")
_OF_TARGET = ('"target-cpu"', '"target-features"', '"tune-cpu"', '"prefer-vector-width"')
_NODE = re.compile(r"!\d+")


class Module:
    """One LLVM module.

    named_types: by printed name with the percent sign. attribute_groups: the words of each ``#N``.
    metadata: text right of the equals sign by key without the exclamation mark (``"12"``, ``"llvm.ident"``).
    entities: globals, aliases, functions and verbatim lines in printed order.
    address_taken: tokens of the numbered blocks whose address is taken, by function; they get a name when loaded.
    constants: scalar constants already made, shared by every body of the module.
    """

    def __init__(self, name: str = "module") -> None:
        self.name = name
        self.source_filename = ""
        self.datalayout = DataLayout()
        self.triple = ""
        self.assembly: list[str] = []
        self.comdats: list[str] = []
        self.functions: dict[str, Function] = {}
        self.globals: dict[str, GlobalVariable] = {}
        self.aliases: dict[str, GlobalAlias] = {}
        self.named_types: dict[str, StructType] = {}
        self.types_open = False
        self.attribute_groups: dict[int, tuple[str, ...]] = {}
        self.metadata: dict[str, str] = {}
        self.entities: list[Entity] = []
        self.constants: dict[tuple[Type, str], Constant] = {}
        self.address_taken: dict[str, set[str]] = {}
        self._names_given: dict[str, int] = {}
        self._next_metadata: int | None = None

    # --- looking up

    def get_function(self, name: str) -> Function | None:
        return self.functions.get(name)

    def symbol(self, token: str) -> GlobalValue:
        """The global value of a printed name such as ``@f`` or ``@"a b"``."""
        name = plain_name(token)
        found = self.functions.get(name) or self.globals.get(name) or self.aliases.get(name)
        if found is None:
            raise ParseError(f"the global {token} is used but not defined in this module")
        return found

    def type_named(self, token: str) -> StructType:
        """The struct type of a printed name such as ``%struct.S``.

        While type definitions are being read (``types_open``) an unknown name is one that is defined further down.
        """
        found = self.named_types.get(token)
        if found is None:
            if not self.types_open:
                raise ParseError(f"the type {token} is used but not defined in this module")
            found = self.named_types[token] = StructType.named(token)
        return found

    def has_symbol(self, name: str) -> bool:
        return name in self.functions or name in self.globals or name in self.aliases

    def unique_name(self, base: str) -> str:
        """``base``, or ``base.N`` with the smallest unused N; the name is not reserved."""
        if not self.has_symbol(base):
            return base
        count = self._names_given.get(base, 0) + 1
        while self.has_symbol(f"{base}.{count}"):
            count += 1
        self._names_given[base] = count
        return f"{base}.{count}"

    # --- adding

    def add_type(self, token: str, elements: Sequence[Type], packed: bool = False) -> StructType:
        """A new named struct; ``token`` is its printed name with the percent sign."""
        if token in self.named_types:
            raise ValueError(f"the module already has a type {token}")
        made = self.named_types[token] = StructType.named(token)
        made.set_body(tuple(elements), packed)
        return made

    def add_function(self, function: Function) -> Function:
        name = function.name or ""
        if self.has_symbol(name):
            raise ValueError(f"the module already has a global named {name!r}")
        function.module = self
        self.functions[name] = function
        self.entities.append(function)
        return function

    def declare_function(self, name: str, type: FunctionType, attrs: Sequence[str] = ()) -> Function:
        """The function of this name, declared now with ``attrs`` if it is not there."""
        found = self.functions.get(name)
        if found is None:
            found = Function(name, type)
            found.attrs = tuple(attrs)
            self.add_function(found)
        return found

    def add_global(
        self,
        name: str,
        type: Type,
        initializer: Value | None,
        linkage: str = "internal",
        constant: bool = False,
        align: int = 0,
        space: int = 0,
    ) -> GlobalVariable:
        """A new global variable, in an address space; without an initialiser it is external."""
        if self.has_symbol(name):
            raise ValueError(f"the module already has a global named {name!r}")
        made = GlobalVariable(
            name, type, initializer, constant, "external" if initializer is None else linkage, PointerType(space)
        )
        if align:
            value = f" {initializer.text}" if isinstance(initializer, Constant) else ""
            kind = "constant" if constant else "global"
            where = f"addrspace({space}) " if space else ""
            made.entity = f"@{quote_name(name)} = {made.linkage} {where}{kind} {type}{value}, align {align}"
        made.module = self
        self.globals[name] = made
        self.entities.append(made)
        return made

    def remove(self, value: Function | GlobalVariable | GlobalAlias) -> None:
        """Take a global value out; whoever asks knows that nothing refers to it."""
        tables: tuple[dict[str, Function], dict[str, GlobalVariable], dict[str, GlobalAlias]]
        tables = (self.functions, self.globals, self.aliases)
        for table in tables:
            if table.get(value.name or "") is value:
                table.pop(value.name or "")
        self.entities = [entity for entity in self.entities if entity is not value]
        value.module = None

    def add_metadata(self, text: str) -> str:
        """Define a new node; gives its reference ``!N``. ``{self}`` in the text stands for that reference.

        A node that refers to itself is how LLVM tells scopes and loops apart: ``distinct !{{self}, !3}``.
        """
        if self._next_metadata is None:
            self._next_metadata = 1 + max((int(key) for key in self.metadata if key.isdigit()), default=-1)
        number = self._next_metadata
        self._next_metadata += 1
        self.metadata[str(number)] = text.replace("{self}", f"!{number}")
        return f"!{number}"

    # --- attributes

    def resolve_attributes(self, words: Sequence[str]) -> frozenset[str]:
        """Attribute words with every group reference ``#N`` replaced by the group's words."""
        found: set[str] = set()
        for word in words:
            if word[0] == "#" and word[1:].isdigit():
                found.update(self.attribute_groups.get(int(word[1:]), ()))
            else:
                found.add(word)
        return frozenset(found)

    def fn_attributes(self, holder: Function | CallBase) -> frozenset[str]:
        """Function attributes of a function, or of a call together with those of the function it calls directly.

        For a call both sets of facts hold: ``memory(read)`` beside ``memory(none)`` means ``memory(none)``.
        """
        own = self.resolve_attributes(holder.attrs)
        if isinstance(holder, CallBase) and isinstance(holder.callee, Function):
            return own | self.resolve_attributes(holder.callee.attrs)
        return own

    def target_attributes(self, function: Function) -> tuple[str, ...]:
        """What a function says of the processor it is for, and of its vectors: so do functions made from it."""
        return tuple(sorted(word for word in self.fn_attributes(function) if word.startswith(_OF_TARGET)))

    # --- debug info

    def add_loop_metadata(self, *said: str) -> str:
        """A node for the branch back of a loop, apart from those of all others: what is ``said`` of it, each the text
        of a node (``"llvm.loop.unroll.disable"``, with its quotes) or a reference to one."""
        parts = [each if each.startswith("!") else self.add_metadata(f"!{{!{each}}}") for each in said]
        return self.add_metadata(f"distinct !{{{', '.join(['{self}', *parts])}}}")

    def loop_metadata(self, end: Instruction | None) -> list[str]:
        """References to what is said of the loop that a branch ends."""
        node = end.metadata.get("llvm.loop", "") if end is not None else ""
        return [each for each in _NODE.findall(self.metadata_text(node)) if each != node]

    def metadata_text(self, reference: str) -> str:
        """The definition behind ``!N``; an inline node stands for itself; "" when there is none."""
        if reference[1:].isdigit():
            return self.metadata.get(reference[1:], "")
        return reference

    def debug_location(self, instruction: Instruction) -> SourceLocation | None:
        """Where the instruction comes from, by its ``!dbg`` attachment; for inlined code the inlined line."""
        text = self.metadata_text(instruction.metadata.get("dbg", ""))
        return self._location(text) if "DILocation(" in text else None

    def function_location(self, function: Function) -> SourceLocation | None:
        """Where the function is defined (or declared), by the ``!dbg`` of its header."""
        text = self._header_of(function)
        return self._location(text) if "DISubprogram(" in text else None

    def _header_of(self, function: Function) -> str:
        found = _HEADER_DEBUG.search(" ".join((*function.prefix, function.suffix)))
        return self.metadata_text(found[1]) if found else ""

    def place_of(self, instruction: Instruction | None, function: Function) -> SourceLocation | None:
        """The best known place of an instruction: its own, that of the nearest one before or behind it in its block,
        or where its function is defined."""
        placed = self._placed(instruction)
        return self.debug_location(placed) if placed is not None else self.function_location(function)

    def line_of(self, instruction: Instruction | None, function: Function) -> str:
        """The best known line of an instruction, for what a program says when it stops; its function, where there is
        none."""
        place = self.place_of(instruction, function)
        return f"{place.file}:{place.line}" if place is not None else f"in {function.name}"

    def _placed(self, instruction: Instruction | None) -> Instruction | None:
        """An instruction, or the nearest one before or behind it in its block, with a place."""
        if instruction is None:
            return None
        others: list[Instruction] = []
        if instruction.block is not None:
            at = instruction.block.position(instruction)
            others = [*reversed(instruction.block.instructions[:at]), *instruction.block.instructions[at:]]
        places = ((each, self.debug_location(each)) for each in (instruction, *others))
        return next((each for each, found in places if found is not None and found.line), None)

    def reached_from(self, instruction: Instruction | None, function: Function) -> SourceLocation | None:
        """For an instruction that comes from a header: where in a file that is compiled itself the call stands that
        leads there, through whatever functions, inlined or not. None where that is not known."""
        files = {self._path_of(text) for text in self.metadata.values() if "DICompileUnit(" in text}
        placed = self._placed(instruction)
        if not files or self._path_of(self._dbg(placed) or self._header_of(function)) in files:
            return None
        seen, work = {function}, [(placed, function)]
        for inst, caller in work:
            for text in self._nodes(inst):
                if self._path_of(text) in files:
                    return self._location(text)
            for user in caller.users:
                if isinstance(user, CallBase) and user.function is not None and user.function not in seen:
                    seen.add(user.function)
                    work.append((user, user.function))
        return None

    def _dbg(self, instruction: Instruction | None) -> str:
        return self.metadata_text(instruction.metadata.get("dbg", "")) if instruction is not None else ""

    def _nodes(self, instruction: Instruction | None) -> Iterator[str]:
        """The place of an instruction, and those of the calls that it was inlined through, inner ones first."""
        text = self._dbg(instruction)
        while text:
            yield text
            found = _FIELD_INLINED.search(text)
            text = self.metadata_text(found[1]) if found is not None else ""

    def _location(self, text: str) -> SourceLocation | None:
        line, column, file = _FIELD_LINE.search(text), _FIELD_COLUMN.search(text), self._file_of(text)
        if line is None or file is None:
            return None
        return SourceLocation(file, int(line[1]), int(column[1]) if column else 0)

    def _file_of(self, text: str) -> str | None:
        """The name of the file that a node is in."""
        name = _FIELD_FILENAME.search(self._file_node(text))
        return _plain(name[1]) if name else None

    def _path_of(self, text: str) -> str | None:
        """The path of the file that a node is in: one file may be named in several ways."""
        node = self._file_node(text)
        name, folder = _FIELD_FILENAME.search(node), _FIELD_DIRECTORY.search(node)
        return normpath(join(_plain(folder[1]) if folder else "", _plain(name[1]))) if name else None

    def _file_node(self, text: str) -> str:
        """What is behind a node's ``file:``, or behind that of the nearest scope that has one."""
        for _ in range(64):  # lexical blocks nest; a cycle can only come from broken input
            file = _FIELD_FILE.search(text)
            if file is not None:
                return self.metadata_text(file[1])
            scope = _FIELD_SCOPE.search(text)
            if scope is None:
                break
            text = self.metadata_text(scope[1])
        return ""


def _plain(text: str) -> str:
    """A string of metadata without its escapes."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


_IN_FRONT = ("unnamed_addr", "local_unnamed_addr")


def in_order(attributes: Iterable[str]) -> tuple[str, ...]:
    """Attribute words of a function in an order that LLVM reads: it wants some before all others."""
    return tuple(sorted(attributes, key=lambda word: (word not in _IN_FRONT, word)))
