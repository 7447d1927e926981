"""Names of the calling convention: entry points, markers, and what a call argument stands for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from enzyme.gradient.other_names import definition_of
from enzyme.ir.module import Module
from enzyme.ir.types import IntType
from enzyme.ir.values import (
    Alloca,
    CallBase,
    Cast,
    ConstantExpr,
    ConstantInt,
    DebugRecord,
    Freeze,
    Function,
    GlobalAlias,
    GlobalVariable,
    Instruction,
    Load,
    MetadataOperand,
    Return,
    Store,
    Value,
)

ENTRY_POINTS = {
    "__enzyme_autodiff": "autodiff",
    "__enzyme_fwddiff": "fwddiff",
    "__enzyme_fwdsplit": "fwdsplit",
    "__enzyme_augmentfwd": "augmentfwd",
    "__enzyme_reverse": "reverse",
    "__enzyme_augmentsize": "augmentsize",
    "__enzyme_virtualreverse": "virtualreverse",
    "__enzyme_batch": "batch",
}
WITHOUT_DERIVATIVE = ("batch", "augmentsize", "virtualreverse")
"""Entry points that ask for none: their calls are replaced first."""
MARKERS = {
    "enzyme_const": "const",
    "enzyme_dup": "dup",
    "enzyme_dupnoneed": "dupnoneed",
    "enzyme_out": "out",
    "enzyme_dupv": "dup",
    "enzyme_dupnoneedv": "dupnoneed",
}
"""Markers of an argument, and the activity each stands for."""
WITH_STRIDE = ("enzyme_dupv", "enzyme_dupnoneedv")
BATCH_MARKERS = ("enzyme_scalar", "enzyme_vector", "enzyme_buffer")
FLAGS = (
    "enzyme_nofree",
    "enzyme_primal_return",
    "enzyme_noret",
    "enzyme_const_return",
    "enzyme_active_return",
    "enzyme_dup_return",
    "enzyme_runtime_activity",
    "enzyme_strong_zero",
    "enzyme_interleave",
    "enzyme_not_overwritten",
)
"""Markers that stand alone."""
WITH_VALUE = ("enzyme_width", "enzyme_tape", "enzyme_allocated", "enzyme_byref")
"""Markers that are followed by a value."""
ALL_MARKERS = (*MARKERS, *BATCH_MARKERS, *FLAGS, *WITH_VALUE)
_KNOWN = re.compile(rf"(?:^|[^a-z_]|_ZL?\d*|\d)({'|'.join(sorted(ALL_MARKERS, key=len, reverse=True))})(?![a-z_])")


def entry_point(name: str | None) -> str | None:
    """The entry point a function's name contains."""
    if name is None or "__enzyme_" not in name:
        return None
    return next((kind for key, kind in ENTRY_POINTS.items() if key in name), None)


def calls_of(module: Module, kinds: Iterable[str]) -> list[tuple[Function, CallBase, str]]:
    """The calls of some entry points: the function that calls, the call, the entry point."""
    wanted = frozenset(kinds)
    names = {name: kind for name in module.functions if (kind := entry_point(name)) in wanted}
    return [(caller, call, str(names[call.callee_name or ""])) for caller, call in calls_to(module, names)]


def calls_to(module: Module, names: Collection[str]) -> list[tuple[Function, CallBase]]:
    """The calls of functions by name: the function that calls, the call."""
    found: list[tuple[Function, CallBase]] = []
    for caller in module.functions.values() if names else ():
        text = caller.body_text  # None when the body has been read
        if caller.is_declaration or (text is not None and not any(name in text for name in names)):
            continue
        for inst in caller.instructions():
            if isinstance(inst, CallBase) and inst.callee_name in names:
                found.append((caller, inst))
    return found


def weak_name(value: Value) -> GlobalAlias | None:
    """The weak name of a function that a value is (other names are not left)."""
    found = settled(value, aliases=False)
    return found if isinstance(found, GlobalAlias) and definition_of(found) else None


def settled(value: Value, aliases: bool = True) -> Value:
    """What a value is, through casts, aliases, constant globals and locals that are written once (code that is not
    optimised keeps everything in locals)."""
    while True:
        if isinstance(value, ConstantExpr) and value.opcode in ("bitcast", "addrspacecast", "ptrtoint", "inttoptr"):
            value = value.args[0]
        elif isinstance(value, Freeze) or (isinstance(value, Cast) and value.opcode != "trunc"):
            value = value.operands[0]
        elif aliases and isinstance(value, GlobalAlias) and value.aliasee is not None:
            value = value.aliasee
        elif isinstance(value, Load) and isinstance(value.pointer, Alloca):
            stored = _only_stored(value, value.pointer)
            if stored is None:
                return value
            value = stored
        elif isinstance(value, CallBase) and isinstance(value.callee, Function) and not value.args[1:]:
            returned = _only_returned(value.callee)
            if returned is None:
                return value
            value = returned
        elif isinstance(value, Load) and isinstance(value.pointer, GlobalVariable):
            variable = value.pointer
            if not variable.is_constant or not isinstance(variable.initializer, Function):
                return value
            value = variable.initializer
        else:
            return value


def _only_stored(load: Load, local: Alloca) -> Value | None:
    """The value of a local that is written once, in front of ``load``, and whose address goes nowhere."""
    found: Store | None = None
    for user in local.users:
        if isinstance(user, Store) and user.pointer is local and user.value is not local and found is None:
            found = user
        elif isinstance(user, (Load, DebugRecord)):
            continue
        elif not (isinstance(user, CallBase) and (user.callee_name or "").startswith(("llvm.lifetime.", "llvm.dbg."))):
            return None
    if found is None or found.value.type is not load.type or not _in_front(found, load):
        return None
    return found.value


def _only_returned(function: Function) -> Function | None:
    """The function whose address is all that another one returns: a lambda's conversion to a pointer."""
    if function.is_declaration or not function.result_type.is_pointer or len(function.blocks) != 1:
        return None
    end = function.entry.terminator
    value = end.operands[0] if isinstance(end, Return) and end.operands else None
    if not isinstance(value, Function):
        return None
    return value


def _in_front(store: Instruction, load: Instruction) -> bool:
    home, block = store.block, load.block
    if home is None or block is None:
        return False
    if home is block:
        return home.instructions.index(store) < home.instructions.index(load)
    return block.function is not None and home is block.function.entry


def function_of(value: Value) -> Function | None:
    found = settled(value)
    return found if isinstance(found, Function) else None


def constant_of(value: Value) -> int | None:
    """An integer that is known at compile time."""
    found = settled(value)
    return found.value if isinstance(found, ConstantInt) else None


def marker(value: Value) -> str | None:
    """The marker a call argument stands for: a load of ``enzyme_dup`` and the like, its address, or metadata."""
    value = settled(value)
    if isinstance(value, MetadataOperand):
        name = value.spelling.strip('!"')
        return name if name in ALL_MARKERS else None
    if isinstance(value, Load):
        value = settled(value.pointer)
    if isinstance(value, GlobalVariable):
        found = _KNOWN.search(value.name or "")
        return found.group(1) if found else None
    return None


def looks_like_marker(value: Value) -> str | None:
    """A name that begins with ``enzyme_`` and is no marker we know."""
    value = settled(value)
    if isinstance(value, MetadataOperand) and value.spelling.startswith('!"enzyme_'):
        return value.spelling.strip('!"')
    if isinstance(value, Load) and isinstance(value.type, IntType):
        variable = settled(value.pointer)
        if isinstance(variable, GlobalVariable):
            found = re.fullmatch(r"(?:_ZL?\d+)?(enzyme_[a-z_]+)", variable.name or "")
            return found.group(1) if found and marker(value) is None else None
    return None
