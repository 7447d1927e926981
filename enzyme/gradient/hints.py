"""What a program states of memory by calls (``__enzyme_double(p, bytes)``) goes when derivatives have been made."""

from __future__ import annotations

from enzyme.gradient.convention import calls_to
from enzyme.gradient.exceptions import erase_call
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.rules.hints import type_hint


def without_hints(text: str) -> str:
    """A program whose derivatives have all been made."""
    if type_hint(text) is None:
        return text
    module = parse_module(text)
    drop_hints(module)
    return print_module(module)


def drop_hints(module: Module) -> None:
    """Take such calls, and the declarations, out of a program."""
    names = {name for name, function in module.functions.items() if type_hint(name) and function.is_declaration}
    for _, call in calls_to(module, names):
        erase_call(call)
    for name in names:
        if not module.functions[name].users:
            module.remove(module.functions[name])
