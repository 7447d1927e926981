"""Finished programs that another compiler goes on with: they say themselves which CPU they are for.

Inside of the engine code generation is told that (:func:`enzyme.frontends.clang.strip_target`).
"""

from __future__ import annotations

from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.llvm.codegen import cpu_and_features
from enzyme.llvm.legacy_sse import BY_NAME


def with_target(text: str, cpu: str) -> str:
    """A finished program that says itself which CPU it is for, as what other compilers write does."""
    if not cpu:
        return text
    module = parse_module(text)
    name_target(module, cpu)
    return print_module(module)


def name_target(module: Module, cpu: str) -> None:
    """Say of every function of a finished program which CPU it is for, as the next compiler has to know: a vector that
    an AVX2 function of mathematics takes in one register is passed in two by code for any x86-64."""
    sse4a = any(function.startswith(BY_NAME) for function in module.functions)
    name, features = cpu_and_features(cpu, module.triple, sse4a)
    for function in module.functions.values() if name else ():
        own = " ".join((*function.attrs, *module.fn_attributes(function)))
        if not function.is_declaration and '"target-' not in own:
            more = (f'"target-features"="{features}"',) if features else ()
            function.attrs = (*function.attrs, f'"target-cpu"="{name}"', *more)
