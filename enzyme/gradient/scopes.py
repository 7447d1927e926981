"""What LLVM may know about tapes: no tape array overlaps another, nor anything else the program touches.

The arrays of a nest are parts of one allocation, and a split derivative finds its arrays through a frame in memory;
LLVM could not see from pointers alone that they are apart. So every access of an array carries an alias scope of its
own, and every other access of the derivative says that it does not touch any of these scopes.
"""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.ir.module import Module
from enzyme.ir.values import CallBase, Function, Instruction, Load, Store, Value


class TapeScopes:
    """Alias scopes of the tape arrays of one derivative."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._domain: str | None = None
        self._scopes: dict[Value, str] = {}
        self._accesses: list[tuple[Instruction, Value]] = []

    def mark(self, access: Instruction, array_of: Value) -> None:
        """``access`` reads or writes the array that keeps ``array_of``."""
        if self._domain is None:
            self._domain = self.module.add_metadata('distinct !{{self}, !"tape"}')
        if array_of not in self._scopes:
            self._scopes[array_of] = self.module.add_metadata(f"distinct !{{{{self}}, {self._domain}}}")
        self._accesses.append((access, array_of))

    def attach(self, functions: list[Function]) -> None:
        """Write the metadata, once everything has been emitted."""
        if not self._scopes:
            return
        everything = self._list(self._scopes.values())
        lists = {value: (self._list([scope]), self._others(value)) for value, scope in self._scopes.items()}
        marked: set[Instruction] = set()
        for access, value in self._accesses:
            scope, others = lists[value]
            access.metadata["alias.scope"] = scope
            if others is not None:
                access.metadata["noalias"] = others
            marked.add(access)
        joined: dict[str, str] = {}
        for function in functions:
            for inst in function.instructions():
                if inst in marked or not _touches_memory(inst):
                    continue
                own = inst.metadata.get("noalias")
                if own is None:
                    inst.metadata["noalias"] = everything
                    continue
                if own not in joined:
                    inner = self.module.metadata_text(own).strip()[2:-1]
                    joined[own] = self._list([inner, *self._scopes.values()])
                inst.metadata["noalias"] = joined[own]

    def _others(self, value: Value) -> str | None:
        rest = [scope for each, scope in self._scopes.items() if each is not value]
        return self._list(rest) if rest else None

    def _list(self, items: Iterable[str]) -> str:
        return self.module.add_metadata(f"!{{{', '.join(items)}}}")


def _touches_memory(inst: Instruction) -> bool:
    """Ordinary accesses; calls are left alone but for block copies and fills, which touch what they are given."""
    if isinstance(inst, (Load, Store)):
        return True
    name = inst.callee_name if isinstance(inst, CallBase) else None
    return name is not None and name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset."))
