"""What the virtual methods of one class say of the object they are called on.

Objects of different classes that are reached through one pointer are one memory for type analysis. But a method in a
virtual table is called on objects of its class alone: what it and the other methods of that table do with a byte of
``this``, each looked at by itself, tells what the byte is in such an object.

Where an object is made, the address of its class's table is stored in it. Once a pointer to such an object is stored or
returned, what is found there may be of several classes: it is a view of them (:mod:`enzyme.analysis.types_views`), and
a method called through it takes the objects whose table it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from enzyme.analysis.type_tree import INT
from enzyme.ir.layout import DataLayout
from enzyme.ir.module import Module
from enzyme.ir.values import (
    Argument,
    Constant,
    ConstantAggregate,
    ConstantExpr,
    ConstantInt,
    Function,
    GetElementPtr,
    GlobalVariable,
    Value,
)

if TYPE_CHECKING:
    from enzyme.analysis.types_analysis import TypeResult

_TABLE, _INFO = "_ZTV", "_ZTI"

Field = tuple[int, int, int]
"""Offset, kind, size."""

Table = tuple[str, int]
"""A virtual table: its variable, and which of the tables in it, one for each base with one of its own."""


def table_at(layout: DataLayout, value: Value) -> Table | None:
    """The table that a constant is the address of, as it is stored in objects."""
    offset = 0
    while isinstance(value, ConstantExpr) and value.opcode == "getelementptr" and value.source_type is not None:
        if not all(isinstance(index, ConstantInt) for index in value.args[1:]):
            return None
        offset, value = offset + (layout.gep_offset(value.source_type, value.args[1:]) or 0), value.args[0]
    if not isinstance(value, GlobalVariable) or not (value.name or "").startswith(_TABLE):
        return None
    parts = [layout.alloc_size(part.type) for part in _parts(value)]
    number = next((n for n in range(len(parts)) if offset < sum(parts[: n + 1])), 0)
    return value.name or "", number


class Classes:
    """The methods of the classes of a module; ``alone`` gives the types of a function that nothing is known to call."""

    def __init__(self, module: Module, alone: Callable[[Function], TypeResult]) -> None:
        self._module, self._alone = module, alone
        self._tables: dict[Function, set[Table]] | None = None
        self._derived: dict[str, frozenset[str]] = {}

    def tables(self, function: Function) -> set[Table]:
        """The tables that a method stands in."""
        return self._standing().get(function, set())

    def made(self, tables: Collection[Table]) -> set[Table]:
        """Of the tables stored in an object, one after the other as its bases are made and taken apart, those of no
        base of another. Nothing is known of bases without run-time type information."""
        bases: set[str] = set()
        for name, _ in tables:
            bases |= self._bases(name)
        return {table for table in tables if table[0] not in bases}

    def _bases(self, name: str) -> frozenset[str]:
        """The tables of the classes that a class is derived from."""
        found = self._derived.get(name)
        if found is None:
            seen: set[Value] = set()
            work: list[Value] = [v for v in (self._module.globals.get(_INFO + name[len(_TABLE) :]),) if v is not None]
            while work:
                value = work.pop()
                if isinstance(value, GlobalVariable):
                    if value not in seen and (value.name or "").startswith(_INFO):
                        seen.add(value)
                        work += [value.initializer] if value.initializer is not None else []
                elif isinstance(value, Constant):
                    work += value.constant_operands()
            names = {_TABLE + (each.name or "")[len(_INFO) :] for each in seen if isinstance(each, GlobalVariable)}
            found = self._derived[name] = frozenset(names - {name})
        return found

    def _standing(self) -> dict[Function, set[Table]]:
        if self._tables is None:
            self._tables = {}
            for variable in self._module.globals.values():
                name = variable.name or ""
                for number, part in enumerate(_parts(variable) if name.startswith(_TABLE) else ()):
                    for method in _functions(part):
                        self._tables.setdefault(method, set()).add((name, number))
        return self._tables

    def fields(self, function: Function, pointer: Value, size: int) -> list[Field]:
        """The numbers and pointers in ``size`` bytes behind ``pointer``, when that leads into ``this`` of a method."""
        layout, offset = self._module.datalayout, 0
        while isinstance(pointer, GetElementPtr):
            step = layout.gep_offset(pointer.source_type, pointer.indices)
            if step is None:
                return []
            offset, pointer = offset + step, pointer.base
        if not isinstance(pointer, Argument) or pointer is not this_of(function):
            return []
        found: dict[int, Field] = {}
        for method in self._methods(function):
            this = this_of(method)
            for segment in self._alone(method).memory_at(this, offset, size) if this is not None else ():
                kind = int(segment.kind)
                if not kind or kind == INT:
                    continue
                field = (segment.offset, kind, segment.size)
                if segment.kind.is_conflict or found.setdefault(segment.offset, field) != field:
                    return []
        return list(found.values())

    def _methods(self, function: Function) -> set[Function]:
        """The methods of the objects that ``function`` is called on, those of other bases included."""
        names = {name for name, _ in self.tables(function)}
        return {m for m in self._standing() if not m.is_declaration and any(n in names for n, _ in self.tables(m))}


def this_of(method: Function) -> Argument | None:
    """The parameter that is the object: the first that is no place for the result."""
    return next((each for each in method.args if not any(word.startswith("sret(") for word in each.attrs)), None)


def _parts(variable: GlobalVariable) -> Sequence[Value]:
    """The tables in a variable."""
    whole = variable.initializer
    return whole.elements if isinstance(whole, ConstantAggregate) else [whole] if whole is not None else []


def _functions(table: Value) -> set[Function]:
    found: set[Function] = set()
    work: list[Value] = [table]
    while work:
        value = work.pop()
        if isinstance(value, Function):
            found.add(value)
        elif isinstance(value, Constant) and not isinstance(value, GlobalVariable):
            work += value.constant_operands()
    return found
