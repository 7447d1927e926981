"""Calls: what is called, what is known of it, and which derivative of it a call needs."""

from __future__ import annotations

from enzyme.analysis.dispatched import is_dispatch
from enzyme.gradient.primal import PrimalCopy
from enzyme.gradient.request import Mode, Request
from enzyme.ir.values import CallBase, ConstantToken, Function
from enzyme.rules.known import KnownCallee, known_callee
from enzyme.support.diagnostics import TypeUnknownError


def defined_callee(inst: CallBase) -> Function | None:
    """The called function when its body is at hand."""
    callee = inst.callee
    return callee if isinstance(callee, Function) and not callee.is_declaration else None


def facts(inst: CallBase) -> KnownCallee | None:
    """What is known of a called function that is not defined here."""
    if defined_callee(inst) is not None or inst.callee_name is None:
        return None
    return known_callee(inst.callee_name, inst.callee_type)


def call_request(copy: PrimalCopy, inst: CallBase, callee: Function, mode: Mode) -> Request:
    """The derivative of the callee that this call needs."""
    subject, activity, width = copy.subject, copy.activity, copy.request.width
    if callee.function_type.vararg or callee.function_type is not inst.callee_type:
        raise subject.refuse(
            inst,
            f"cannot differentiate a call to '{callee.name}'",
            "it takes a variable number of arguments"
            if callee.function_type.vararg
            else f"it is called as {inst.callee_type} and defined as {callee.function_type}",
            "give the function a fixed list of parameters, and call it by its own type",
        )
    for passed in (inst, *inst.args):
        if passed.type.is_int and activity.active_value(passed) and activity.needs_shadow(passed):
            raise subject.refuse(
                inst,
                f"what '{callee.name}' is given or returns as an integer is a number or a pointer",
                "a number has an adjoint and a pointer a shadow, and both would be needed",
                "pass the union or struct by pointer",
                TypeUnknownError,
            )
    args: list[str] = []
    for index, actual in enumerate(inst.args):
        if index == 0 and is_dispatch(callee):
            args.append("const")
        elif isinstance(actual, ConstantToken) and actual.type.is_pointer:
            args.append("dup")  # no pointer at all is its own shadow, and may meet others that have one in the callee
        elif actual.type.scalar.is_pointer or (not activity.active_value(actual) and activity.needs_shadow(actual)):
            args.append("dup" if activity.needs_shadow(actual) else "const")
        elif activity.active_value(actual):
            args.append("dup" if mode == "forward" else "out")
        else:
            args.append("const")
    ret = "const"
    if activity.active_value(inst):
        ret = "active"
    elif inst.type.is_pointer and inst.users and activity.needs_shadow(inst):
        ret = "dup"
    name = callee.name or ""
    has_result = not inst.type.is_void
    strict = is_dispatch(subject.function)
    return Request(
        name,
        mode,
        tuple(args),
        ret,
        return_primal=has_result,
        stable_memory=mode == "forward",
        nested=True,
        strict=strict,
        globals=copy.shadowed_globals,
        leading=copy.leading_globals,
        inert=copy.inert_globals,
        width=width,
        runtime_activity=copy.request.runtime_activity,
        mixed=copy.request.mixed,
        strong_zero=copy.request.strong_zero,
    )
