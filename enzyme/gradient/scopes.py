"""What LLVM may know about tapes and shadows: no tape array overlaps another, nor anything else the program touches,
numbers in shadows are apart from the primal's memory, the tangents of one lane from those of another, and rows of one
shadow from one another.

The arrays of a nest are parts of one allocation, and a split derivative finds its arrays through a frame in memory;
LLVM could not see from pointers alone that they are apart. So every access of an array carries an alias scope of its
own, and every other access of the derivative says that it does not touch any of these scopes.
"""

from __future__ import annotations

import re
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
_DOMAIN = 'distinct !{{{{self}}, !"enzyme.{}"}}'
_OURS = re.compile(r'!"enzyme\.[a-z]+"')
_REFERENCE = re.compile(r"!\d+")


class TapeScopes:
    """Alias scopes of the tape arrays of one derivative."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._domain: str | None = None
        self._scopes: dict[Value, str] = {}
        self._accesses: list[tuple[Instruction, Value]] = []
        self._copies: set[Instruction] = set()
        self.lists = ScopeLists(module)

    def mark(self, access: Instruction, array_of: Value) -> None:
        """``access`` reads or writes the array that keeps ``array_of``."""
        if self._domain is None:
            self._domain = self.lists.domain("tape")
        if array_of not in self._scopes:
            self._scopes[array_of] = self.lists.scope(self._domain)
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
        lists = ScopeLists(self.module)
        scope = lists.make([lists.scope(lists.domain("shadow"))])
        for key, accesses in (("alias.scope", self.shadows), ("noalias", self.primal)):
            for access in accesses:
                assert isinstance(access, (Load, Store))
                lists.extend(access, key, scope)
        declare_scopes(self.module, entry, [scope])


class TangentScopes:
    """The scopes of the numbers that one forward derivative keeps in shadows: one for all that it stores and loads
    there, and one for each lane.

    A tangent is written where the program writes its number: memory handed over for the tangents of two lanes, or for
    numbers and their tangents, would have neither in the end. What an access of the program tells of tapes and shadows
    of a derivative that it differentiates, is told of their tangents too: they lie apart as those do. Of the program's
    own scopes it is not: what it does not use at the same time may share memory for tangents.
    """

    def __init__(self, module: Module, width: int) -> None:
        self.module, self.width = module, width
        self.accesses: dict[Load | Store, int | None] = {}
        self.lists = ScopeLists(module)

    def mark(self, made: Load | Store, lane: int | None, original: Load | Store) -> None:
        """``made`` loads or stores the tangents of what ``original`` does; of all lanes where ``lane`` is None."""
        self.accesses[made] = lane
        for key in ("alias.scope", "noalias"):
            ours = self.lists.ours(original.metadata.get(key))
            if ours is not None:
                made.metadata[key] = ours

    def attach(self, entry: Block, primal: Iterable[Value]) -> None:
        """Write the metadata, once everything has been emitted; ``entry`` is the head of the function, ``primal`` what
        the copy of the program loads and stores by."""
        if not self.accesses:
            return
        module, lists = self.module, self.lists
        domain, of_lanes = map(lists.domain, ("tangents", "lanes"))
        every = lists.make([lists.scope(domain)])
        for access in primal:
            assert isinstance(access, (Load, Store))
            lists.extend(access, "noalias", every)
        lanes = [lists.scope(of_lanes) for _ in range(self.width)]
        own = [lists.make([lane]) for lane in lanes]
        others = [lists.make([other for other in lanes if other is not lane]) for lane in lanes]
        for access, lane in self.accesses.items():
            lists.extend(access, "alias.scope", every)
            if lane is not None and self.width > 1:
                lists.extend(access, "alias.scope", own[lane])
                lists.extend(access, "noalias", others[lane])
        declare_scopes(module, entry, [every, *(own if self.width > 1 else [])])


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
        lists = ScopeLists(self.module)
        declared: list[str] = []
        for accesses in self._accesses.values():
            walks = list(dict.fromkeys(accesses.values()))
            if not any(a.is_row_apart(b) for a, b in combinations(walks, 2)):
                continue
            domain = lists.domain("rows")
            scopes = {each: lists.scope(domain) for each in walks}
            own = {each: lists.make([scope]) for each, scope in scopes.items()}
            apart = {each: [scopes[other] for other in walks if self._are_apart(each, other)] for each in walks}
            others = {each: lists.make(found) for each, found in apart.items() if found}
            for access, walk in accesses.items():
                assert isinstance(access, (Load, Store))
                lists.extend(access, "alias.scope", own[walk])
                if walk in others:
                    lists.extend(access, "noalias", others[walk])
            declared += own.values()
        declare_scopes(self.module, entry, declared)

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


def declare_scopes(module: Module, entry: Block, scopes: Sequence[str]) -> None:
    """Say that scopes, each in a list of its own, are others in each call of a function."""
    type = FunctionType(VOID, (METADATA,))
    declare = module.declare_function("llvm.experimental.noalias.scope.decl", type)
    entry.prepend([Call(declare, [MetadataOperand(scope)], type) for scope in scopes])


class ScopeLists:
    """Lists of scopes as metadata."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._joined: dict[tuple[str, str], str] = {}
        self._ours: dict[str, str | None] = {}

    def domain(self, name: str) -> str:
        """A new domain; ``name`` tells what for."""
        return self.module.add_metadata(_DOMAIN.format(name))

    def scope(self, domain: str) -> str:
        return self.module.add_metadata(f"distinct !{{{{self}}, {domain}}}")

    def make(self, items: Iterable[str]) -> str:
        return self.module.add_metadata(f"!{{{', '.join(items)}}}")

    def extend(self, inst: Instruction, key: str, more: str) -> None:
        """Put the scopes of the list ``more`` to those an access has."""
        own = inst.metadata.get(key)
        if own is None:
            inst.metadata[key] = more
            return
        if (own, more) not in self._joined:
            # A list that the program has may have lost all that was in it.
            self._joined[own, more] = self.make(filter(None, (self._items(own), self._items(more))))
        inst.metadata[key] = self._joined[own, more]

    def ours(self, list: str | None) -> str | None:
        """The scopes of a list that this engine made; None where there are none."""
        if list is None:
            return None
        if list not in self._ours:
            found = [scope for scope in _REFERENCE.findall(self.module.metadata_text(list)) if self._is_ours(scope)]
            self._ours[list] = self.make(found) if found else None
        return self._ours[list]

    def _is_ours(self, scope: str) -> bool:
        domain = _REFERENCE.findall(self.module.metadata_text(scope))[1:2]
        return bool(domain) and _OURS.search(self.module.metadata_text(domain[0])) is not None

    def _items(self, node: str) -> str:
        return self.module.metadata_text(node).strip()[2:-1]


def _touches_memory(inst: Instruction) -> bool:
    """Ordinary accesses; calls are left alone but for block copies and fills, which touch what they are given."""
    if isinstance(inst, (Load, Store)):
        return True
    name = inst.callee_name if isinstance(inst, CallBase) else None
    return name is not None and name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset."))
