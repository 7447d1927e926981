"""Reading a call of an entry point: which function, which derivative, which operands."""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.gradient.apply import is_float
from enzyme.gradient.convention import MARKERS, OTHER_MARKERS, function_of, marker
from enzyme.gradient.registrations import rule_of
from enzyme.gradient.request import Request
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.printer import print_instruction
from enzyme.ir.types import FloatType, IntType, Type
from enzyme.ir.values import CallBase, Function, Instruction, Value
from enzyme.support.diagnostics import UsageError


@dataclass
class Site:
    """A call that asks for a derivative, as read."""

    call: CallBase
    caller: Function
    request: Request
    operands: list[Value]
    subject: Function
    returned_through: Value | None = None
    inferred_constant: tuple[int, ...] = ()


def usage_error(module: Module, caller: Function, call: Instruction, what: str, why: str, hint: str) -> UsageError:
    return UsageError(
        what,
        function=caller.name,
        instruction=print_instruction(call),
        location=module.debug_location(call),
        why=why,
        hint=hint,
    )


def _infer(type: Type, mode: str) -> str:
    if type.is_pointer:
        return "dup"
    if is_float(type):
        return "dup" if mode == "forward" else "out"
    return "const"


def _sret(call: CallBase) -> bool:
    return bool(call.args) and any(a.startswith("sret") for a in call.arg_attrs[0])


def read_subject(module: Module, caller: Function, call: CallBase, mode: str) -> Function:
    """The function that a call asks the derivative of."""
    entry = "__enzyme_autodiff" if mode == "reverse" else "__enzyme_fwddiff"
    args = call.args[_sret(call) :]
    subject = function_of(args[0]) if args else None
    if subject is None:
        raise usage_error(
            module,
            caller,
            call,
            f"the first argument of {entry} must be a function",
            "its value is not known at compile time" if args else "there is no argument",
            "name the function directly",
        )
    if subject.is_declaration and rule_of(module, subject) is None:
        raise usage_error(
            module,
            caller,
            call,
            f"cannot differentiate '{subject.name}': it has no definition in this program",
            "only a function whose body is at hand can be differentiated",
            "compile its source together with this call; a library function has to be called in a function of yours",
        )
    return subject


def read_site(module: Module, caller: Function, call: CallBase, mode: str, subject: Function) -> Site:
    """The arguments of a call, by the parameters of its function."""

    def wrong(what: str, why: str, hint: str) -> UsageError:
        return usage_error(module, caller, call, what, why, hint)

    entry = "__enzyme_autodiff" if mode == "reverse" else "__enzyme_fwddiff"
    args = list(call.args)
    returned_through = args.pop(0) if _sret(call) else None
    activities: list[str] = []
    operands: list[Value] = []
    inferred: list[int] = []
    position = 1

    def following(what: str) -> Value:
        nonlocal position
        if position >= len(args):
            raise wrong(
                f"{entry}: too few arguments for '{subject.name}'",
                f"{what} is missing",
                "pass every argument of the function, each enzyme_dup argument followed by its shadow",
            )
        position += 1
        return args[position - 1]

    def fitted(value: Value, type: Type, what: str, number: int) -> Value:
        """Undo C's promotions of variadic arguments: char, short and bool to int, float to double."""
        have = value.type
        if have is type or (have.is_pointer and type.is_pointer):
            return value
        build = Builder(call.block, before=call)  # type: ignore[arg-type]
        if isinstance(have, IntType) and isinstance(type, IntType) and have.bits > type.bits:
            return build.trunc(value, type)
        if isinstance(have, FloatType) and isinstance(type, FloatType) and have.bits > type.bits:
            return build.float_cast(value, type)
        raise wrong(
            f"{entry}: {what} has type {have}, parameter {number} of '{subject.name}' has type {type}",
            "arguments of a variadic call are not converted to the parameter's type",
            "cast the argument to the parameter's type",
        )

    def unsupported(name: str | None) -> UsageError:
        return wrong(
            f"'{name}' is not supported yet",
            "this version knows enzyme_const, enzyme_dup, enzyme_dupnoneed and enzyme_out",
            "leave it out",
        )

    for parameter in subject.args:
        first = following(f"parameter {parameter.index + 1}")
        known = marker(first)
        if known in OTHER_MARKERS:
            raise unsupported(known)
        if known is not None:
            activity = MARKERS[known]
            first = following(f"the value after {known}")
        else:
            activity = _infer(parameter.type, mode)
            if activity == "const":
                inferred.append(parameter.index)
        activities.append(activity)
        first = fitted(first, parameter.type, f"argument {position}", parameter.index + 1)
        operands.append(first)
        if activity in ("dup", "dupnoneed"):
            shadow = following(f"the shadow of parameter {parameter.index + 1}")
            shadow = fitted(shadow, parameter.type, "the shadow", parameter.index + 1)
            operands.append(shadow)
    if position != len(args):
        left = marker(args[position])
        if left in OTHER_MARKERS:
            raise unsupported(left)
        excess = len(args) - position
        raise wrong(
            f"{entry}: {excess} argument{'s' if excess > 1 else ''} too many for '{subject.name}'",
            f"the function takes {len(subject.args)} parameters: {', '.join(activities)}",
            "pass a shadow only after enzyme_dup arguments",
        )
    result = subject.result_type
    # In reverse mode a vector is a small struct of floats in the C ABI: there is no one number to start from.
    ret = "active" if isinstance(result, FloatType) or (mode == "forward" and is_float(result)) else "const"
    request = Request(subject.name or "", "forward" if mode == "forward" else "reverse", tuple(activities), ret)
    try:
        check_shape(request, subject, call)
    except UsageError as error:
        raise wrong(error.what, error.why or "", error.hint or "") from None
    return Site(call, caller, request, operands, subject, returned_through, tuple(inferred))


def check_shape(request: Request, subject: Function, call: CallBase | None) -> None:
    """Activities that make no sense for the parameter they stand for."""
    if len(request.args) != len(subject.args):
        raise UsageError(
            f"'{subject.name}' takes {len(subject.args)} arguments, {len(request.args)} activities were given",
            why="there is one activity for each parameter",
            hint="give one of const, dup, dupnoneed, out for each",
        )
    for parameter, activity in zip(subject.args, request.args, strict=True):
        number = parameter.index + 1
        if activity == "out" and parameter.type.is_pointer:
            raise UsageError(
                f"parameter {number} of '{subject.name}' is a pointer and cannot be enzyme_out",
                why="the gradient of what a pointer points to is added to a shadow",
                hint="use enzyme_dup and pass the shadow",
            )
        if activity == "out" and request.mode == "forward":
            raise UsageError(
                f"enzyme_out makes no sense in forward mode (parameter {number} of '{subject.name}')",
                why="forward mode takes tangents of inputs",
                hint="use enzyme_dup and pass the tangent after the value",
            )
        if activity in ("dup", "dupnoneed") and request.mode != "forward" and is_float(parameter.type):
            raise UsageError(
                f"parameter {number} of '{subject.name}' is passed by value and cannot be enzyme_dup in reverse mode",
                why="its gradient has to come back as a result",
                hint="use enzyme_out",
            )
        if activity == "out" and parameter.type.is_int and call is None:
            raise UsageError(
                f"parameter {number} of '{subject.name}' is an integer and cannot be 'out'",
                why="integers have no derivative",
                hint="use 'const'",
            )
