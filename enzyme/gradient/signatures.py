"""What derivative functions take and return, as :mod:`enzyme.gradient.request` describes it."""

from __future__ import annotations

from enzyme.gradient.carried import adjoint_type
from enzyme.gradient.lanes import lanes_type
from enzyme.gradient.request import Request
from enzyme.gradient.subject import Subject
from enzyme.ir.builder import Builder
from enzyme.ir.types import PTR, VOID, FunctionType, StructType, Type
from enzyme.ir.values import ConstantToken, Function, Value
from enzyme.support.diagnostics import TypeUnknownError, UsageError


def derivative_type(subject: Function, request: Request, extra: tuple[Type, ...], result: Type) -> FunctionType:
    """Function type with the subject's parameters, a shadow per lane after duplicated ones, then ``extra``."""
    params: list[Type] = []
    for argument, duplicated in zip(subject.args, request.duplicated, strict=True):
        params += [argument.type] * (1 + request.width if duplicated else 1)
    return FunctionType(result, (*params, *extra))


def gradient_type(subject: Subject, request: Request) -> Type:
    """What a reverse function returns: the gradients of the ``out`` parameters."""
    for argument, kind in zip(subject.function.args, request.args, strict=True):
        if kind == "out" and argument.type.is_int and not subject.types.value_carries_float(argument):
            if request.nested:
                raise subject.refuse(
                    next(iter(subject.function.instructions())),
                    f"cannot tell whether parameter {argument.index + 1} of '{request.function}' is a number",
                    "it is called with an integer that may be a piece of a number, and takes it for an integer",
                    "keep integers and numbers in memory of their own, or in members of a struct that is declared",
                    TypeUnknownError,
                )
            raise UsageError(
                f"parameter {argument.index + 1} of '{request.function}' is an integer and cannot be enzyme_out",
                function=request.function,
                why="integers have no derivative",
                hint="use enzyme_const",
            )
    return _one_or_struct(_gradient_types(subject, request))


def _gradient_types(subject: Subject, request: Request) -> list[Type]:
    return [
        lanes_type(adjoint_type(subject, a), request.width)
        for a, kind in zip(subject.function.args, request.args, strict=True)
        if kind == "out"
    ]


def _one_or_struct(parts: list[Type]) -> Type:
    if not parts:
        return VOID
    return parts[0] if len(parts) == 1 else StructType.literal(tuple(parts))


def augmented_result(subject: Subject, request: Request) -> Type:
    """What an augmented primal returns."""
    result = subject.function.result_type
    parts: list[Type] = [PTR, result] if request.return_primal else [PTR]
    if request.ret == "dup":
        parts.append(lanes_type(result, request.width))
    return StructType.literal(tuple(parts))


def reverse_result(subject: Subject, request: Request) -> Type:
    """What a combined reverse function returns."""
    gradients = gradient_type(subject, request)
    if not request.return_primal:
        return gradients
    return _one_or_struct([subject.function.result_type, *_gradient_types(subject, request)])


def forward_result(subject: Subject, request: Request) -> Type:
    """What a forward function returns."""
    result = subject.function.result_type
    parts = [result] if request.return_primal else []
    if request.ret != "const":
        parts.append(lanes_type(result, request.width))
    return _one_or_struct(parts)


def return_parts(build: Builder, function: Function, parts: list[Value]) -> None:
    """Return ``parts`` as the function's type says: nothing, the one, or a struct of them."""
    if not parts:
        build.ret()
    elif parts[0].type is function.result_type:
        build.ret(parts[0])
    else:
        result: Value = ConstantToken(function.result_type, "poison")
        for index, part in enumerate(parts):
            result = build.insert_value(result, part, index)
        build.ret(result)
