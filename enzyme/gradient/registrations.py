"""What a program says of its own functions: rules it brings along, functions to be taken as inactive or as like others.

Read from globals whose names contain a key (``void *__enzyme_register_gradient_f[] = {f, augmented, reverse};``), from
function attributes and metadata of the same meaning, and from ``annotate`` attributes. The globals are taken out of the
program: they are words for the engine, not data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from enzyme.ir.module import Module
from enzyme.ir.values import (
    ConstantAggregate,
    ConstantExpr,
    ConstantInt,
    ConstantString,
    Function,
    GlobalAlias,
    GlobalVariable,
    Value,
    is_zero,
)
from enzyme.rules.known import known_callee
from enzyme.support.diagnostics import UsageError

GRADIENT = "__enzyme_register_gradient"
DERIVATIVE = "__enzyme_register_derivative"
SPLIT = "__enzyme_register_splitderivative"
INACTIVE_FUNCTION = "__enzyme_inactivefn"
INACTIVE_GLOBAL = "__enzyme_inactive_global"
NO_FREE = "__enzyme_nofree"
LIKE = "__enzyme_function_like"
ALLOCATION = "__enzyme_allocation_like"
RECOMPUTE = "__enzyme_shouldrecompute"
IGNORE = "__enzyme_ignore_derivatives"
AHEAD = "__enzyme_ahead"

_GLOBAL_KEYS = (
    GRADIENT, DERIVATIVE, SPLIT, INACTIVE_FUNCTION, INACTIVE_GLOBAL, NO_FREE, LIKE, ALLOCATION, RECOMPUTE, AHEAD,
)  # fmt: skip
_WORDS = ("enzyme_inactive", "enzyme_nofree", "enzyme_shouldrecompute", "enzyme_math", "enzyme_loops")
_RULE_METADATA = re.compile(r"!(enzyme_(?:augment|gradient|derivative|splitderivative|inactive)) (![0-9]+)")
_PRESENT = re.compile(
    "|".join(rf"@[^ ]*{key}" for key in (*_GLOBAL_KEYS, IGNORE))
    + r'|"enzyme_(?:inactive|nofree|shouldrecompute|math|loops)"'
    r"|!enzyme_(?:augment|derivative|splitderivative|inactive) "
    r'|c"enzyme_(?:inactive|nofree|shouldrecompute|math|loops)'
)
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")
SAVED_LINKAGE = "enzyme-linkage"
CUSTOM = "enzyme_custom"
RECOMPUTED = "enzyme_shouldrecompute"
LOOPS = "enzyme_loops"
LOOP_PLANS = ("keep", "recompute", "auto")
"""What a function may ask of its loops: a tape, or iterations that run again, where that is right or where it pays."""
INACTIVE_GLOBALS = "enzyme.inactive_globals"
RULE_ATTRIBUTES = {
    "augmented": "enzyme_augment",
    "reverse": "enzyme_gradient",
    "forward": "enzyme_derivative",
    "split_augmented": "enzyme_splitaugment",
    "split_forward": "enzyme_splitderivative",
}


@dataclass(frozen=True)
class Rule:
    """Functions that give derivatives of one function; ``where`` is what registered them.

    ``split_augmented`` and ``split_forward`` are the two halves of a forward derivative that reads a tape.
    """

    function: str
    augmented: str | None = None
    reverse: str | None = None
    forward: str | None = None
    split_augmented: str | None = None
    split_forward: str | None = None
    where: str = ""

    @property
    def functions(self) -> tuple[str, ...]:
        names = (self.augmented, self.reverse, self.forward, self.split_augmented, self.split_forward)
        return tuple(name for name in names if name is not None)


@dataclass(frozen=True)
class AllocationRule:
    """A function that gives fresh memory: which argument is its size, and the function that frees such a block."""

    size: int
    deallocator: str


@dataclass
class Registrations:
    """Everything a program registers, by name of the function."""

    rules: dict[str, Rule] = field(default_factory=dict)
    like: dict[str, str] = field(default_factory=dict)
    allocations: dict[str, AllocationRule] = field(default_factory=dict)
    inactive: set[str] = field(default_factory=set)
    inactive_globals: set[str] = field(default_factory=set)
    nofree: set[str] = field(default_factory=set)
    recompute: set[str] = field(default_factory=set)
    loops: dict[str, str] = field(default_factory=dict)
    ignore: set[str] = field(default_factory=set)
    ahead: dict[tuple[str, str | None], str] = field(default_factory=dict)
    globals: list[str] = field(default_factory=list)

    @property
    def protected(self) -> set[str]:
        """Functions whose calls must still be there when derivatives are made."""
        return {*self.rules, *self.like, *self.allocations, *self.inactive, *self.recompute, *self.loops} | {
            rule.deallocator for rule in self.allocations.values()
        }


def present(text: str) -> bool:
    """Whether a program registers anything."""
    return _PRESENT.search(text) is not None


def read_registrations(module: Module) -> Registrations:
    """What ``module`` registers. Raises :class:`UsageError` with what was expected."""
    found = Registrations()
    for variable in module.globals.values():
        key = max((key for key in _GLOBAL_KEYS if key in (variable.name or "")), key=len, default=None)
        if key is not None:
            _read_global(found, variable, key)
    _read_attributes(found, module)
    _read_annotations(found, module)
    found.ignore = {name for name in module.functions if IGNORE in name}
    return found


# --- globals ---------------------------------------------------------------------------------------------------------


def _read_global(found: Registrations, variable: GlobalVariable, key: str) -> None:
    name = variable.name or ""
    if variable.entity is not None and variable.linkage == "external":
        return  # the unit that defines it says what it registers
    values = _elements(variable)
    found.globals.append(name)
    if key == GRADIENT:
        f, augmented, reverse = _functions(name, values, ("the function", "its augmented primal", "its reverse"))
        _add_rule(found, Rule(f, augmented=augmented, reverse=reverse, where=name))
    elif key == DERIVATIVE:
        f, forward = _functions(name, values, ("the function", "its forward derivative"))
        _add_rule(found, Rule(f, forward=forward, where=name))
    elif key == SPLIT:
        parts = ("the function", "its augmented primal", "its forward derivative that takes the tape")
        f, augmented, forward = _functions(name, values, parts)
        _add_rule(found, Rule(f, split_augmented=augmented, split_forward=forward, where=name))
    elif key == AHEAD:
        expected = '{(void *)function} or {(void *)function, "dup const out"}'
        target, text = without_casts(values[0]), _text_of(values[1]) if len(values) == 2 else None
        if not isinstance(target, Function) or len(values) > 2 or (len(values) == 2 and text is None):
            raise _wrong(name, expected, "it names no function, or something else behind it")
        found.ahead[target.name or "", text] = name
    elif key == LIKE:
        _read_like(found, name, values)
    elif key == ALLOCATION:
        _read_allocation(found, name, values)
    elif key == INACTIVE_GLOBAL:
        for value in values:
            target = without_casts(value)
            if not isinstance(target, GlobalVariable):
                raise _wrong(name, "{&global, ...}", "an element is not the address of a global variable")
            found.inactive_globals.add(target.name or "")
    else:
        into = {INACTIVE_FUNCTION: found.inactive, NO_FREE: found.nofree, RECOMPUTE: found.recompute}[key]
        for value in values:
            target = without_casts(value)
            if not isinstance(target, Function):
                raise _wrong(name, "{(void *)function, ...}", "an element is not the address of a function")
            into.add(target.name or "")


def _elements(variable: GlobalVariable) -> list[Value]:
    value = variable.initializer
    if value is None or is_zero(value):
        raise _wrong(
            variable.name or "",
            "addresses that are known at compile time",
            "it is filled when the program runs, or not at all",
        )
    return list(value.elements) if isinstance(value, ConstantAggregate) else [value]


def without_casts(value: Value) -> Value:
    """Without casts and aliases."""
    while True:
        if isinstance(value, ConstantExpr) and value.opcode in ("bitcast", "addrspacecast", "inttoptr", "ptrtoint"):
            value = value.args[0]
        elif isinstance(value, GlobalAlias) and value.aliasee is not None:
            value = value.aliasee
        else:
            return value


def _functions(name: str, values: list[Value], parts: tuple[str, ...]) -> list[str]:
    expected = "{" + ", ".join(f"(void *){part.removeprefix('its ').replace(' ', '_')}" for part in parts) + "}"
    if len(values) != len(parts):
        raise _wrong(name, expected, f"it has {len(values)} element{'s' if len(values) != 1 else ''}")
    result = []
    for value, part in zip(values, parts, strict=True):
        function = without_casts(value)
        if not isinstance(function, Function):
            raise _wrong(name, expected, f"the element for {part} is not the address of a function")
        result.append(function.name or "")
    return result


def _add_rule(found: Registrations, rule: Rule) -> None:
    old = found.rules.get(rule.function)
    if old is None:
        found.rules[rule.function] = rule
        return
    merged = {}
    for part in ("augmented", "reverse", "forward", "split_augmented", "split_forward"):
        before, now = getattr(old, part), getattr(rule, part)
        if before is not None and now is not None and before != now:
            raise UsageError(
                f"'{rule.where}' registers a second derivative of '{rule.function}'",
                why=f"'{old.where}' has registered one already",
                hint="register one of each kind for a function",
            )
        merged[part] = before if before is not None else now
    found.rules[rule.function] = Rule(rule.function, **merged, where=f"{old.where}, {rule.where}")


def _read_like(found: Registrations, name: str, values: list[Value]) -> None:
    expected = '{(void *)function, "name"}'
    if len(values) != 2:
        raise _wrong(name, expected, f"it has {len(values)} element{'s' if len(values) != 1 else ''}")
    function, like = without_casts(values[0]), _text_of(values[1])
    if not isinstance(function, Function):
        raise _wrong(name, expected, "the first element is not the address of a function")
    if like is None:
        raise _wrong(name, expected, "the second element is not a string")
    _add_like(found, name, function, like)


def _add_like(found: Registrations, where: str, function: Function, like: str) -> None:
    if known_callee(like, function.function_type) is None:
        raise UsageError(
            f"'{where}' says that '{function.name}' is like '{like}', and nothing is known of that",
            why=f"there is no rule for a function '{like}' of type {function.function_type}",
            hint="name a function of the C library, and give yours the same parameters and result",
        )
    found.like[function.name or ""] = like


def _read_allocation(found: Registrations, name: str, values: list[Value]) -> None:
    expected = '{(void *)allocate, (void *)index_of_the_size, "-1", (void *)deallocate}'
    if len(values) != 4:
        raise _wrong(name, expected, f"it has {len(values)} element{'s' if len(values) != 1 else ''}")
    allocate, size, text, free = (
        without_casts(values[0]),
        without_casts(values[1]),
        _text_of(values[2]),
        without_casts(values[3]),
    )
    if not isinstance(allocate, Function) or not isinstance(free, Function):
        raise _wrong(name, expected, "the first and the last element are not addresses of functions")
    index = size.value if isinstance(size, ConstantInt) else 0 if is_zero(size) else None
    params = allocate.function_type.params
    if index is None or not 0 <= index < len(params) or not params[index].is_int:
        raise _wrong(name, expected, f"'{allocate.name}' has no integer parameter at this index, counted from 0")
    if not allocate.function_type.result.is_pointer:
        raise _wrong(name, expected, f"'{allocate.name}' does not return a pointer")
    if text != "-1" or len(free.function_type.params) != 1 or not free.function_type.params[0].is_pointer:
        raise _wrong(name, expected, f"'{free.name}' must take the block's address, and nothing else")
    found.allocations[allocate.name or ""] = AllocationRule(index, free.name or "")


def _text_of(value: Value) -> str | None:
    value = without_casts(value)
    if isinstance(value, GlobalVariable) and isinstance(value.initializer, ConstantString):
        return _decoded(value.initializer.spelling)
    return None


def _decoded(spelling: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)), spelling.removeprefix('c"').removesuffix('"')).rstrip("\0")


def _wrong(name: str, expected: str, why: str) -> UsageError:
    return UsageError(f"'{name}' does not register anything", why=why, hint=f"expected: {name}[] = {expected}")


# --- attributes, metadata, annotations -------------------------------------------------------------------------------


def _read_attributes(found: Registrations, module: Module) -> None:
    for name, function in module.functions.items():
        for key, value in marks(module, function).items():
            _mark(found, function, key, value)
        given = rule_of(module, function)
        if given is not None:
            found.rules[name] = given
        header = " ".join((*function.prefix, function.suffix))
        nodes = dict(_RULE_METADATA.findall(header))
        if "enzyme_inactive" in nodes:
            found.inactive.add(name)
        rule = {key: _metadata_function(module, node) for key, node in nodes.items() if key != "enzyme_inactive"}
        if rule:
            split = "enzyme_splitderivative" in rule
            made = Rule(
                name,
                augmented=None if split else rule.get("enzyme_augment"),
                reverse=rule.get("enzyme_gradient"),
                forward=rule.get("enzyme_derivative"),
                split_augmented=rule.get("enzyme_augment") if split else None,
                split_forward=rule.get("enzyme_splitderivative"),
                where=f"metadata of '{name}'",
            )
            _add_rule(found, made)


def _mark(found: Registrations, function: Function, key: str, value: str) -> None:
    name = function.name or ""
    if key == "enzyme_inactive":
        found.inactive.add(name)
    elif key == "enzyme_nofree":
        found.nofree.add(name)
    elif key == "enzyme_shouldrecompute":
        found.recompute.add(name)
    elif key == LOOPS:
        if value not in LOOP_PLANS:
            raise UsageError(
                f"'{name}' asks its loops for something that is not known: '{value}'",
                function=name,
                why=f"{LOOPS} says what is done with the values that iterations leave for the reverse sweep",
                hint=f"use one of {', '.join(LOOP_PLANS)}",
            )
        found.loops[name] = value
    elif key == "enzyme_math" and value:
        _add_like(found, f"attribute enzyme_math of '{name}'", function, value)


def _metadata_function(module: Module, node: str) -> str | None:
    found = re.search(r'ptr @([-\w$.]+|"[^"]*")', module.metadata_text(node))
    return found[1].strip('"') if found else None


def _read_annotations(found: Registrations, module: Module) -> None:
    """``__attribute__((annotate("enzyme_inactive")))``: rows of {what, text, file, line, arguments}."""
    table = module.globals.get("llvm.global.annotations")
    rows = table.initializer if table is not None else None
    if not isinstance(rows, ConstantAggregate):
        return
    for row in rows.elements:
        if not isinstance(row, ConstantAggregate) or len(row.elements) < 2:
            continue
        target, text = without_casts(row.elements[0]), _text_of(row.elements[1])
        key, _, value = (text or "").partition("=")
        if key not in _WORDS:
            continue
        if isinstance(target, Function):
            _mark(found, target, key, value)
        elif isinstance(target, GlobalVariable) and key == "enzyme_inactive":
            found.inactive_globals.add(target.name or "")


# --- what a settled program says -----------------------------------------------------------------------------------


def marks(module: Module, function: Function) -> dict[str, str]:
    """The attributes of a function that concern the engine, with their values."""
    found = {}
    for word in module.fn_attributes(function):
        if word.startswith('"enzyme_'):
            key, _, value = word.partition("=")
            found[key.strip('"')] = value.strip('"')
    return found


def rule_of(module: Module, function: Function) -> Rule | None:
    """The rule registered for a function of a settled module."""
    found = marks(module, function)
    parts = {part: found.get(key) for part, key in RULE_ATTRIBUTES.items()}
    if not any(parts.values()):
        return None
    return Rule(function.name or "", **parts, where=found.get("enzyme_registered_by", ""))


def mentioned_by_rules(module: Module, name: str) -> tuple[str, ...]:
    """Functions that a function's rule needs."""
    function = module.functions.get(name)
    if function is None:
        return ()
    rule, found = rule_of(module, function), marks(module, function)
    freed = found.get("enzyme_deallocator")
    made_ahead = [each for letters in variants_of(found) for each in rule_for(name, letters, "").functions]
    return (*(rule.functions if rule is not None else ()), *made_ahead, *((freed,) if freed else ()))


def variants_of(found: dict[str, str]) -> list[str]:
    """Activities that derivatives made ahead of time have, a letter a parameter."""
    return found["enzyme_ahead"].split(",") if "enzyme_ahead" in found else []


def ahead_symbol(kind: str, letters: str, name: str) -> str:
    """What a derivative made ahead of time is called in object files."""
    return f"enzyme.ahead.{kind}.{letters or 'none'}.{name}"


def rule_for(name: str, letters: str, where: str) -> Rule:
    """The rule of a function whose derivatives another unit has made."""
    augmented, reverse, forward = (ahead_symbol(kind, letters, name) for kind in ("augmented", "reverse", "forward"))
    return Rule(name, augmented=augmented, reverse=reverse, forward=forward, where=where)


def inactive_globals(module: Module) -> frozenset[str]:
    """Names of the globals that are declared to hold no active data."""
    found = set()
    for node in re.findall(r"![0-9]+", module.metadata.get(INACTIVE_GLOBALS, "")):
        found.update(re.findall(r'!"([^"]*)"', module.metadata_text(node)))
    return frozenset(found)
