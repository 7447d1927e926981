"""Assembly without instructions, by which programs keep the optimiser from a value: it is what it is given.

It goes before functions are prepared, so that what went through memory for its sake is promoted like other locals.
"""

from __future__ import annotations

import re

from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.values import Call, ConstantToken, Function, InlineAsm, Value

_EMPTY = re.compile(r'asm (?:[a-z]+ )*"\s*", "([^"]*)"')


def without_barriers(text: str) -> str:
    """The program with such assembly replaced by its operands."""
    if _EMPTY.search(text) is None:
        return text
    module: Module = parse_module(text)
    for function in module.functions.values():
        if not function.is_declaration:
            _drop_barriers(function)
    return print_module(module)


def _drop_barriers(function: Function) -> None:
    for inst in list(function.instructions()):
        if isinstance(inst, Call) and isinstance(inst.callee, InlineAsm):
            found = _EMPTY.fullmatch(inst.callee.spelling)
            if found is not None:
                _replace(inst, found[1].split(","))


def _replace(call: Call, constraints: list[str]) -> None:
    """An output is what the input that shares its register was; one in memory without such an input stays as it is."""
    outputs = [part for part in constraints if part.startswith("=")]
    inputs = [part for part in constraints if not part.startswith(("=", "~"))]
    places = [index for index, part in enumerate(outputs) if part.startswith("=*")]
    if len(call.args) != len(places) + len(inputs):
        return
    pointers = dict(zip(places, call.args, strict=False))
    given = {int(part): call.args[len(places) + index] for index, part in enumerate(inputs) if part.isdecimal()}
    results = [given.get(index) for index in range(len(outputs)) if index not in pointers]
    if any(value is None for value in results) or call.block is None:
        return
    build = Builder(call.block, before=call)
    for index, pointer in pointers.items():
        if index in given:
            build.store(given[index], pointer)
    whole: Value | None = results[0] if len(results) == 1 else None
    if len(results) > 1:
        whole = ConstantToken(call.type, "poison")
        for index, value in enumerate(results):
            assert value is not None
            whole = build.insert_value(whole, value, index)
    if whole is not None:
        call.replace_all_uses_with(whole)
    call.erase()
