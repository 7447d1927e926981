"""What LLVM may know about tapes and shadows: no tape array overlaps another, nor anything else the program touches,
numbers in shadows are apart from the primal's memory, and rows of one shadow from one another.

The arrays of a nest are parts of one allocation, and a split derivative finds its arrays through a frame in memory;
LLVM could not see from pointers alone that they are apart. So every access of an array carries an alias scope of its
own, and every other access of the derivative says that it does not touch any of these scopes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from enzyme.analysis.loops import Loop
from enzyme.analysis.pointer_alias import PointerAnalysis
from enzyme.analysis.rows import Row, Rows
from enzyme.ir.module import Module
from enzyme.ir.types import METADATA, VOID, FunctionType
from enzyme.ir.values import Block, Call, CallBase, Function, Instruction, Load, MetadataOperand, Store, Value

OWN = frozenset(("alloca", "allocation", "global"))
"""Kinds of objects whose shadows the engine makes: no two of them share one."""


class TapeScopes:
    """Alias scopes of the tape arrays of one derivative."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._domain: str | None = None
        self._scopes: dict[Value, str] = {}
        self._accesses: list[tuple[Instruction, Value]] = []
        self._copies: set[Instruction] = set()
        self.lists = _Lists(module)

    def mark(self, access: Instruction, array_of: Value) -> None:
        """``access`` reads or writes the array that keeps ``array_of``."""
        if self._domain is None:
            self._domain = self.module.add_metadata('distinct !{{self}, !"tape"}')
        if array_of not in self._scopes:
            self._scopes[array_of] = self.module.add_metadata(f"distinct !{{{{self}}, {self._domain}}}")
        self._accesses.append((access, array_of))

    def mark_copy(self, copy: Instruction, array_of: Value) -> None:
        """``copy`` writes the array that keeps ``array_of``, and reads other memory: it is in no scope of its own."""
        self.mark(copy, array_of)
        self._copies.add(copy)

    def attach(self, functions: list[Function]) -> None:
        """Write the metadata, once everything has been emitted."""
        if not self._scopes:
            return
        everything = self.lists.make(self._scopes.values())
        lists = {value: (self.lists.make([scope]), self._others(value)) for value, scope in self._scopes.items()}
        marked: set[Instruction] = set()
        for access, value in self._accesses:
            scope, others = lists[value]
            if access not in self._copies:
                access.metadata["alias.scope"] = scope
            if others is not None:
                access.metadata["noalias"] = others
            marked.add(access)
        for function in functions:
            for inst in function.instructions():
                if inst not in marked and _touches_memory(inst):
                    self.lists.extend(inst, "noalias", everything)

    def _others(self, value: Value) -> str | None:
        rest = [scope for each, scope in self._scopes.items() if each is not value]
        return self.lists.make(rest) if rest else None


class ShadowScope:
    """The scope of the numbers that one derivative keeps in shadows; ``primal`` are accesses of the primal's memory.

    Nobody may hand over the same memory as a primal and as a shadow to one call of a derivative, but what is the shadow
    in one call may be the primal in the next: the scope is declared at the head of the function, so that it is another
    one each time.
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.shadows: dict[Value, None] = {}
        self.primal: dict[Value, None] = {}

    def attach(self, entry: Block) -> None:
        """Write the metadata, once everything has been emitted; ``entry`` is the head of the function."""
        if not self.shadows or not self.primal:
            return
        domain = self.module.add_metadata('distinct !{{self}, !"shadow"}')
        lists = _Lists(self.module)
        scope = lists.make([self.module.add_metadata(f"distinct !{{{{self}}, {domain}}}")])
        for key, accesses in (("alias.scope", self.shadows), ("noalias", self.primal)):
            for access in accesses:
                assert isinstance(access, (Load, Store))
                lists.extend(access, key, scope)
        _declare(self.module, entry, [scope])


class RowScopes:
    """Scopes of the rows of a shadow that reversed loops walk along side by side (analysis/rows.py): LLVM, which would
    compare each with each other one in front of such a loop, is told that they never meet.

    It compares them all the same if another access may touch any of them. So in such loops it is told as well what else
    lies in other memory: what is in an object that the function makes itself, once, has a shadow of its own. All that
    is so in one call of the derivative; the scopes are declared at its head, as that of shadows is.
    """

    def __init__(self, module: Module, rows: Rows, pointers: PointerAnalysis) -> None:
        self.module, self.rows, self.pointers = module, rows, pointers
        self._row_of: dict[Load | Store, Row | None] = {}
        self._accesses: dict[Loop, dict[Value, _Walk]] = {}

    def mark(self, access: Value, original: Load | Store) -> None:
        """``access`` reaches the shadow of what ``original`` reaches in the primal."""
        loop = self.rows.home(original)
        if loop is None or loop.children:
            return
        if original not in self._row_of:
            self._row_of[original] = self.rows.of(loop, original)
        row = self._row_of[original]
        self._accesses.setdefault(loop, {})[access] = _Walk(row if row is not None else original.pointer, original)

    def attach(self, entry: Block) -> None:
        """Write the metadata, once everything has been emitted; ``entry`` is the head of the function."""
        lists = _Lists(self.module)
        declared: list[str] = []
        for accesses in self._accesses.values():
            walks = list(dict.fromkeys(accesses.values()))
            if not any(a.is_row_apart(b) for a, b in combinations(walks, 2)):
                continue
            domain = self.module.add_metadata('distinct !{{self}, !"rows"}')
            scopes = {each: self.module.add_metadata(f"distinct !{{{{self}}, {domain}}}") for each in walks}
            own = {each: lists.make([scope]) for each, scope in scopes.items()}
            apart = {each: [scopes[other] for other in walks if self._are_apart(each, other)] for each in walks}
            others = {each: lists.make(found) for each, found in apart.items() if found}
            for access, walk in accesses.items():
                assert isinstance(access, (Load, Store))
                lists.extend(access, "alias.scope", own[walk])
                if walk in others:
                    lists.extend(access, "noalias", others[walk])
            declared += own.values()
        _declare(self.module, entry, declared)

    def _are_apart(self, a: _Walk, b: _Walk) -> bool:
        if a is b:
            return False
        here, there = (self.pointers.location(each.original) for each in (a, b))
        return a.is_row_apart(b) or (
            self.pointers.apart_as_objects(here, there) and (self._is_own(a.original) or self._is_own(b.original))
        )

    def _is_own(self, inst: Load | Store) -> bool:
        """Whether what an access touches is made by the function, outside of loops, or a variable of the program."""
        objects = self.pointers.underlying_objects(inst.pointer)
        return all(
            each.kind in OWN and each.value is not None and self.rows.home(each.value) is None for each in objects
        )


@dataclass(frozen=True)
class _Walk:
    """Where a loop touches a shadow: in a row, or by a pointer; and an access of the primal that does."""

    place: Row | Value
    original: Load | Store = field(compare=False)

    def is_row_apart(self, other: _Walk) -> bool:
        mine, theirs = self.place, other.place
        return isinstance(mine, Row) and isinstance(theirs, Row) and mine.is_apart(theirs)


def _declare(module: Module, entry: Block, scopes: Sequence[str]) -> None:
    """Say that scopes, each in a list of its own, are others in each call of a function."""
    type = FunctionType(VOID, (METADATA,))
    declare = module.declare_function("llvm.experimental.noalias.scope.decl", type)
    entry.prepend([Call(declare, [MetadataOperand(scope)], type) for scope in scopes])


class _Lists:
    """Lists of scopes as metadata."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._joined: dict[tuple[str, str], str] = {}

    def make(self, items: Iterable[str]) -> str:
        return self.module.add_metadata(f"!{{{', '.join(items)}}}")

    def extend(self, inst: Instruction, key: str, more: str) -> None:
        """Put the scopes of the list ``more`` to those an access has."""
        own = inst.metadata.get(key)
        if own is None:
            inst.metadata[key] = more
            return
        if (own, more) not in self._joined:
            self._joined[own, more] = self.make([self._items(own), self._items(more)])
        inst.metadata[key] = self._joined[own, more]

    def _items(self, node: str) -> str:
        return self.module.metadata_text(node).strip()[2:-1]


def _touches_memory(inst: Instruction) -> bool:
    """Ordinary accesses; calls are left alone but for block copies and fills, which touch what they are given."""
    if isinstance(inst, (Load, Store)):
        return True
    name = inst.callee_name if isinstance(inst, CallBase) else None
    return name is not None and name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset."))
