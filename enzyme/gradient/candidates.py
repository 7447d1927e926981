"""Which functions a call through a pointer may reach, told from the whole program.

A function can be called through a pointer only when its address is taken somewhere: mentioned other than as the callee
of a call. Where a function is mentioned only in virtual tables (``_ZTV...``, ``_ZTC...``), it is called through a
pointer loaded from there, so a pointer loaded at a known offset leads only to what some table has at that offset from
an address point. What this overlooks (pointers made by arithmetic, code loaded at run time) is not assumed away: the
dispatch keeps the call through the pointer as its last case (see :mod:`enzyme.gradient.dispatch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from functools import cached_property

from enzyme.analysis.dispatched import is_rest
from enzyme.analysis.types_classes import this_of
from enzyme.gradient.other_names import definition_of
from enzyme.ir.module import Module
from enzyme.ir.printer import print_function
from enzyme.ir.types import FunctionType
from enzyme.ir.values import (
    Alloca,
    CallBase,
    Constant,
    ConstantAggregate,
    ConstantExpr,
    Function,
    GetElementPtr,
    GlobalAlias,
    GlobalVariable,
    InlineAsm,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
    without_steps,
)
from enzyme.rules.known import known_callee

_MENTION = re.compile(r'@([-A-Za-z$._0-9]+|"[^"]*")(\(?)')
_INDIRECT = re.compile(r'\b(?:call|invoke|callbr)\b[^\n@]*%(?:[-A-Za-z$._0-9]+|"[^"]*")\(')
_TABLE = ("_ZTV", "_ZTC")
_NOT_USES = ("llvm.", "__enzyme_")  # globals that list functions without a use of their addresses
_HANDS_OVER = ("__cxa_atexit", "atexit", "__cxa_throw", "__cxa_thread_atexit")  # called by the runtime, never by us
_ENTRY = "__enzyme_"


def text_of(function: Function) -> str:
    """A function's body as text, whether it has been read or not."""
    if function.body_text is not None:
        return function.body_text
    return print_function(function) if function.blocks else ""


def has_indirect_calls(function: Function) -> bool:
    """Whether the body has a call through a pointer (seen in the text; a few more are seen than there are)."""
    return any("asm " not in found[0] for found in _INDIRECT.finditer(text_of(function)))


def indirect_callee(inst: Instruction) -> Value | None:
    """The pointer that an instruction calls through."""
    if not isinstance(inst, CallBase) or is_rest(inst) or inst.tail == "musttail" or inst.bundles:
        return None
    callee = inst.callee
    return None if isinstance(callee, (Function, InlineAsm, GlobalAlias, Constant)) else callee


class AddressIndex:
    """The functions of a program whose addresses are taken, ``without`` some that no pointer shall lead to."""

    def __init__(self, module: Module, without: Set[str] = frozenset()) -> None:
        self.module, self.without = module, without

    @cached_property
    def taken(self) -> dict[str, frozenset[int] | None]:
        """By name: the offsets from the address points of virtual tables, or None when used otherwise as well."""
        slots: dict[str, set[int]] = {}
        for variable in self.module.globals.values():
            name = variable.name or ""
            if name.startswith(_TABLE):
                self._read_table(variable, slots)
        elsewhere: set[str] = set()
        for variable in self.module.globals.values():
            name = variable.name or ""
            if not name.startswith((*_TABLE, *_NOT_USES)) and not any(word in name for word in _NOT_USES):
                elsewhere |= {found[1].strip('"') for found in _MENTION.finditer(variable.entity or "")}
        for function in self.module.functions.values():
            if not function.is_declaration:
                elsewhere |= _uses_of_addresses(text_of(function))
        elsewhere |= {definition_of(self.module.aliases[name]) for name in elsewhere & self.module.aliases.keys()}
        found = [name for name in self.module.functions if name in elsewhere or name in slots]
        return {
            name: None if name in elsewhere else frozenset(slots[name])
            for name in found
            if name not in self.without and not name.startswith("llvm.") and _ENTRY not in name
        }

    def of_type(self, type: FunctionType, module: Module) -> list[str]:
        """Names of the functions of this type that are not in virtual tables only."""
        functions = ((name, module.functions.get(name)) for name, slots in self.taken.items() if slots is None)
        return [name for name, function in functions if function is not None and may_be_called(function, type)]

    @cached_property
    def tables(self) -> frozenset[str]:
        """Functions that stand in some virtual table."""
        slots: dict[str, set[int]] = {}
        for variable in self.module.globals.values():
            if (variable.name or "").startswith(_TABLE):
                self._read_table(variable, slots)
        return frozenset(slots)

    def _read_table(self, variable: GlobalVariable, slots: dict[str, set[int]]) -> None:
        """Offsets count from behind the type information that stands in front of every address point."""
        table = variable.initializer
        for part in table.elements if isinstance(table, ConstantAggregate) else ():
            entries = part.elements if isinstance(part, ConstantAggregate) else []
            points = [i + 1 for i, entry in enumerate(entries) if _named(entry).startswith("_ZTI")] or [2]
            for position, entry in enumerate(entries):
                function = _function(entry)
                before = [point for point in points if point <= position]
                if function is not None and before:
                    slots.setdefault(function.name or "", set()).add((position - before[-1]) * 8)

    def of(self, call: CallBase, module: Module) -> list[str]:
        """Names of the functions that ``call``, of a function of ``module``, may lead to."""
        callee = indirect_callee(call)
        if callee is None:
            return []
        offsets = slot_offsets(callee, module)
        virtual = _is_virtual(callee, module)
        found = []
        for name, slots in self.taken.items():
            if virtual and name not in self.tables:
                continue
            if offsets is not None and slots is not None and slots.isdisjoint(offsets):
                continue
            function = module.functions.get(name)
            if function is None or not may_be_called(function, call.callee_type):
                continue
            if not virtual or _is_declared_alike(call, function):
                found.append(name)
        return found


def may_be_called(function: Function, type: FunctionType) -> bool:
    """Whether a call of this type may lead to the function, and what it does is known."""
    if function.function_type is not type:
        return False
    if not function.is_declaration:
        return True
    return known_callee(function.name or "", type) is not None


def _is_declared_alike(call: CallBase, method: Function) -> bool:
    """Whether a virtual call may be one of ``method`` by what their parameters refer to: those of a method and of what
    it overrides have the same types, but for the object's own. A call may have been told more about its arguments than
    its declaration says. One that was made of two may have been told less; it chooses between their arguments."""
    objects = [this for this in (this_of(method),) if this is not None]
    for parameter, argument, words in zip(method.args, call.args, call.arg_attrs, strict=False):
        if isinstance(argument, (Phi, Select)) and argument.block is call.block:
            return True
        if parameter not in objects and 0 < dereferenceable(words) < dereferenceable(parameter.attrs):
            return False
    return True


def dereferenceable(words: Iterable[str]) -> int:
    """How many bytes attributes of a parameter promise behind it."""
    prefix = "dereferenceable("
    return next((int(word[len(prefix) : -1]) for word in words if word.startswith(prefix)), 0)


def one_of(pointer: Value) -> Iterator[Value]:
    """What a pointer may be, through phis and selects."""
    seen: set[Value] = set()
    work = [pointer]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, Phi):
            work += [each for each, _ in value.incoming]
        elif isinstance(value, Select):
            work += value.operands[1:]
        else:
            yield value


def slot_offsets(callee: Value, module: Module) -> set[int] | None:
    """Offsets in a virtual table from which the pointer may have been loaded; None for any."""
    offsets: set[int] = set()
    for value in one_of(callee):
        if isinstance(value, Load) and not isinstance(value.pointer, Alloca):
            address, offset = value.pointer, 0
            while isinstance(address, GetElementPtr):
                step = module.datalayout.gep_offset(address.source_type, address.operands[1:])
                if step is None:
                    return None
                address, offset = address.operands[0], offset + step
            if not isinstance(address, Constant):
                offsets.add(offset)
    return offsets


def _is_virtual(callee: Value, module: Module) -> bool:
    """Whether the pointer is loaded from a virtual table for certain: the compiler says so by the tag of the load that
    gets the table, or by the name it gives that load (no variable of the program names a load so)."""
    if not isinstance(callee, Load):
        return False
    address = without_steps(callee.pointer)
    if not isinstance(address, Load):
        return False
    tag = module.metadata_text(address.metadata.get("tbaa", ""))
    kind = re.match(r"!\{(![0-9]+)", tag)
    return bool(kind and '"vtable pointer"' in module.metadata_text(kind[1])) or bool(
        re.fullmatch(r"vtable(\d|\.i)*", address.name or "")
    )


def _uses_of_addresses(body: str) -> set[str]:
    """Names of globals mentioned in a body other than as callees, without what is only named to the engine."""
    found: set[str] = set()
    for line in body.split("\n"):
        if "@" not in line:
            continue
        mentions = [(m[1].strip('"'), bool(m[2])) for m in _MENTION.finditer(line)]
        callee = next((name for name, called in mentions if called), "")
        names = [name for name, called in mentions if not called]
        if _ENTRY in callee:
            names = names[1:]
        elif callee in _HANDS_OVER:
            continue
        found.update(names)
    return found


def _function(value: Value) -> Function | None:
    while isinstance(value, ConstantExpr) and value.opcode in ("bitcast", "addrspacecast"):
        value = value.args[0]
    if isinstance(value, GlobalAlias):
        return _function(value.aliasee) if value.aliasee is not None else None
    return value if isinstance(value, Function) else None


def _named(value: Value) -> str:
    return value.name or "" if isinstance(value, GlobalVariable) else ""


__all__ = ["AddressIndex", "has_indirect_calls", "indirect_callee", "may_be_called", "text_of"]
