"""Shadows of global variables.

A global that carries active data has a twin of its own type as its shadow, unless the program names one:
``void *__enzyme_register_shadow_g[] = {&g, &dg};`` or the metadata ``!enzyme_shadow !{ptr @dg}`` on the global. A twin
is cleared when a derivative that the program asked for begins: the derivative of the function is taken with the tangent
(or the adjoint) of the global zero at entry and exit. A shadow that the program names is the program's to clear and to
read. Which globals carry active data is settled by the outermost function; nested derivatives are told.

A constant is its own shadow where it holds no number; else its shadow has zeros for numbers, and the shadows of globals
for their addresses. Each lane of a derivative has shadows of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from enzyme.gradient.registrations import inactive_globals
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import I64, PTR, FunctionType, PointerType
from enzyme.ir.values import (
    Constant,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    ConstantToken,
    Function,
    GlobalAlias,
    GlobalVariable,
    Value,
    zero,
)
from enzyme.support.diagnostics import UnsupportedError, UsageError

if TYPE_CHECKING:
    from enzyme.gradient.engine import Engine

REGISTER = "__enzyme_register_shadow"
_NAMED = re.compile(r"!enzyme_shadow (![0-9]+)")
_POINTED = re.compile(r'ptr @([-A-Za-z$._0-9]+|"[^"]*")')
_THREAD_LOCAL = re.compile(r"\bthread_local(?:\([a-z]+\))?")


class GlobalShadows:
    """Shadows of the globals of one module; ``program`` is the whole program, which may name some."""

    def __init__(self, engine: Engine, program: Module) -> None:
        self.engine, self.module = engine, engine.module
        self.named = _named_shadows(program)
        self.ignored = inactive_globals(self.module) | inactive_globals(program)
        self.twinned = frozenset(
            name
            for name, variable in self.module.globals.items()
            if not variable.is_constant
            and name not in self.named
            and name not in self.ignored
            and self._size(variable) > 0
            and not name.startswith("enzyme_")
        )
        self._made: dict[tuple[GlobalVariable, int, bool], Value] = {}

    def _size(self, variable: GlobalVariable) -> int:
        try:
            return self.module.datalayout.alloc_size(variable.value_type)
        except UnsupportedError:
            return 0  # declared here with a type that is defined elsewhere

    def may_change(self, variable: GlobalVariable) -> bool:
        """Whether it is a variable of the program, of a known size, and no constant."""
        return (
            not variable.is_constant
            and self.module.globals.get(variable.name or "") is variable
            and self._size(variable) > 0
        )

    def of(self, variable: GlobalVariable, lane: int, forward: bool = False) -> Value:
        """The shadow of a global that needs one, in a lane. Constant data has one a direction: reverse sweeps add
        to theirs what nobody asks for, and the tangent must stay zero."""
        key = (variable, lane, forward and variable.is_constant)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(*key)
        return found

    def _make(self, variable: GlobalVariable, lane: int, forward: bool) -> Value:
        name = variable.name or ""
        named = self.named.get(name)
        if named is not None:
            known = self.module.globals.get(named)
            return known if known is not None else self.module.add_global(named, variable.value_type, None)
        if variable.is_constant:
            content = self._content(variable.initializer, lane, forward) if variable.initializer is not None else None
            if content is variable.initializer:
                return variable
            if content is None:
                content = zero(variable.value_type)
        else:
            content = zero(variable.value_type)
        label = f"{name}.shadow"
        # The program may have other constants' shadows of that name, of derivatives that this module does not see.
        label = self.engine.unused(label) if variable.is_constant else self.module.unique_name(label)
        space = variable.type.addrspace if isinstance(variable.type, PointerType) else 0
        if space:  # memory of a block of threads takes no content
            content = ConstantToken(variable.value_type, "undef")
        made = self.module.add_global(label, variable.value_type, content, "internal", align=16, space=space)
        local = _THREAD_LOCAL.search((variable.entity or "").split("=", 1)[-1].split(" global ")[0])
        if local is not None and made.entity is not None:
            made.entity = made.entity.replace("= internal ", f"= internal {local[0]} ", 1)
        return made

    def _content(self, value: Value, lane: int, forward: bool) -> Value:
        """The shadow of what a constant is initialised with; the value itself where it is its own shadow."""
        if isinstance(value, (ConstantInt, ConstantString, Function)) or is_code(value):
            return value
        if isinstance(value, GlobalAlias):
            raise UnsupportedError(
                f"a constant holds the address of a variable by a weak name, '{value.name}'",
                why="another file may define a variable of that name, and the shadow is made before that is known",
                hint="use the variable's own name, or a name that is not weak",
            )
        if isinstance(value, GlobalVariable):
            return self.of(value, lane, forward) if value.is_constant or value.name in self.needed_twins else value
        if isinstance(value, ConstantFloat):
            return zero(value.type)
        if isinstance(value, ConstantToken):
            return value
        if isinstance(value, (ConstantAggregate, ConstantExpr)):
            from enzyme.gradient.primal import rebuild_constant

            parts = [self._content(part, lane, forward) for part in value.constant_operands()]
            if all(new is old for new, old in zip(parts, value.constant_operands(), strict=True)):
                return value
            return rebuild_constant(value, parts)
        return zero(value.type) if isinstance(value, Constant) else value

    @property
    def needed_twins(self) -> frozenset[str]:
        return self.twinned | self.named.keys()

    def clear(self, build: Builder, names: frozenset[str], lane: int) -> None:
        """Clear the twins of these globals in a lane."""
        for name in sorted(names & self.twinned):
            variable = self.module.globals[name]
            address = self.address(build, self.of(variable, lane))
            self.engine.memset_zero(build, address, ConstantInt(I64, self._size(variable)), 1)

    def address(self, build: Builder, variable: Value) -> Value:
        """Where a global, or the shadow of one, is in this thread."""
        if not isinstance(variable, GlobalVariable) or "thread_local" not in (variable.entity or ""):
            return variable
        local = self.module.declare_function("llvm.threadlocal.address.p0", FunctionType(PTR, (PTR,)))
        return build.call(local, [variable])


def is_code(value: Value) -> bool:
    """Whether a name is one of a function, or of what is chosen when the program is loaded."""
    while isinstance(value, (GlobalAlias, ConstantExpr)):
        behind = value.aliasee if isinstance(value, GlobalAlias) else value.args[0]
        if behind is None:
            return True
        value = behind
    return isinstance(value, Function)


def _named_shadows(module: Module) -> dict[str, str]:
    """The globals whose shadows the program names, with these."""
    found: dict[str, str] = {}
    for name, variable in module.globals.items():
        node = _NAMED.search(variable.entity or "")
        if node is not None:
            pointed = _POINTED.search(module.metadata_text(node[1]))
            if pointed is not None:
                found[name] = pointed[1].strip('"')
        if REGISTER not in name or variable.initializer is None:
            continue
        content = variable.initializer
        parts = [_variable(part) for part in content.constant_operands()] if isinstance(content, Constant) else []
        if len(parts) != 2 or parts[0] is None or parts[1] is None:
            raise UsageError(
                f"'{name}' does not name a global and its shadow",
                why="the array has to hold the addresses of two global variables",
                hint=f"write void *{REGISTER}_g[] = {{(void *)&g, (void *)&dg}};",
            )
        found[parts[0]] = parts[1]
    for name, shadow in found.items():
        known, twin = module.globals.get(name), module.globals.get(shadow)
        if known is not None and twin is not None and known.value_type is not twin.value_type:
            raise UsageError(
                f"'{shadow}' cannot be the shadow of '{name}'",
                why=f"it has type {twin.value_type}, the global has type {known.value_type}",
                hint="declare both with one type",
            )
    return found


def _variable(value: Value) -> str | None:
    while isinstance(value, ConstantExpr) and value.opcode in ("bitcast", "addrspacecast"):
        value = value.args[0]
    return value.name if isinstance(value, GlobalVariable) else None
