"""A cursor over the tokens of one statement that reads types, constants and operands.

Global names are looked up in the module, local names in ``locals``; a local name that is not there yet becomes a
placeholder which the body parser replaces when the definition comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from enzyme.ir.lexer import END, join_tokens, matching_close, plain_name, read_attribute
from enzyme.ir.types import (
    FP128,
    METADATA,
    TOKEN,
    VOID,
    X86_FP80,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    SimpleType,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from enzyme.ir.values import (
    CAST_OPCODES,
    Block,
    Constant,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    ConstantToken,
    MetadataOperand,
    MetadataValue,
    OpaqueConstant,
    Value,
)
from enzyme.support.diagnostics import ParseError

if TYPE_CHECKING:
    from enzyme.ir.module import Module

_WORD_TYPES: dict[str, Type] = {
    "void": VOID,
    "ptr": PointerType(0),
    "label": SimpleType("label"),
    "metadata": METADATA,
    "token": TOKEN,
    "x86_amx": SimpleType("x86_amx"),
    "x86_fp80": X86_FP80,
    "fp128": FP128,
    **{kind: FloatType(kind) for kind in FloatType.BITS},
    **{f"i{bits}": IntType(bits) for bits in (1, 8, 16, 32, 64, 128)},
}
_TYPE_OPENERS = frozenset({"[", "<", "{"})
_KEYWORDS = frozenset({"null", "undef", "poison", "zeroinitializer", "none"})
_EXPRESSION_FLAGS = frozenset({"inbounds", "nuw", "nsw", "nusw", "exact", "inrange"})
_EXPRESSIONS = CAST_OPCODES | frozenset(
    "getelementptr add sub mul xor shl and or lshr ashr icmp fcmp select extractelement insertelement "
    "shufflevector fneg".split()
)
_OPAQUE = frozenset({"blockaddress", "dso_local_equivalent", "no_cfi", "ptrauth"})
_VALUE_WORDS = _KEYWORDS | _EXPRESSIONS | _OPAQUE | frozenset({"true", "false", "splat", "asm"})
"""Words that can only begin a value: what stands between a type and one of these are attributes."""

_NUMBER_START = frozenset("-+0123456789")
_VALUE_START = frozenset("%@<[{-+0123456789")


class Reader:
    """``tokens[at]`` is the next token. Methods are named after what they read."""

    __slots__ = ("tokens", "at", "source", "module", "locals", "constants", "placeholder")

    def __init__(self, module: Module, tokens: list[str]) -> None:
        self.module = module
        self.tokens = tokens
        self.at = 0
        self.source = ""
        self.locals: dict[str, Value] = {}
        self.constants = module.constants
        self.placeholder: Callable[[str, Type], Value] = self._unknown_local

    # --- tokens

    def fail(self, why: str) -> ParseError:
        line = self.source.strip() or join_tokens(self.tokens[:-1])
        token = self.tokens[min(self.at, len(self.tokens) - 1)] or "the end"
        return ParseError(f"cannot read this LLVM IR at '{token}': {why}", instruction=line[:300])

    def expect(self, token: str) -> None:
        if self.tokens[self.at] != token:
            raise self.fail(f"expected '{token}'")
        self.at += 1

    def accept(self, token: str) -> bool:
        if self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def take(self) -> str:
        token = self.tokens[self.at]
        if token == END:
            raise self.fail("the statement ends too early")
        self.at += 1
        return token

    def words_in(self, words: frozenset[str]) -> tuple[str, ...]:
        """As many tokens as are in ``words``."""
        start = self.at
        while self.tokens[self.at] in words:
            self.at += 1
        return tuple(self.tokens[start : self.at]) if self.at > start else ()

    def number(self) -> int:
        token = self.take()
        try:
            return int(token)
        except ValueError:
            self.at -= 1
            raise self.fail("expected a number") from None

    # --- types

    def type(self) -> Type:
        """A type without a function type's parameter list (see ``function_type``)."""
        token = self.tokens[self.at]
        found = _WORD_TYPES.get(token)
        if found is not None:
            self.at += 1
            if token == "ptr" and self.tokens[self.at] == "addrspace":
                self.at += 2
                found = PointerType(self.number())
                self.expect(")")
            return found
        if token == END:
            raise self.fail("expected a type")
        first = token[0]
        self.at += 1
        if first == "%":
            return self.module.type_named(token)
        if token == "[":
            count, element = self._counted("]")
            return ArrayType(count, element)
        if token == "{":
            return StructType.literal(self._elements("}"))
        if token == "<":
            if self.accept("{"):
                elements = self._elements("}")
                self.expect(">")
                return StructType.literal(elements, packed=True)
            scalable = self.tokens[self.at] == "vscale"
            if scalable:
                self.at += 2
            count, element = self._counted(">")
            return VectorType(count, element, scalable)
        if first == "i" and token[1:].isdigit():
            return IntType(int(token[1:]))
        if token == "target":
            close = matching_close(self.tokens, self.at)
            text = "target" + join_tokens(self.tokens[self.at : close + 1])
            self.at = close + 1
            return TargetType(text)
        self.at -= 1
        raise self.fail("expected a type")

    def at_type(self) -> bool:
        token = self.tokens[self.at]
        return (
            token in _WORD_TYPES
            or token in _TYPE_OPENERS
            or token[:1] == "%"
            or token == "target"
            or (token[:1] == "i" and token[1:].isdigit())
        )

    def _counted(self, close: str) -> tuple[int, Type]:
        count = self.number()
        self.expect("x")
        element = self.type()
        self.expect(close)
        return count, element

    def _elements(self, close: str) -> tuple[Type, ...]:
        elements: list[Type] = []
        if not self.accept(close):
            elements.append(self.type())
            while self.accept(","):
                elements.append(self.type())
            self.expect(close)
        return tuple(elements)

    def function_type(self, result: Type) -> FunctionType:
        """The parameter types of a function type whose result was just read."""
        self.expect("(")
        params: list[Type] = []
        vararg = False
        while not self.accept(")"):
            if self.accept("..."):
                vararg = True
            else:
                params.append(self.type())
            self.accept(",")
        return FunctionType(result, tuple(params), vararg)

    # --- attributes

    def attributes(self) -> tuple[str, ...]:
        """Attributes in front of a value, a name, a comma or a closing parenthesis (parameters and arguments)."""
        words: list[str] = []
        while True:
            token = self.tokens[self.at]
            if token in (",", ")", END) or token[0] in _VALUE_START or token in _VALUE_WORDS or token[:2] == 'c"':
                return tuple(words)
            if token == "!" or token[0] == "!":
                return tuple(words)
            word, self.at = read_attribute(self.tokens, self.at)
            words.append(word)

    def attributes_before_type(self) -> tuple[str, ...]:
        """Attributes of a result: everything up to the type."""
        words: list[str] = []
        while not self.at_type():
            if self.tokens[self.at] == END:
                raise self.fail("expected a type")
            word, self.at = read_attribute(self.tokens, self.at)
            words.append(word)
        return tuple(words)

    # --- values

    def typed_value(self) -> Value:
        return self.value(self.type())

    def value(self, type: Type) -> Value:
        """An operand of a type that is already known."""
        token = self.tokens[self.at]
        first = token[:1]
        if first == "%":
            self.at += 1
            found = self.locals.get(token)
            return found if found is not None else self.placeholder(token, type)
        if first == "@":
            self.at += 1
            return self.module.symbol(token)
        if first in _NUMBER_START:
            self.at += 1
            key = (type, token)
            constant = self.constants.get(key)
            if constant is None:
                constant = self.constants[key] = self._number_constant(type, token)
            return constant
        return self._other_value(type, token)

    def _number_constant(self, type: Type, token: str) -> Constant:
        if isinstance(type, IntType):
            return ConstantInt(type, int(token))
        if isinstance(type, FloatType):
            return ConstantFloat(type, token)
        self.at -= 1
        raise self.fail(f"a number cannot have the type {type}")

    def _other_value(self, type: Type, token: str) -> Value:
        if type is METADATA:
            return self._metadata_argument()
        self.at += 1
        if token in _KEYWORDS:
            return ConstantToken(type, token)
        if token in ("true", "false"):
            return ConstantInt(type, int(token == "true"))
        if token in ("{", "[", "<"):
            return self._aggregate(type, token)
        if token == "splat":
            self.expect("(")
            element = self.typed_value()
            self.expect(")")
            return ConstantAggregate(type, [element], splat=True)
        if token[:2] == 'c"':
            return ConstantString(type, token)
        if token in _OPAQUE:
            return self._opaque(type, token)
        if token in _EXPRESSIONS:
            return self._expression(type, token)
        self.at -= 1
        raise self.fail("expected a value")

    def _aggregate(self, type: Type, opener: str) -> Value:
        packed = opener == "<" and self.accept("{")
        close = {"{": "}", "[": "]", "<": "}" if packed else ">"}[opener]
        elements: list[Value] = []
        if not self.accept(close):
            elements.append(self.typed_value())
            while self.accept(","):
                elements.append(self.typed_value())
            self.expect(close)
        if packed:
            self.expect(">")
        return ConstantAggregate(type, elements)

    def _opaque(self, type: Type, token: str) -> Value:
        if self.tokens[self.at] == "(":
            close = matching_close(self.tokens, self.at)
            spelling = token + join_tokens(self.tokens[self.at : close + 1])
            self.at = close + 1
            return OpaqueConstant(type, spelling)
        return OpaqueConstant(type, f"{token} {self.take()}")

    def _expression(self, type: Type, opcode: str) -> Value:
        flags: list[str] = []
        while self.tokens[self.at] in _EXPRESSION_FLAGS:
            word, self.at = (
                read_attribute(self.tokens, self.at)
                if self.tokens[self.at] == "inrange"
                else (self.tokens[self.at], self.at + 1)
            )
            flags.append(word)
        if opcode in ("icmp", "fcmp"):
            flags.append(self.take())
        self.expect("(")
        source_type: Type | None = None
        if opcode == "getelementptr":
            source_type = self.type()
            self.expect(",")
        args = [self.typed_value()]
        if opcode in CAST_OPCODES:
            self.expect("to")
            type = self.type()
        while self.accept(","):
            args.append(self.typed_value())
        self.expect(")")
        return ConstantExpr(type, opcode, args, flags, source_type)

    # --- metadata

    def _metadata_argument(self) -> Value:
        if self.tokens[self.at][0] == "!":
            return MetadataOperand(self.metadata_node())
        return MetadataValue(self.typed_value())

    def metadata_node(self) -> str:
        """``!3``, ``!"text"``, ``!{...}``, ``!DIExpression(...)``, ``distinct !{...}`` as text."""
        start = self.at
        if self.tokens[self.at] == "distinct":
            self.at += 1
        opener = "{" if self.tokens[self.at] == "!" else "("
        self.at += 1
        if self.tokens[self.at] == opener:
            self.at = matching_close(self.tokens, self.at) + 1
        return join_tokens(self.tokens[start : self.at])

    def attachments(self) -> dict[str, str]:
        """``, !kind !node`` repeated, up to the end of the statement."""
        found: dict[str, str] = {}
        tokens = self.tokens
        while tokens[self.at] == ",":
            kind = tokens[self.at + 1]
            if kind[:1] != "!":
                raise self.fail("expected metadata")
            self.at += 2
            found[kind[1:]] = self.metadata_node()
        if tokens[self.at] != END:
            raise self.fail("more follows than this instruction takes")
        return found

    # --- locals

    def _unknown_local(self, token: str, type: Type) -> Value:
        raise self.fail(f"the local value {token} does not exist here")

    def block(self) -> Block:
        """``label %name``."""
        self.expect("label")
        token = self.take()
        found = self.locals.get(token)
        if found is None:
            found = self.placeholder(token, _WORD_TYPES["label"])
        if not isinstance(found, Block):
            raise self.fail("expected a basic block")
        return found


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Whatever a reading method stumbles over in broken text leaves as a ParseError that shows ``source``."""
    try:
        yield
    except (IndexError, ValueError, AssertionError, TypeError, AttributeError) as problem:
        raise ParseError("this LLVM IR is malformed", instruction=source.strip()[:300], why=str(problem)) from problem


def local_name(token: str) -> str | None:
    """The name of a local from its token; None for a numbered one."""
    return None if token[1:].isdigit() else plain_name(token)
