"""Functions that are declared variadic and never look at what is behind their parameters.

C++ libraries choose among overloads with ``f(...)`` as the last resort, C before C23 writes ``f()``. Such a function is
given the fixed parameters it has under another name, and is called by that one.
"""

from __future__ import annotations

from enzyme.gradient.exceptions import replace_call
from enzyme.gradient.moved_bodies import direct_calls, move_body, read_bodies
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import FunctionType
from enzyme.ir.values import CallBase, Function, InlineAsm


def fix_parameters(module: Module) -> None:
    """Rewrite every such function that another function of the module calls."""
    found = [f for f in module.functions.values() if not f.is_declaration and f.function_type.vararg]
    if not found:
        return
    read_bodies(module)
    for function in found:
        calls = direct_calls(function)
        if calls and not _looks_behind(function):
            _convert(module, function, calls)


def _looks_behind(function: Function) -> bool:
    return any(
        isinstance(inst, CallBase)
        and (isinstance(inst.callee, InlineAsm) or (inst.callee_name or "").startswith("llvm.va_"))
        for inst in function.instructions()
    )


def _convert(module: Module, function: Function, calls: list[CallBase]) -> None:
    params = function.function_type.params
    type = FunctionType(function.result_type, params)
    made = move_body(module, function, "fixed", type, [a.name for a in function.args])
    for mine, theirs in zip(made.args, function.args, strict=True):
        mine.attrs = theirs.attrs
        theirs.replace_all_uses_with(mine)
    build = Builder(function.append_block("entry"))
    result = build.call(made, function.args)
    build.ret(None if function.result_type.is_void else result)
    for call in calls:
        count = len(params)
        new, _ = replace_call(call, made, call.args[:count])
        new.arg_attrs, new.result_attrs, new.attrs = call.arg_attrs[:count], call.result_attrs, call.attrs
        new.name, new.metadata = call.name, dict(call.metadata)
        call.replace_all_uses_with(new)
        call.erase()
