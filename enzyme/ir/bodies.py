"""Function bodies from text to blocks and instructions.

LLVM prints one statement a line; what continues a statement (cases of a switch, clauses of a landingpad, successors
of an invoke) is indented deeper. A local used before its definition (phis, blocks) is a placeholder that is replaced
when the definition is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from typing import TYPE_CHECKING

from enzyme.ir.instruction_reader import READERS, InstructionReader
from enzyme.ir.lexer import tokenize
from enzyme.ir.reader import local_name, reading
from enzyme.ir.types import LABEL, Type
from enzyme.ir.values import Block, Function, Instruction, Value
from enzyme.support.diagnostics import ParseError

if TYPE_CHECKING:
    from enzyme.ir.module import Module

_LABEL = re.compile(r'("[^"]*"|[-\w$.\\]+):')


def statements(text: str) -> list[str]:
    """A body's labels and instructions in order, each as one string; labels start in the first column."""
    found: list[str] = []
    for line in text.split("\n"):
        if not line or line.isspace():
            continue
        if line[0] != " ":
            if line[0] != ";":
                found.append(line)
        elif found and line.startswith(("   ", "  ]")) and not line.startswith("    #dbg"):
            found[-1] += "\n" + line
        elif not line.startswith(("  uselistorder", "  ;")):
            found.append(line)
    return found


def address_taken_name(token: str) -> str:
    """The name given to a numbered block that a blockaddress refers to."""
    return f"address_taken.{token[1:]}"


class _Body:
    """The state of one body being read."""

    def __init__(self, module: Module, function: Function) -> None:
        self.function = function
        self.reader = InstructionReader(module, [])
        self.reader.placeholder = self.make_placeholder
        self.locals = self.reader.locals
        self.pending: dict[str, Value] = {}
        self.blocks: list[Block] = []
        self.next_number = 0
        self.address_taken: Set[str] = module.address_taken.get(function.name or "", frozenset())
        for argument in function.args:
            self.define(argument, None if argument.name is None else f"%{argument.name}")
            if argument.name is not None:  # as LLVM prints a name that needs quotes
                self.locals[f'%"{argument.name}"'] = argument

    def make_placeholder(self, token: str, type: Type) -> Value:
        made = Block(self.block_name(token)) if type is LABEL else Value(type)
        self.pending[token] = self.locals[token] = made
        return made

    def block_name(self, token: str) -> str | None:
        """The name of a block; one whose address is taken has a name of its own, so that it cannot be renumbered."""
        return address_taken_name(token) if token in self.address_taken else local_name(token)

    def define(self, value: Value, token: str | None) -> None:
        """Enter a definition; without a token it takes the next number."""
        if token is None:
            token = f"%{self.next_number}"
            self.next_number += 1
        elif token[1:].isdigit():
            self.next_number = int(token[1:]) + 1
        waiting = self.pending.pop(token, None)
        if waiting is not None:
            if waiting.type is not value.type:
                raise self.reader.fail(f"{token} is used as {waiting.type} and defined as {value.type}")
            waiting.replace_all_uses_with(value)
        elif token in self.locals:
            raise self.reader.fail(f"{token} is defined twice")
        self.locals[token] = value

    def begin_block(self, token: str | None) -> Block:
        """The block of a label; the one made at its first use when there was one."""
        if token is not None and isinstance(waiting := self.pending.get(token), Block):
            del self.pending[token]
            block = waiting
            if token[1:].isdigit():
                self.next_number = int(token[1:]) + 1
        else:
            block = Block(None if token is None else self.block_name(token))
            self.define(block, token)
        block.function = self.function
        self.blocks.append(block)
        return block

    def read(self, text: str) -> None:
        reader = self.reader
        block: Block | None = None
        for statement in statements(text):
            if statement[0] != " ":
                found = _LABEL.match(statement)
                if found is None:
                    raise ParseError("cannot read this label", instruction=statement[:300])
                block = self.begin_block("%" + found[1])
                continue
            if block is None:
                block = self.begin_block(None)
            reader.source = statement
            reader.tokens = tokens = tokenize(statement)
            token: str | None = None
            if tokens[1] == "=":
                token = tokens[0]
                reader.at = 2
            else:
                reader.at = 0
            instruction = self.instruction()
            block.append(instruction)
            if token is not None:
                instruction.name = local_name(token)
                self.define(instruction, token)
        if self.pending:
            token = next(iter(self.pending))
            raise ParseError(f"the local value {token} is used but not defined")

    def instruction(self) -> Instruction:
        reader = self.reader
        opcode = reader.tokens[reader.at]
        method: Callable[[InstructionReader, str], Instruction] | None = READERS.get(opcode)
        if method is None:
            raise reader.fail("unknown instruction")
        reader.at += 1
        made = method(reader, opcode)
        made.metadata = reader.attachments()
        return made


def load_body(function: Function) -> None:
    """Parse ``function.body_text`` into blocks; the text is dropped."""
    assert function.module is not None and function.body_text is not None
    body = _Body(function.module, function)
    try:
        with reading(""):
            body.read(function.body_text)
    except ParseError as problem:
        for block in body.blocks:  # leave no uses behind in arguments and globals
            for inst in block.instructions:
                inst.drop_operands()
        raise ParseError(
            problem.what,
            function=function.name,
            instruction=problem.instruction or body.reader.source.strip()[:300],
            why=problem.why,
            hint=problem.hint,
        ) from problem
    function._blocks = body.blocks
    function.body_text = None
