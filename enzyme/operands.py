"""A function with all of its operands in memory, so that one form of call serves values, tangents and adjoints.

For a function ``f`` the program gets ``void @enzyme.operation.f``, with the parameters of ``f`` and one more for its
result: integers by value, and a pointer for everything else. A number is loaded from where its pointer says, the result
is stored to where the last one says. No two of the pointers overlap as far as one of them is written, which whoever
calls it sees to: the engine is told so.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.ir.types import FloatType, IntType
from enzyme.ir.values import Argument, Function, quote_name
from enzyme.pointers import only_read, pointer_elements, points_to_pointers
from enzyme.records import calling_convention, passed_as
from enzyme.support.diagnostics import UsageError

_HINT = "write a function around it that takes integers, floats, doubles and pointers to such"


@dataclass(frozen=True)
class Operand:
    """One parameter. ``kind``: "integer", "number" (a float or double, given by its place) or "array"; ``elements``:
    what is known of its type, as LLVM calls it; ``written``: whether the function may write to it."""

    name: str
    kind: str
    elements: frozenset[str]
    written: bool


def operation_name(name: str) -> str:
    return f"enzyme.operation.{name}"


def operands_of(function: Function) -> tuple[Operand, ...]:
    """The parameters, and last the result where there is one. Raises :class:`UsageError` for what has no such form."""
    found = [_operand(function, argument) for argument in function.args]
    result = function.result_type
    if isinstance(result, FloatType) and result.kind in ("float", "double"):
        found.append(Operand("the result", "number", frozenset((str(result),)), True))
    elif not result.is_void:
        raise UsageError(
            f"'{function.name}' returns {result}, which an operation on arrays cannot give",
            hint="write a function around it that returns a float, a double or nothing",
        )
    if function.function_type.vararg:
        raise UsageError(f"'{function.name}' takes variable arguments", hint=_HINT)
    return tuple(found)


def _operand(function: Function, argument: Argument) -> Operand:
    name = argument.name or f"{argument.index + 1}"
    what = f"parameter {argument.index + 1} ('{name}') of '{function.name}'"
    if any(word.startswith(("byval", "sret", "inalloca")) for word in argument.attrs):
        raise UsageError(f"{what} is a struct by value, which no array stands for", hint=_HINT)
    type = argument.type
    if isinstance(type, IntType) and type.bits <= 64:
        return Operand(name, "integer", frozenset((str(type),)), False)
    if isinstance(type, FloatType) and type.kind in ("float", "double"):
        return Operand(name, "number", frozenset((str(type),)), False)
    if not type.is_pointer:
        raise UsageError(f"{what} is of type {type}, which no array stands for", hint=_HINT)
    if points_to_pointers(function, argument.index):
        raise UsageError(
            f"{what} points to pointers, which no array stands for",
            hint="write a function around it that takes each array by itself",
        )
    elements = frozenset(str(each) for each in pointer_elements(function, argument.index))
    return Operand(name, "array", elements, not only_read(function, argument.index))


def in_memory(function: Function) -> str:
    """The text of ``enzyme.operation.f``, which has ``f`` itself in the place of its call once what is always inlined
    is."""
    parameters: list[str] = []
    lines: list[str] = []
    operands: list[str] = []
    for argument in function.args:
        place = value = f"%{quote_name(argument.name or f'.{argument.index + 1}')}"  # messages call it by its name
        if argument.type.is_float:
            value = f"%.value{argument.index}"
            parameters.append(f"ptr noalias {place}")
            lines.append(f"  {value} = load {argument.type}, ptr {place}")
        elif argument.type.is_pointer:
            least = [word for word in argument.attrs if word.startswith("dereferenceable(")]
            parameters.append(" ".join(["ptr noalias", *least, place]))
        else:
            parameters.append(f"{argument.type} {place}")
        passed = passed_as(argument)
        operands.append(f"{argument.type} {passed}{' ' if passed else ''}{value}")
    token = f"@{quote_name(function.name or '')}"
    call = f"call {calling_convention(function)}{function.result_type} {token}({', '.join(operands)}) alwaysinline"
    if function.result_type.is_void:
        lines.append(f"  {call}")
    else:
        parameters.append("ptr noalias %.place")
        lines += [f"  %.result = {call}", f"  store {function.result_type} %.result, ptr %.place"]
    name = quote_name(operation_name(function.name or ""))
    return "\n".join([f"define void @{name}({', '.join(parameters)}) {{", *lines, "  ret void", "}"])
