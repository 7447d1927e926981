"""What the virtual methods of one class say of the object they are called on.

Objects of different classes that are reached through one pointer are one memory for type analysis. But a method in a
virtual table is called on objects of its class alone: what it and the other methods of that table do with a byte of
``this``, each looked at by itself, tells what the byte is in such an object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from enzyme.analysis.type_tree import INT
from enzyme.ir.module import Module
from enzyme.ir.values import Argument, Constant, Function, GetElementPtr, GlobalVariable, Value

if TYPE_CHECKING:
    from enzyme.analysis.types_analysis import TypeResult

_TABLE = "_ZTV"

Field = tuple[int, int, int]
"""Offset, kind, size."""


class Classes:
    """The methods of the classes of a module; ``alone`` gives the types of a function that nothing is known to call."""

    def __init__(self, module: Module, alone: Callable[[Function], TypeResult]) -> None:
        self._module, self._alone = module, alone
        self._together: dict[Function, set[Function]] | None = None

    def fields(self, function: Function, pointer: Value, size: int) -> list[Field]:
        """The numbers and pointers in ``size`` bytes behind ``pointer``, when that leads into ``this`` of a method."""
        layout, offset = self._module.datalayout, 0
        while isinstance(pointer, GetElementPtr):
            step = layout.gep_offset(pointer.source_type, pointer.indices)
            if step is None:
                return []
            offset, pointer = offset + step, pointer.base
        if not isinstance(pointer, Argument) or pointer.index != 0:
            return []
        found: dict[int, Field] = {}
        for method in self._methods(function):
            for segment in self._alone(method).memory_at(method.args[0], offset, size):
                kind = int(segment.kind)
                if not kind or kind == INT:
                    continue
                field = (segment.offset, kind, segment.size)
                if segment.kind.is_conflict or found.setdefault(segment.offset, field) != field:
                    return []
        return list(found.values())

    def _methods(self, function: Function) -> set[Function]:
        if self._together is None:
            self._together = {}
            for variable in self._module.globals.values():
                if (variable.name or "").startswith(_TABLE):
                    methods = _functions(variable)
                    for method in methods:
                        self._together.setdefault(method, set()).update(methods)
        methods = self._together.get(function, set())
        return {m for m in methods if not m.is_declaration and m.args and m.args[0].type.is_pointer}


def _functions(variable: GlobalVariable) -> set[Function]:
    found: set[Function] = set()
    work: list[Value] = [variable.initializer] if variable.initializer is not None else []
    while work:
        value = work.pop()
        if isinstance(value, Function):
            found.add(value)
        elif isinstance(value, Constant) and not isinstance(value, GlobalVariable):
            work += value.constant_operands()
    return found
