"""Functions to differentiate that are given a function which asks for derivatives itself get a copy that names it.

The wrappers of ``<enzyme/enzyme>`` call what they are given through a pointer. Where one wrapper is differentiated for
a function and, inside of that, for another of the same type, the derivative of the wrapper would be made of itself: the
pointer may lead to either. In a copy the call is direct, and the derivatives are made from the inside out.
"""

from __future__ import annotations

from itertools import pairwise

from enzyme.gradient.convention import ENTRY_POINTS, FLAGS, calls_of, function_of, marker, settled
from enzyme.gradient.extract import users_of
from enzyme.gradient.moved_bodies import copy_function
from enzyme.gradient.sites import returns_through_memory
from enzyme.ir.module import Module
from enzyme.ir.types import PTR
from enzyme.ir.values import CallBase, Function, Load

_FOLLOWED = {"enzyme_const": 1, "enzyme_out": 1, "enzyme_dup": 2, "enzyme_dupnoneed": 2}


def hides_given(module: Module) -> bool:
    """Whether the program asks for several derivatives, and the function of one may be given another out of memory:
    code that is not optimised keeps wrappers in locals."""
    calls = list(calls_of(module, ENTRY_POINTS.values()))
    return len(calls) > 1 and any(
        marker(kind) == "enzyme_const" and value.type is PTR and isinstance(settled(value), Load)
        for _, call, _ in calls
        for kind, value in pairwise(call.args)
    )


def name_given(module: Module) -> bool:
    """Make such copies, and let the calls ask for their derivatives; whether there are any."""
    calls = list(calls_of(module, ENTRY_POINTS.values()))
    given = [(call, parameter, function) for _, call, _ in calls for parameter, function in _given(call)]
    if not given:
        return False
    asking = users_of(module, {caller.name or "" for caller, _, _ in calls})
    made: dict[tuple[Function, int, Function], Function] = {}
    for call, parameter, function in given:
        at = int(returns_through_memory(call))
        subject = function_of(call.args[at])
        if function.name not in asking or subject is None:
            continue
        key = subject, parameter, function
        if key not in made:
            made[key] = copy_function(module, subject, f"{subject.name}.given.{function.name}")
            made[key].args[parameter].replace_all_uses_with(function)
        call.set_operand(next(i for i, each in enumerate(call.operands) if each is call.args[at]), made[key])
    return bool(made)


def _given(call: CallBase) -> list[tuple[int, Function]]:
    """Functions that a call passes as constants, by parameter. Where it says anything unusual, none are found."""
    args = list(call.args[returns_through_memory(call) :])
    subject = function_of(args[0]) if args else None
    if subject is None or subject.is_declaration or subject.function_type.vararg:
        return []
    found, at = [], 1
    for parameter in subject.args:
        while at < len(args) and marker(args[at]) in FLAGS:
            at += 1
        kind = marker(args[at]) if at < len(args) else None
        if kind not in _FOLLOWED or any(word.startswith("sret") for word in parameter.attrs) or at + 1 >= len(args):
            break
        value = function_of(args[at + 1])
        if kind == "enzyme_const" and value is not None and parameter.type is PTR and not value.is_declaration:
            found.append((parameter.index, value))
        at += 1 + _FOLLOWED[kind]
    return found
