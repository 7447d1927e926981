"""Variadic functions of the program become functions with the parameters that each call gives them.

C++ libraries choose among overloads with ``f(...)`` as the last resort, C before C23 writes ``f()``: what is behind the
parameters is never looked at, and one function without it does for all calls. A function that walks a ``va_list`` is
made once for each list of types it is called with: it puts what is behind its parameters into a local, in the order and
at the places of the x86-64 ABI's overflow area, and its list says that no registers are left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from enzyme.gradient.aggregates import path_offset
from enzyme.gradient.candidates import AddressIndex, indirect_callee
from enzyme.gradient.dispatch import replace_by_dispatch
from enzyme.gradient.exceptions import replace_call
from enzyme.gradient.moved_bodies import copy_function, direct_calls, move_body, read_bodies
from enzyme.ir.builder import Builder
from enzyme.ir.intrinsics import MEMCPY
from enzyme.ir.module import Module
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import I1, I8, I32, I64, PTR, ArrayType, FunctionType, StructType, Type
from enzyme.ir.values import CallBase, ConstantInt, Function, InlineAsm, Value


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


# --- functions that walk a va_list -----------------------------------------------------------------------------------

_NO_INTEGERS_LEFT, _NO_NUMBERS_LEFT = 48, 304
"""Offsets behind the last register of either kind in the ABI's register save area."""
_OVERFLOW, _SAVED = 8, 16
_WORD = 8


def with_known_lists(text: str, index: AddressIndex) -> str:
    """A program in which every call of such a function is one of a function with the parameters that it needs, also
    where the call is made through a pointer; ``index`` knows the whole program."""
    if "@llvm.va_start" not in text:
        return text
    module = parse_module(text)
    if not module.triple.startswith("x86_64") or "windows" in module.triple:
        return text
    found = [f for f in module.functions.values() if not f.is_declaration and f.function_type.vararg]
    read_bodies(module)
    _name_targets(module, index)
    specialised = [_specialise(module, function) for function in found]
    if not any(specialised):
        return text
    from enzyme.llvm.pipelines import with_known_branches

    return with_known_branches(print_module(module))


def _name_targets(module: Module, index: AddressIndex) -> None:
    """Calls through pointers of functions that walk a list become choices among those."""
    functions = [f for f in module.functions.values() if not f.is_declaration]
    calls = [i for f in functions for i in f.instructions() if indirect_callee(i) is not None]
    for number, call in enumerate(c for c in calls if isinstance(c, CallBase) and c.callee_type.vararg):
        targets = [module.functions[name] for name in index.of(call, module)]
        if any(not target.is_declaration and _looks_behind(target) for target in targets):
            made = replace_by_dispatch(module, call, number, targets, False)
            made.attrs = (*made.attrs, "noinline")


def _specialise(module: Module, function: Function) -> bool:
    """Every call gets the function with parameters of its own, also in those bodies. Whether there was any."""
    made: dict[tuple[object, ...], Function] = {}
    while True:
        calls = [c for c in direct_calls(function) if c.callee_type is function.function_type and c.block is not None]
        if not calls:
            return bool(made)
        for call in calls:
            fixed = len(function.function_type.params)
            behind = tuple(_Behind.of(module, call, index) for index in range(fixed, len(call.args)))
            if behind not in made:
                made[behind] = _copy_for(module, function, behind)
            new, _ = replace_call(call, made[behind], call.args)
            words = [tuple(w for w in each if not w.startswith(("byval", "align"))) for each in call.arg_attrs[fixed:]]
            new.arg_attrs = (*call.arg_attrs[:fixed], *words)
            new.result_attrs, new.attrs = call.result_attrs, call.attrs
            new.name, new.metadata = call.name, dict(call.metadata)
            call.replace_all_uses_with(new)
            call.erase()


@dataclass(frozen=True)
class _Behind:
    """A value behind the parameters: its type as passed, the type in memory, its alignment there."""

    passed: Type
    stored: Type
    align: int

    @staticmethod
    def of(module: Module, call: CallBase, index: int) -> _Behind:
        from enzyme.gradient.normalise import attribute_type

        passed = call.args[index].type
        words = call.arg_attrs[index] if index < len(call.arg_attrs) else ()
        stored = attribute_type(module, words, "byval") or passed
        given = [int(word.split()[1]) for word in words if word.startswith("align ")] if stored is not passed else []
        align = max([module.datalayout.abi_align(stored), *given])
        return _Behind(passed, stored, 2 * _WORD if align > _WORD else _WORD)


def _laid_out(module: Module, behind: tuple[_Behind, ...]) -> tuple[Type, list[int]]:
    """The local's type, and the index in it of each value."""
    layout = module.datalayout
    if behind and all(each.stored is behind[0].stored and layout.alloc_size(each.stored) == _WORD for each in behind):
        return ArrayType(len(behind), behind[0].stored), list(range(len(behind)))
    parts: list[Type] = []
    indices, at = [], 0
    for each in behind:
        if at % each.align:
            parts.append(I64)
            at += _WORD
        indices.append(len(parts))
        parts.append(each.stored)
        at += layout.alloc_size(each.stored)
        if at % _WORD:
            parts.append(ArrayType(-at % _WORD, I8))
            at += -at % _WORD
    return StructType.literal((*parts, I64)), indices


def _copy_for(module: Module, function: Function, behind: tuple[_Behind, ...]) -> Function:
    # Rounds of derivatives meet such functions again: those of one name are the same.
    given = "_".join(re.sub(r"\W+", "", str(each.stored)) for each in behind)
    further = [(f"behind.{index}", each.passed) for index, each in enumerate(behind)]
    made = copy_function(module, function, f"{function.name}.given.{given or 'nothing'}", further=further)
    local, indices = _laid_out(module, behind)
    build = Builder(made.entry, before=made.entry.instructions[0])
    memory = build.alloca(local, align=2 * _WORD, name="behind")
    copy = module.declare_function(*MEMCPY)
    for each, index, value in zip(behind, indices, made.args[len(function.args) :], strict=True):
        place = build.offset(memory, path_offset(module.datalayout, local, (index,)))
        if each.stored is each.passed:
            build.store(value, place)
        else:
            build.call(
                copy, [place, value, ConstantInt(I64, module.datalayout.alloc_size(each.stored)), ConstantInt(I1, 0)]
            )
    for inst in list(made.instructions()):
        if isinstance(inst, CallBase) and (inst.callee_name or "").startswith("llvm.va_"):
            _answer(inst, memory)
    return made


def _answer(inst: CallBase, memory: Value) -> None:
    """What an intrinsic on a ``va_list`` does."""
    assert inst.block is not None and inst.callee_name is not None
    build = Builder(inst.block, before=inst)
    if inst.callee_name.startswith("llvm.va_start"):
        place = inst.args[0]
        build.store(ConstantInt(I32, _NO_INTEGERS_LEFT), place)
        build.store(ConstantInt(I32, _NO_NUMBERS_LEFT), build.offset(place, 4))
        build.store(memory, build.offset(place, _OVERFLOW))
        build.store(memory, build.offset(place, _SAVED))
    elif inst.callee_name.startswith("llvm.va_copy"):
        to, source = inst.args
        for at, type in ((0, I32), (4, I32), (_OVERFLOW, PTR), (_SAVED, PTR)):
            build.store(build.load(type, build.offset(source, at)), build.offset(to, at))
    inst.erase()
