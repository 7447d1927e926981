"""A program with what it registers put where the engine looks for it, before and after the first optimisation."""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.gradient.ahead import declared, defined, letters_of, markers_needed
from enzyme.gradient.registrations import (
    CUSTOM,
    IGNORE,
    INACTIVE_GLOBALS,
    LOOPS,
    RECOMPUTED,
    RULE_ATTRIBUTES,
    SAVED_LINKAGE,
    Registrations,
    Rule,
    present,
    read_registrations,
    rule_for,
    without_casts,
)
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module, in_order
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.types import ArrayType, FloatType
from enzyme.ir.values import (
    ConstantAggregate,
    ConstantExpr,
    Function,
    GetElementPtr,
    GlobalVariable,
    Load,
    Store,
    Value,
)
from enzyme.rules.known_cxx import stays_call
from enzyme.support.diagnostics import UsageError

_STRING = "basic_string"


def settled(text: str) -> str:
    """The program as the engine wants it."""
    module = parse_module(text)
    restore(module)
    further = settle(module)
    text = print_module(module)
    if not further:
        return text
    from enzyme.llvm.context import canonical

    return canonical(text + "\n" + further)


def settle(module: Module) -> str:
    """Turn what the program registers into attributes of its functions, which is all that the engine looks at, and take
    the globals out. ``__enzyme_ignore_derivatives`` becomes an inactive function that returns its argument. The result
    is further text for the program."""
    found = read_registrations(module)
    _not_at_once(module, found)
    for name in found.ignore:
        _define_identity(module.functions[name])
        found.inactive.add(name)
    for rule in found.rules.values():
        _attach(module, rule)
    for name, like in found.like.items():
        _attribute(module, name, "enzyme_math", like)
    for name, allocation in found.allocations.items():
        _attribute(module, name, "enzyme_allocator", str(allocation.size))
        _attribute(module, name, "enzyme_deallocator", allocation.deallocator)
        _attribute(module, allocation.deallocator, "enzyme_deallocates")
    for name, plan in found.loops.items():
        _attribute(module, name, LOOPS, plan)
    marked = ((found.inactive, "enzyme_inactive"), (found.nofree, "enzyme_nofree"), (found.recompute, RECOMPUTED))
    for names, key in marked:
        for name in names:
            _attribute(module, name, key)
    if found.inactive_globals:
        nodes = [module.add_metadata(f'!{{!"{name}"}}') for name in sorted(found.inactive_globals)]
        module.metadata[INACTIVE_GLOBALS] = f"!{{{', '.join(nodes)}}}"
        _keep_accesses(module, found.inactive_globals)
    further = _ahead(module, found)
    _take_out(module, found.globals)
    return further


def _not_at_once(module: Module, found: Registrations) -> None:
    """Functions that the program registers are inlined after derivatives are made, not wherever they are called."""
    for name in found.protected:
        function = module.functions.get(name)
        words = module.resolve_attributes(function.attrs) if function is not None else frozenset()
        if function is not None and "alwaysinline" in words:
            function.attrs = in_order(words - {"alwaysinline"} | {"inlinehint"})


def _attach(module: Module, rule: Rule) -> None:
    _attribute(module, rule.function, CUSTOM)
    for part, key in RULE_ATTRIBUTES.items():
        value = getattr(rule, part)
        if value is not None:
            _attribute(module, rule.function, key, value)
    _attribute(module, rule.function, "enzyme_registered_by", rule.where)


def _keep_accesses(module: Module, names: set[str]) -> None:
    """Make the accesses of numbers in these globals ``volatile``, where anything is stored: what is read there is read
    from the global, which has no derivative, and is not the stored number, which may have one. Without this it would
    be the optimiser's choice."""
    found: dict[str, list[Load | Store]] = {}
    stored = set()
    for function in module.functions.values():
        if function.is_declaration or not any(name in (function.body_text or name) for name in names):
            continue
        for inst in function.instructions():
            if isinstance(inst, (Load, Store)) and (name := _global_behind(inst.pointer)) in names:
                if isinstance((inst.value if isinstance(inst, Store) else inst).type.scalar, FloatType):
                    found.setdefault(name, []).append(inst)
                    stored |= {name} if isinstance(inst, Store) else set()
    for name in stored:
        for inst in found[name]:
            if not inst.flags:
                inst.flags = ("volatile",)


def _global_behind(pointer: Value) -> str:
    while isinstance(pointer, (GetElementPtr, ConstantExpr)):
        pointer = pointer.base if isinstance(pointer, GetElementPtr) else pointer.args[0]
    return (pointer.name or "") if isinstance(pointer, GlobalVariable) else ""


def _ahead(module: Module, found: Registrations) -> str:
    """Derivatives made ahead of time: definitions beside a function's own, rules where it is only declared."""
    wanted: dict[str, dict[str, str]] = {}
    for (name, activities), where in found.ahead.items():
        letters = letters_of(module.functions[name], activities, where)
        wanted.setdefault(name, {})[letters] = where
    further: list[str] = []
    for name, variants in wanted.items():
        function = module.functions[name]
        if not function.is_declaration:
            further += [defined(function, letters, where) for letters, where in variants.items()]
        elif name not in found.rules:
            _attach(module, rule_for(name, *next(iter(variants.items()))))
            _attribute(module, name, "enzyme_ahead", ",".join(variants))
            further += [declared(function, letters) for letters in variants]
    return markers_needed(module) + "\n".join(further) if further else ""


def _attribute(module: Module, name: str, key: str, value: str = "") -> None:
    function = module.functions.get(name)
    if function is None:
        return
    word = f'"{key}"="{value}"' if value else f'"{key}"'
    if word not in module.fn_attributes(function):
        function.attrs = (*function.attrs, word)


def _define_identity(function: Function) -> None:
    type = function.function_type
    if not function.is_declaration:
        return
    if len(type.params) != 1 or type.result is not type.params[0] or type.vararg or type.result.is_pointer:
        raise UsageError(
            f"'{function.name}' must take one number and return it",
            why=f"it is declared as {type}",
            hint=f"expected: double {IGNORE}(double), or the same with another type of number",
        )
    function.prefix = ("internal",)  # not inlined before derivatives are made: its argument would be used instead
    Builder(function.append_block("entry")).ret(function.args[0])


def _take_out(module: Module, names: Iterable[str]) -> None:
    """Remove the globals that registered something, also from the lists of what must be kept."""
    gone = {name for name in names if name in module.globals}
    for kept in ("llvm.used", "llvm.compiler.used"):
        table = module.globals.get(kept)
        value = table.initializer if table is not None else None
        if table is None or not isinstance(value, ConstantAggregate):
            continue
        rest = [each for each in value.elements if without_casts(each).name not in gone]
        if len(rest) == len(value.elements):
            continue
        module.remove(table)
        if rest:
            _add_kept(module, kept, rest)
    for name in gone:
        module.remove(module.globals[name])


def _add_kept(module: Module, name: str, values: list[Value]) -> None:
    type = ArrayType(len(values), values[0].type)
    table = ConstantAggregate(type, values)
    made = module.add_global(name, type, table, "appending")
    made.entity = f'@{name} = appending global {type} {table.text}, section "llvm.metadata"'


# --- keeping calls through an optimisation that comes first ----------------------------------------------------------

_LINKAGES = frozenset(
    "private internal available_externally linkonce weak common appending extern_weak linkonce_odr weak_odr "
    "external".split()
)


def to_protect(text: str) -> bool:
    """Whether :func:`protect` has anything to do."""
    return present(text) or ("__enzyme_" in text and _STRING in text)


def protect(text: str) -> str:
    """The program with every registered function ``weak``, and those of the C++ library that stay calls: another
    definition might take its place, as far as LLVM knows, so it neither inlines the function nor uses what it sees in
    its body. :func:`restore` undoes it."""
    module = parse_module(text)
    library = [name for name in module.functions if stays_call(name)]
    found = read_registrations(module)
    _keep_accesses(module, found.inactive_globals)
    _not_at_once(module, found)
    for name in (*found.protected, *library):
        function = module.functions.get(name)
        if function is None or function.is_declaration:
            continue
        linkage = next((word for word in function.prefix if word in _LINKAGES), "external")
        function.prefix = ("weak", *(word for word in function.prefix if word not in _LINKAGES))
        function.attrs = (*function.attrs, f'"{SAVED_LINKAGE}"="{linkage}"')
    return print_module(module)


def restore(module: Module) -> None:
    """Give protected functions their own linkage back."""
    mark = f'"{SAVED_LINKAGE}"='
    for function in module.functions.values():
        words = module.resolve_attributes(function.attrs)
        saved = next((word for word in words if word.startswith(mark)), None)
        if saved is None:
            continue
        linkage = saved.removeprefix(mark).strip('"')
        rest = tuple(word for word in function.prefix if word not in _LINKAGES)
        function.prefix = rest if linkage == "external" else (linkage, *rest)
        function.attrs = in_order(words - {saved})
