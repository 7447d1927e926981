"""One reading method per shape of instruction, and the table from opcode to method."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from enzyme.ir.lexer import END, join_tokens, matching_close, read_attribute
from enzyme.ir.reader import Reader
from enzyme.ir.types import I32, LABEL, METADATA, PTR, TOKEN, VOID, FunctionType, PointerType, VectorType
from enzyme.ir.values import (
    CAST_OPCODES,
    FAST_MATH_FLAGS,
    FLOAT_BINARY_OPCODES,
    INT_BINARY_OPCODES,
    Alloca,
    AtomicRMW,
    BinaryOp,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    ConstantInt,
    DebugRecord,
    ExtractElement,
    ExtractValue,
    Fence,
    Freeze,
    GetElementPtr,
    InlineAsm,
    InsertElement,
    InsertValue,
    Instruction,
    Invoke,
    Load,
    OtherInstruction,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    Switch,
    UnaryOp,
    Unreachable,
    Value,
)

_FAST_MATH = frozenset(FAST_MATH_FLAGS)
_FLAGS = _FAST_MATH | frozenset("nuw nsw exact disjoint nneg samesign inbounds nusw".split())
_MEMORY_FLAGS = frozenset({"atomic", "volatile"})
_ALLOCA_FLAGS = frozenset({"inalloca", "swifterror"})
_ASM_WORDS = frozenset({"sideeffect", "alignstack", "inteldialect", "unwind"})
_ONE = ConstantInt(I32, 1)
_MARK = re.compile(r"\{(\d+)\}")


class _Template:
    """Text with ``{N}`` (typed) and ``{=N}`` (bare) marks for operands."""

    def __init__(self) -> None:
        self.operands: list[Value] = []

    def typed(self, value: Value) -> str:
        self.operands.append(value)
        return f"{{{len(self.operands) - 1}}}"

    def bare(self, value: Value) -> str:
        self.operands.append(value)
        return f"{{={len(self.operands) - 1}}}"


class InstructionReader(Reader):
    """Reads what follows the opcode; the body parser reads the trailing metadata."""

    __slots__ = ()

    # --- arithmetic

    def binary(self, opcode: str) -> Instruction:
        flags = self.words_in(_FLAGS)
        type = self.type()
        left = self.value(type)
        self.expect(",")
        return BinaryOp(opcode, left, self.value(type), flags=flags)

    def unary(self, opcode: str) -> Instruction:
        flags = self.words_in(_FLAGS)
        return UnaryOp(opcode, self.typed_value(), flags=flags)

    def cast(self, opcode: str) -> Instruction:
        flags = self.words_in(_FLAGS)
        value = self.typed_value()
        self.expect("to")
        return Cast(opcode, value, self.type(), flags=flags)

    def compare(self, opcode: str) -> Instruction:
        flags = self.words_in(_FLAGS)
        predicate = self.take()
        type = self.type()
        left = self.value(type)
        self.expect(",")
        return Compare(opcode, predicate, left, self.value(type), flags=flags)

    def select(self, opcode: str) -> Instruction:
        flags = self.words_in(_FLAGS)
        condition, if_true, if_false = self.typed_list()
        return Select(condition, if_true, if_false, flags=flags)

    def freeze(self, opcode: str) -> Instruction:
        return Freeze(self.typed_value())

    def phi(self, opcode: str) -> Instruction:
        flags = self.words_in(_FLAGS)
        type = self.type()
        made = Phi(type, flags=flags)
        tokens, label = self.tokens, self.locals
        if tokens[self.at] != "[":
            return made
        while True:
            self.expect("[")
            made.add_operand(self.value(type))
            self.expect(",")
            token = self.take()
            block = label.get(token)
            made.add_operand(block if block is not None else self.placeholder(token, LABEL))
            self.expect("]")
            if tokens[self.at] == "," and tokens[self.at + 1] == "[":
                self.at += 1
            else:
                return made

    # --- memory

    def alloca(self, opcode: str) -> Instruction:
        flags = self.words_in(_ALLOCA_FLAGS)
        type = self.type()
        count: Value = _ONE
        align, pointer = 0, PTR
        while self.tokens[self.at] == "," and self.tokens[self.at + 1][0] != "!":
            self.at += 1
            if self.accept("align"):
                align = self.number()
            elif self.accept("addrspace"):
                self.expect("(")
                pointer = PointerType(self.number())
                self.expect(")")
            else:
                count = self.typed_value()
        return Alloca(type, count, align, pointer, flags=flags)

    def load(self, opcode: str) -> Instruction:
        flags = self.words_in(_MEMORY_FLAGS)
        type = self.type()
        self.expect(",")
        pointer = self.typed_value()
        ordering = self.until_comma() if "atomic" in flags else ""
        return Load(type, pointer, self.alignment(), ordering, flags=flags)

    def store(self, opcode: str) -> Instruction:
        flags = self.words_in(_MEMORY_FLAGS)
        value = self.typed_value()
        self.expect(",")
        pointer = self.typed_value()
        ordering = self.until_comma() if "atomic" in flags else ""
        return Store(value, pointer, self.alignment(), ordering, flags=flags)

    def getelementptr(self, opcode: str) -> Instruction:
        flags: list[str] = []
        while self.tokens[self.at] in _FLAGS or self.tokens[self.at] == "inrange":
            word, self.at = read_attribute(self.tokens, self.at)
            flags.append(word)
        source_type = self.type()
        self.expect(",")
        base, *indices = self.typed_list()
        type = base.type
        if not type.is_vector:
            for index in indices:
                if isinstance(index.type, VectorType):
                    type = VectorType(index.type.count, base.type, index.type.scalable)
                    break
        return GetElementPtr(source_type, base, indices, type, flags=flags)

    def atomicrmw(self, opcode: str) -> Instruction:
        flags = self.words_in(_MEMORY_FLAGS)
        operation = self.take()
        pointer, value = self.typed_list()
        return AtomicRMW(operation, pointer, value, self.until_metadata(), flags=flags)

    def cmpxchg(self, opcode: str) -> Instruction:
        flags = self.words_in(frozenset({"weak", "volatile"}))
        pointer, expected, new = self.typed_list()
        return CompareExchange(pointer, expected, new, self.until_metadata(), flags=flags)

    def fence(self, opcode: str) -> Instruction:
        return Fence(self.until_metadata())

    # --- aggregates and vectors

    def extractvalue(self, opcode: str) -> Instruction:
        aggregate = self.typed_value()
        return ExtractValue(aggregate, self.index_list())

    def insertvalue(self, opcode: str) -> Instruction:
        aggregate = self.typed_value()
        self.expect(",")
        element = self.typed_value()
        return InsertValue(aggregate, element, self.index_list())

    def extractelement(self, opcode: str) -> Instruction:
        vector, index = self.typed_list()
        return ExtractElement(vector, index)

    def insertelement(self, opcode: str) -> Instruction:
        vector, element, index = self.typed_list()
        return InsertElement(vector, element, index)

    def shufflevector(self, opcode: str) -> Instruction:
        first, second, mask = self.typed_list()
        return ShuffleVector(first, second, mask)

    # --- control flow

    def ret(self, opcode: str) -> Instruction:
        type = self.type()
        return Return() if type is VOID else Return(self.value(type))

    def br(self, opcode: str) -> Instruction:
        if self.tokens[self.at] == "label":
            return Branch(self.block())
        condition = self.typed_value()
        self.expect(",")
        if_true = self.block()
        self.expect(",")
        return Branch(condition, if_true, self.block())

    def switch(self, opcode: str) -> Instruction:
        condition = self.typed_value()
        self.expect(",")
        default = self.block()
        self.expect("[")
        cases: list[tuple[Value, Block]] = []
        while not self.accept("]"):
            value = self.typed_value()
            self.expect(",")
            cases.append((value, self.block()))
        return Switch(condition, default, cases)

    def unreachable(self, opcode: str) -> Instruction:
        return Unreachable()

    def indirectbr(self, opcode: str) -> Instruction:
        made = _Template()
        address = made.typed(self.typed_value())
        self.expect(",")
        text = f"indirectbr {address}, {self.labels(made)}"
        return OtherInstruction(opcode, VOID, made.operands, text)

    def resume(self, opcode: str) -> Instruction:
        return OtherInstruction(opcode, VOID, [self.typed_value()], "resume {0}")

    def va_arg(self, opcode: str) -> Instruction:
        pointer = self.typed_value()
        self.expect(",")
        type = self.type()
        return OtherInstruction(opcode, type, [pointer], f"va_arg {{0}}, {type}")

    # --- exceptions

    def landingpad(self, opcode: str) -> Instruction:
        type = self.type()
        made = _Template()
        text = f"landingpad {type}"
        if self.accept("cleanup"):
            text += " cleanup"
        while self.tokens[self.at] in ("catch", "filter"):
            text += f" {self.take()} {made.typed(self.typed_value())}"
        return OtherInstruction(opcode, type, made.operands, text)

    def catchswitch(self, opcode: str) -> Instruction:
        made = _Template()
        text = f"catchswitch within {self.pad(made)} {self.labels(made)} unwind "
        self.expect("unwind")
        return OtherInstruction(opcode, TOKEN, made.operands, text + self.unwind_target(made))

    def pad_with_arguments(self, opcode: str) -> Instruction:
        """catchpad and cleanuppad."""
        made = _Template()
        text = f"{opcode} within {self.pad(made)} ["
        self.expect("[")
        args: list[str] = []
        while not self.accept("]"):
            args.append(made.typed(self.typed_value()))
            self.accept(",")
        return OtherInstruction(opcode, TOKEN, made.operands, f"{text}{', '.join(args)}]")

    def catchret(self, opcode: str) -> Instruction:
        made = _Template()
        self.expect("from")
        source = made.bare(self.value(TOKEN))
        self.expect("to")
        return OtherInstruction(opcode, VOID, [*made.operands, self.block()], f"catchret from {source} to {{1}}")

    def cleanupret(self, opcode: str) -> Instruction:
        made = _Template()
        self.expect("from")
        source = made.bare(self.value(TOKEN))
        self.expect("unwind")
        text = f"cleanupret from {source} unwind {self.unwind_target(made)}"
        return OtherInstruction(opcode, VOID, made.operands, text)

    def pad(self, made: _Template) -> str:
        """``within none`` or ``within %pad``."""
        self.expect("within")
        return "none" if self.accept("none") else made.bare(self.value(TOKEN))

    def unwind_target(self, made: _Template) -> str:
        if self.accept("to"):
            self.expect("caller")
            return "to caller"
        return made.typed(self.block())

    def labels(self, made: _Template) -> str:
        """``[label %a, label %b]``."""
        self.expect("[")
        found: list[str] = []
        while not self.accept("]"):
            found.append(made.typed(self.block()))
            self.accept(",")
        return f"[{', '.join(found)}]"

    # --- calls

    def marked_call(self, tail: str) -> Instruction:
        """``tail call`` and its kin."""
        self.expect("call")
        return self._call(tail)

    def call(self, opcode: str) -> Instruction:
        return self._call("")

    def _call(self, tail: str) -> Instruction:
        flags = self.words_in(_FAST_MATH)
        callee, args, callee_type, more = self._callee_and_arguments()
        return Call(callee, args, callee_type, tail=tail, flags=flags, **more)

    def invoke(self, opcode: str) -> Instruction:
        callee, args, callee_type, more = self._callee_and_arguments()
        self.expect("to")
        normal = self.block()
        self.expect("unwind")
        return Invoke(callee, args, callee_type, normal, self.block(), **more)

    def callbr(self, opcode: str) -> Instruction:
        callee, args, callee_type, more = self._callee_and_arguments()
        made = _Template()
        shown = []
        for argument, attrs in zip(args, more["arg_attrs"], strict=True):
            shown.append(" ".join((str(argument.type), *attrs, made.bare(argument))))
        function = verbatim_asm(callee.spelling) if isinstance(callee, InlineAsm) else made.bare(callee)
        result = callee_type if callee_type.vararg else callee_type.result
        head = " ".join(filter(None, ("callbr", more["cc"], *more["result_attrs"], str(result))))
        tail = "".join(f" {word}" for word in more["attrs"])
        if more["bundles"]:
            offset = len(made.operands)
            tail += " " + _MARK.sub(lambda mark: f"{{{int(mark[1]) + offset}}}", more["bundles"])
            made.operands.extend(more["bundle_operands"])
        self.expect("to")
        target = made.typed(self.block())
        text = f"{head} {function}({', '.join(shown)}){tail} to {target} {self.labels(made)}"
        return OtherInstruction(opcode, callee_type.result, made.operands, text)

    def _callee_and_arguments(self) -> tuple[Value, list[Value], FunctionType, dict[str, Any]]:
        """From the calling convention to the bundles."""
        tokens = self.tokens
        cc = ""
        token = tokens[self.at]
        if token == "cc":
            cc = f"cc {tokens[self.at + 1]}"
            self.at += 2
        elif token.endswith("cc") or token.startswith(("amdgpu_", "ptx_", "spir_", "aarch64_", "riscv_")):
            cc, self.at = read_attribute(tokens, self.at)
        result_attrs = () if self.at_type() else self.attributes_before_type()
        result = self.type()
        explicit = self.function_type(result) if tokens[self.at] == "(" else None
        callee = self._callee()
        args, arg_attrs = self._arguments()
        callee_type = explicit or FunctionType(result, tuple(a.type for a in args))
        attrs: list[str] = []
        while (token := tokens[self.at]) not in (END, ",", "[", "to"):
            word, self.at = read_attribute(tokens, self.at)
            attrs.append(word)
        bundles, bundle_operands = self._bundles() if token == "[" else ("", [])
        return (
            callee,
            args,
            callee_type,
            {
                "cc": cc,
                "result_attrs": result_attrs,
                "arg_attrs": arg_attrs,
                "attrs": attrs,
                "bundles": bundles,
                "bundle_operands": bundle_operands,
            },
        )

    def _callee(self) -> Value:
        token = self.tokens[self.at]
        if token == "asm":
            start = self.at
            self.at += 1
            self.words_in(_ASM_WORDS)
            self.at += 3  # the code, a comma, the constraints
            return InlineAsm(join_tokens(self.tokens[start : self.at]))
        return self.value(PTR)

    def _arguments(self) -> tuple[list[Value], list[tuple[str, ...]]]:
        args: list[Value] = []
        attrs: list[tuple[str, ...]] = []
        tokens = self.tokens
        self.expect("(")
        while not self.accept(")"):
            if self.accept("..."):  # of a musttail call; follows from the function it stands in
                continue
            type = self.type()
            first = tokens[self.at][0]
            attrs.append(() if first == "%" or first == "@" or type is METADATA else self.attributes())
            args.append(self.value(type))
            if tokens[self.at] == ",":
                self.at += 1
        return args, attrs

    def _bundles(self) -> tuple[str, list[Value]]:
        """``[ "align"(ptr %p, i64 8), ... ]`` as a template."""
        made = _Template()
        self.expect("[")
        shown: list[str] = []
        while not self.accept("]"):
            tag = self.take()
            self.expect("(")
            values: list[str] = []
            while not self.accept(")"):
                values.append(made.typed(self.typed_value()))
                self.accept(",")
            shown.append(f"{tag}({', '.join(values)})")
            self.accept(",")
        return f"[ {', '.join(shown)} ]", made.operands

    # --- debug records

    def debug_record(self, opcode: str) -> Instruction:
        """``#dbg_value(TYPE VALUE, !var, !expr, !loc)``; values also inside ``!DIArgList(...)``."""
        made = _Template()
        self.expect("(")
        parts: list[str] = []
        while not self.accept(")"):
            token = self.tokens[self.at]
            if token == "!DIArgList":
                self.at += 2
                values: list[str] = []
                while not self.accept(")"):
                    values.append(made.typed(self.typed_value()))
                    self.accept(",")
                parts.append(f"!DIArgList({', '.join(values)})")
            elif token[0] == "!":
                parts.append(self.metadata_node())
            else:
                parts.append(made.typed(self.typed_value()))
            self.accept(",")
        return DebugRecord(opcode[1:], made.operands, f"{opcode}({', '.join(parts)})")

    # --- parts

    def typed_list(self) -> list[Value]:
        """Typed values up to the end, a word or metadata."""
        found = [self.value(self.type())]
        tokens = self.tokens
        while tokens[self.at] == "," and tokens[self.at + 1][0] != "!":
            self.at += 1
            found.append(self.value(self.type()))
        return found

    def index_list(self) -> Sequence[int]:
        found: list[int] = []
        while self.tokens[self.at] == "," and self.tokens[self.at + 1][0] != "!":
            self.at += 1
            found.append(self.number())
        return found

    def alignment(self) -> int:
        """``, align N`` or nothing."""
        if self.tokens[self.at] == "," and self.tokens[self.at + 1] == "align":
            self.at += 2
            return self.number()
        return 0

    def until_comma(self) -> str:
        start = self.at
        while self.tokens[self.at] not in (",", END):
            self.at += 1
        return join_tokens(self.tokens[start : self.at])

    def until_metadata(self) -> str:
        """Synchronisation scope, orderings and alignment."""
        start = self.at
        while self.tokens[self.at] != END:
            if self.tokens[self.at] == "(":
                self.at = matching_close(self.tokens, self.at)
            elif self.tokens[self.at] == "," and self.tokens[self.at + 1][0] == "!":
                break
            self.at += 1
        return join_tokens(self.tokens[start : self.at])


def verbatim_asm(spelling: str) -> str:
    """Inline assembly inside a template: braces in its strings as LLVM's hexadecimal escapes."""
    return spelling.replace("{", "\\7B")


READERS: dict[str, Callable[[InstructionReader, str], Instruction]] = {
    **dict.fromkeys(INT_BINARY_OPCODES | FLOAT_BINARY_OPCODES, InstructionReader.binary),
    **dict.fromkeys(CAST_OPCODES, InstructionReader.cast),
    **dict.fromkeys(("icmp", "fcmp"), InstructionReader.compare),
    **dict.fromkeys(("tail", "musttail", "notail"), InstructionReader.marked_call),
    **dict.fromkeys(("catchpad", "cleanuppad"), InstructionReader.pad_with_arguments),
    **dict.fromkeys(
        ("#dbg_value", "#dbg_declare", "#dbg_assign", "#dbg_label", "#dbg_declare_value"),
        InstructionReader.debug_record,
    ),
    **{
        name: getattr(InstructionReader, name)
        for name in (
            "select freeze phi alloca load store getelementptr atomicrmw cmpxchg fence extractvalue insertvalue "
            "extractelement insertelement shufflevector ret br switch unreachable indirectbr resume va_arg landingpad "
            "catchswitch catchret cleanupret call invoke callbr"
        ).split()
    },
    "fneg": InstructionReader.unary,
}
