"""Values and constants. :mod:`enzyme.ir.values` gathers all kinds of values; import from there."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from enzyme.ir.types import I1, METADATA, PTR, ArrayType, FloatType, IntType, StructType, Type, VectorType

if TYPE_CHECKING:
    from enzyme.ir.instructions import Instruction

CAST_OPCODES = frozenset(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast".split()
)


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


# --- small helpers ---------------------------------------------------------------------------------------------------


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
