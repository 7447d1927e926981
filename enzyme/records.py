"""Packed calls: the arguments of a native function in one record, so that any signature can be called.

For a function ``f`` the program gets ``void @enzyme.call.f(ptr record)``, which loads every argument by its IR type
from the record, calls ``f`` the way its own signature says (calling convention, ``byval``, ``sret``) and stores the
result into the record. LLVM does what an ABI library would have to know.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from enzyme.gradient.candidates import dereferenceable
from enzyme.ir.layout import DataLayout
from enzyme.ir.lexer import tokenize
from enzyme.ir.module import Module
from enzyme.ir.reader import Reader
from enzyme.ir.types import ArrayType, FloatType, IntType, PointerType, StructType, Type, VectorType
from enzyme.ir.values import Argument, Function, quote_name
from enzyme.support.diagnostics import UsageError

SLOT = 16
"""Slots start at multiples of this, or of the type's alignment where that is larger."""

_ABI_WORDS = ("signext", "zeroext", "inreg", "byval", "sret", "align", "nest", "byref", "preallocated", "swiftself")
_CONVENTIONS = ("fastcc", "coldcc", "tailcc", "cc", "x86_", "win64cc", "preserve_", "swift", "amdgpu", "aarch64")
_FLOAT_FORMATS = {"half": "e", "float": "f", "double": "d"}


@dataclass(frozen=True)
class Slot:
    """A place in the record. ``pointee`` is the type of the memory that a ``byval`` or ``sret`` parameter points to."""

    type: Type
    offset: int
    size: int
    pointee: Type | None = None


@dataclass(frozen=True)
class Parameter:
    """One parameter as the caller sees it."""

    name: str
    slot: Slot
    readonly: bool
    least_bytes: int


@dataclass(frozen=True)
class Signature:
    """How to call one function: where each argument and the result lie in a record of ``size`` bytes."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Slot | None
    result_unsigned: bool
    size: int
    align: int
    wrapper: str
    wrapper_text: str


def wrapper_name(name: str) -> str:
    return f"enzyme.call.{name}"


def signature_of(module: Module, function: Function) -> Signature | None:
    """The signature, or None where there is none to call: variable arguments, types without a fixed size."""
    if function.function_type.vararg:
        return None
    layout = module.datalayout
    place = _Placer(layout)
    parameters: list[Parameter] = []
    lines: list[str] = []
    operands: list[str] = []
    result: Slot | None = None
    for argument in function.args:
        words = argument.attrs
        number = argument.index
        pointee = _attribute_type(module, words, ("sret", "byval"))
        if not _supported(argument.type):
            return None
        passed = passed_as(argument)
        if pointee is not None and any(word.startswith("sret") for word in words):
            result = place.slot(pointee)
            lines.append(f"  %a{number} = getelementptr i8, ptr %record, i64 {result.offset}")
        else:
            slot = place.slot(argument.type, pointee)
            lines.append(f"  %s{number} = getelementptr i8, ptr %record, i64 {slot.offset}")
            lines.append(f"  %a{number} = load {argument.type}, ptr %s{number}")
            readonly = any(word in ("readonly", "readnone") for word in words) or pointee is not None
            least = layout.alloc_size(pointee) if pointee is not None else dereferenceable(words)
            parameters.append(Parameter(argument.name or f"{len(parameters) + 1}", slot, readonly, least))
        operands.append(f"{argument.type} {passed}{' ' if passed else ''}%a{number}")
    convention = calling_convention(function)
    token = f"@{quote_name(function.name or '')}"
    returned = function.result_type
    words = function.result_attrs
    call = f"call {convention}{returned} {token}({', '.join(operands)}) noinline"
    if returned.is_void:
        lines.append(f"  {call}")
    else:
        if not _supported(returned):
            return None
        result = place.slot(returned)
        lines.append(f"  %result = {call}")
        lines.append(f"  %where = getelementptr i8, ptr %record, i64 {result.offset}")
        lines.append(f"  store {returned} %result, ptr %where")
    name = wrapper_name(function.name or "")
    text = "\n".join([f"define void @{quote_name(name)}(ptr %record) {{", *lines, "  ret void", "}"])
    return Signature(
        function.name or "",
        tuple(parameters),
        result,
        "zeroext" in words,
        max(place.size, 1),
        place.align,
        name,
        text,
    )


class _Placer:
    """Gives out slots, one after the other."""

    def __init__(self, layout: DataLayout) -> None:
        self.layout = layout
        self.size = 0
        self.align = SLOT

    def slot(self, type: Type, pointee: Type | None = None) -> Slot:
        align = max(SLOT, self.layout.abi_align(type))
        self.align = max(self.align, align)
        offset = -(-self.size // align) * align
        # Stores of odd types (x86_fp80, i1 vectors) may touch the whole allocation size.
        size = max(self.layout.alloc_size(type), 1)
        self.size = offset + size
        return Slot(type, offset, size, pointee)


def _supported(type: Type) -> bool:
    if isinstance(type, IntType):
        return True
    if isinstance(type, FloatType):
        return type.kind in ("half", "float", "double", "x86_fp80")
    if isinstance(type, PointerType):
        return type.addrspace == 0
    if isinstance(type, VectorType):
        return not type.scalable and _supported(type.element) and not (type.element.is_int and _bits(type.element) % 8)
    if isinstance(type, ArrayType):
        return _supported(type.element)
    if isinstance(type, StructType):
        return type.elements is not None and all(map(_supported, type.elements))
    return False


def _bits(type: Type) -> int:
    return type.bits if isinstance(type, IntType) else 0


def _attribute_type(module: Module, words: tuple[str, ...], names: tuple[str, ...]) -> Type | None:
    for word in words:
        for name in names:
            if word.startswith(f"{name}("):
                return read_type(module, word[len(name) + 1 : -1])
    return None


def read_type(module: Module, text: str) -> Type:
    """A type from its printed text; named types are the module's own."""
    return Reader(module, tokenize(text)).type()


def passed_as(argument: Argument) -> str:
    """What a call has to say of an argument so that it is passed as the function expects it."""
    return " ".join(word for word in argument.attrs if word.startswith(_ABI_WORDS))


def calling_convention(function: Function) -> str:
    """A function's calling convention with a blank behind it, as a call says it, or nothing."""
    words = list(function.prefix)
    for index, word in enumerate(words):
        if word == "cc" and index + 1 < len(words):
            return f"cc {words[index + 1]} "
        if word != "cc" and word.startswith(_CONVENTIONS):
            return f"{word} "
    return ""


# --- numbers into and out of the record ------------------------------------------------------------------------------


def write_scalar(buffer: Any, slot: Slot, value: Any, what: str) -> None:
    """Put one number or a tuple for an aggregate at its slot. ``what`` names it in errors."""
    _write(buffer, slot.offset, slot.type, value, what)


def _write(buffer: Any, offset: int, type: Type, value: Any, what: str) -> None:
    if isinstance(type, FloatType):
        _write_float(buffer, offset, type, value, what)
    elif isinstance(type, IntType):
        _write_int(buffer, offset, type, value, what)
    elif isinstance(type, VectorType):
        parts = _parts(value, type.count, what)
        step = _float_bytes(type.element) if type.element.is_float else _bits(type.element) // 8 or 8
        for index, part in enumerate(parts):
            _write(buffer, offset + index * step, type.element, part, what)
    else:
        raise UsageError(
            f"{what} is passed as {type}, which Python values are not converted to",
            hint="write a C function that takes its parts one by one or by pointer",
        )


def _parts(value: Any, count: int, what: str) -> list[Any]:
    try:
        parts = list(value)
    except TypeError:
        parts = [value]
    if len(parts) != count:
        raise UsageError(f"{what} takes {count} numbers together, {len(parts)} were given")
    return parts


def _float_bytes(type: Type) -> int:
    return {"half": 2, "float": 4, "double": 8, "x86_fp80": 16}[str(type)]


def _write_float(buffer: Any, offset: int, type: FloatType, value: Any, what: str) -> None:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise UsageError(f"{what} is a {type} and takes a real number, not {describe(value)}")
    if type.kind == "x86_fp80":
        data = np.longdouble(value).tobytes()
        buffer[offset : offset + len(data)] = data
        return
    try:
        struct.pack_into(f"={_FLOAT_FORMATS[type.kind]}", buffer, offset, float(value))
    except OverflowError:
        if isinstance(value, int) and type.kind == "double":
            raise UsageError(f"{what}: {value!r} does not fit a double") from None
        struct.pack_into(f"={_FLOAT_FORMATS[type.kind]}", buffer, offset, math.copysign(math.inf, float(value)))


def _write_int(buffer: Any, offset: int, type: IntType, value: Any, what: str) -> None:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, (int, np.integer, np.bool_)):
        raise UsageError(f"{what} is an integer of {type.bits} bits and takes an int, not {describe(value)}")
    number = int(value)
    if not -(1 << (type.bits - 1)) <= number < (1 << type.bits):
        raise UsageError(f"{what}: {number} does not fit an integer of {type.bits} bits")
    size = (type.bits + 7) // 8
    data = (number & ((1 << type.bits) - 1)).to_bytes(size, "little")
    buffer[offset : offset + size] = data


def write_pointer(buffer: Any, slot: Slot, address: int) -> None:
    struct.pack_into("=Q" if slot.size == 8 else "=I", buffer, slot.offset, address)


def read_result(layout: DataLayout, buffer: Any, slot: Slot, unsigned: bool) -> Any:
    """A float, an int (bool for one bit), an address, or a tuple of such for an aggregate."""
    return _read(layout, buffer, slot.offset, slot.type, unsigned)


def _read(layout: DataLayout, buffer: Any, offset: int, type: Type, unsigned: bool) -> Any:
    if isinstance(type, FloatType):
        if type.kind == "x86_fp80":
            return np.frombuffer(bytes(buffer[offset : offset + 16]), dtype=np.longdouble)[0]
        return struct.unpack_from(f"={_FLOAT_FORMATS[type.kind]}", buffer, offset)[0]
    if isinstance(type, IntType):
        size = (type.bits + 7) // 8
        number = int.from_bytes(bytes(buffer[offset : offset + size]), "little") & ((1 << type.bits) - 1)
        if type.bits == 1:
            return bool(number)
        return number - (1 << type.bits) if not unsigned and number >> (type.bits - 1) else number
    if isinstance(type, PointerType):
        size = layout.pointer_bits() // 8
        return int.from_bytes(bytes(buffer[offset : offset + size]), "little")
    if isinstance(type, StructType):
        offsets = layout.struct_offsets(type)
        parts = zip(offsets, type.elements or (), strict=True)
        return tuple(_read(layout, buffer, offset + each, part, unsigned) for each, part in parts)
    if isinstance(type, ArrayType):
        step = layout.alloc_size(type.element)
        return tuple(_read(layout, buffer, offset + i * step, type.element, unsigned) for i in range(type.count))
    assert isinstance(type, VectorType)
    step = layout.size_of(type.element)
    return tuple(_read(layout, buffer, offset + i * step, type.element, unsigned) for i in range(type.count))


def describe(value: Any) -> str:
    """What a Python value is, for errors."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} and shape {value.shape}"
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
