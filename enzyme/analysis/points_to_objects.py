"""Abstract memory objects: what a pointer may point to.

Every object stands for all the bytes of one or more run-time allocations; its fields are not told apart.

- ``alloca``: one stack slot instruction; ``heap``: whatever one call returns as fresh memory; ``global``: a variable;
- ``arg``: what a pointer argument points to; ``deref``: everything reachable from there through further pointers,
  collapsed into one object, likewise for what a mutable global's memory points to;
- ``function``: code, and constant tables of code (virtual tables, type information), which have no derivative and are
  their own shadows; ``unknown``: all memory that no other object of the function stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from enzyme.analysis.dispatched import data_arguments
from enzyme.ir.types import ArrayType, FloatType, IntType, PointerType, StructType, Type, VectorType
from enzyme.ir.values import Argument, BinaryOp, CallBase, Cast, Constant, Function, GlobalAlias, GlobalVariable, Value

THROW = "__cxa_throw"
CATCH = frozenset(("__cxa_begin_catch", "__cxa_get_exception_ptr"))
IN_FLIGHT = GlobalVariable("an exception", IntType(8), None, False)
"""Stands for all exceptions: what is thrown goes there, and what is caught comes from there."""

CHARACTERS = GlobalVariable("the characters of strings", IntType(8), None, True)
"""Stands for all that pointers lead to which members of strings return."""

STREAMS = frozenset(("stdin", "stdout", "stderr", "__stdinp", "__stdoutp", "__stderrp"))
"""Globals of the C library that point to its streams, which are nothing to the program."""

ObjKind = Literal["alloca", "heap", "global", "arg", "deref", "function", "unknown"]


@dataclass(frozen=True, eq=False)
class Obj:
    """One abstract object; compared by identity, made once per analysed function. ``value`` is what it stems from."""

    kind: ObjKind
    value: Value | None

    @property
    def label(self) -> str:
        if self.value is None:
            return self.kind
        if isinstance(self.value, Argument):
            name = self.value.name or str(self.value.index)
            return f"{self.kind} %{name}"
        sigil = "@" if self.kind in ("global", "function") or (self.kind == "deref") else "%"
        return f"{self.kind} {sigil}{self.value.name or '?'}"

    @property
    def is_local(self) -> bool:
        """Memory that starts to exist inside the function."""
        return self.kind in ("alloca", "heap")

    def __repr__(self) -> str:
        return f"<{self.label}>"


_CXX_TABLES = ("_ZTV", "_ZTC", "_ZTT", "_ZTI", "_ZTS")


def is_code_table(variable: GlobalVariable) -> bool:
    """Whether a constant global holds addresses of functions, integers and other such tables only, by what it is
    initialised with, or by its name in the C++ ABI."""
    if (variable.name or "").startswith(_CXX_TABLES):
        return True
    if not variable.is_constant or not has_pointer(variable.value_type) or _has_float(variable.value_type):
        return False
    seen: set[Value] = {variable}
    return variable.initializer is not None and _is_code(variable.initializer, seen) and len(seen) > 1


def _is_code(value: Value, seen: set[Value]) -> bool:
    if isinstance(value, Function):
        seen.add(value)
        return True
    if isinstance(value, GlobalVariable):
        if value in seen or (value.name or "").startswith(_CXX_TABLES):
            return True
        if not value.is_constant or value.initializer is None:
            return False
        seen.add(value)
        return _is_code(value.initializer, seen)
    if isinstance(value, GlobalAlias) and value.aliasee is not None:
        return _is_code(value.aliasee, seen)
    if not isinstance(value, Constant) or _has_float(value.type):
        return False
    return all(_is_code(part, seen) for part in value.constant_operands())


def _has_float(type: Type) -> bool:
    if isinstance(type, (VectorType, ArrayType)):
        return _has_float(type.element)
    if isinstance(type, StructType):
        return any(map(_has_float, type.elements or ()))
    return isinstance(type, FloatType)


def may_hold_pointer(type: Type) -> bool:
    """Whether a value of this type can carry (part of) a pointer's bits."""
    if isinstance(type, PointerType):
        return True
    if isinstance(type, IntType):
        return type.bits >= 8
    if isinstance(type, (VectorType, ArrayType)):
        return may_hold_pointer(type.element)
    if isinstance(type, StructType):
        return any(map(may_hold_pointer, type.elements or ()))
    return False


def has_pointer(type: Type) -> bool:
    """Whether the type has a pointer in it (integers do not count)."""
    if isinstance(type, (VectorType, ArrayType)):
        return has_pointer(type.element)
    if isinstance(type, StructType):
        return any(map(has_pointer, type.elements or ()))
    return isinstance(type, PointerType)


def is_distance(value: Value) -> bool:
    """A difference of two addresses: no address, and the same between their shadows."""
    return (
        isinstance(value, BinaryOp)
        and value.opcode == "sub"
        and all(isinstance(op, Cast) and op.opcode in ("ptrtoint", "ptrtoaddr") for op in value.operands)
    )


def is_kept(distance: Value) -> bool:
    """Whether anything is done with a distance but to compare it."""
    work, seen = [distance], {distance}
    while work:
        for user in work.pop().users:
            if user.opcode in ("ashr", "lshr", "sdiv", "udiv", "freeze"):
                if user not in seen:
                    seen.add(user)
                    work.append(user)
            elif user.opcode != "icmp":
                return True
    return False


def leads_to_memory(pointer: Value) -> bool:
    """Whether anything is done with a pointer but to compare it, or to call it: code has no shadow."""
    seen: set[Value] = {pointer}
    work: list[Value] = [pointer]
    while work:
        value = work.pop()
        for user in value.users:
            if user.opcode in ("getelementptr", "phi", "select", "freeze"):
                if user not in seen:
                    seen.add(user)
                    work.append(user)
            elif user.opcode not in ("icmp", "ptrtoint") and not (isinstance(user, CallBase) and _calls(user, value)):
                return True
    return False


def _calls(call: CallBase, pointer: Value) -> bool:
    """Whether a pointer is what is called, and no argument."""
    return all(argument is not pointer for argument in data_arguments(call))


def bits_of(mask: int) -> Iterable[int]:
    """Positions of the set bits, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
