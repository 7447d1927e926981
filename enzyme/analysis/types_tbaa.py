"""What TBAA metadata says about the bytes an access or a copy touches.

Scalar type nodes are known by the names that clang (and those who follow it) give them: floating-point names are
proofs, "any pointer", "vtable pointer" and "p1 double" style names are pointers, "omnipotent char" says nothing, and
other scalar names are integers (weak evidence: used only where nothing contradicts it).
"""

from __future__ import annotations

import re

from enzyme.analysis.tbaa import node_fields
from enzyme.analysis.type_tree import BY_FORMAT, FLOAT_BYTES, INT, POINTER
from enzyme.ir.module import Module

_FLOATS = {"double": "double", "float": "float", "half": "half", "_Float16": "half", "__fp16": "half"}
_FLOATS |= {"__bf16": "bfloat", "__float128": "fp128", "_Float128": "fp128", "f64": "double", "f32": "float"}
_NOTHING = re.compile(r"omnipotent char|.*\bTBAA\b.*|(tbaa )?root.*|((un)?signed )?char|_ZTS.*|jtbaa.*", re.I)
_POINTER = re.compile(r"any pointer|any p\d+ pointer|vtable pointer|p\d+ .*")
_INTEGERS = {
    "int": 4, "unsigned int": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8,
    "short": 2, "unsigned short": 2, "bool": 1, "_Bool": 1, "__int128": 16, "unsigned __int128": 16,
}  # fmt: skip

Field = tuple[int, int, int]
"""Offset relative to the access, kind, size in bytes."""


class TypeMetadata:
    """Reads ``!tbaa`` and ``!tbaa.struct`` nodes of a module. ``long_bytes``: size of C's long."""

    def __init__(self, module: Module, long_bytes: int = 8, long_double: str | None = None) -> None:
        self._module = module
        self._long_bytes = long_bytes
        self._long_double = long_double
        self._tags: dict[str, list[Field]] = {}

    def access(self, tag: str) -> list[Field]:
        """Kinds at and around an access with this tag: of the scalar itself and of the struct it is a member of."""
        found = self._tags.get(tag)
        if found is None:
            found = self._tags[tag] = self._read_access(tag)
        return found

    def names_member(self, tag: str) -> bool:
        """Whether an access tag names a member of a struct, and not just a scalar."""
        words = node_fields(self._module.metadata_text(tag))
        return len(words) >= 3 and words[0] != words[1]

    def copied(self, reference: str) -> tuple[list[Field], int]:
        """Fields of a ``!tbaa.struct`` copy, and the end of the last one; bytes in no field are padding."""
        words = node_fields(self._module.metadata_text(reference))
        fields: list[Field] = []
        end = 0
        for at in range(0, len(words) - 2, 3):
            offset, size, tag = words[at : at + 3]
            if not isinstance(offset, int) or not isinstance(size, int):
                return [], 0
            end = max(end, offset + size)
            inner = self.access(tag) if isinstance(tag, str) else []
            scalar = next((f for f in inner if f[0] == 0), None)
            if scalar is None or scalar[2] > size:
                fields.append((offset, 0, size))
                continue
            step = scalar[2] if scalar[1] != BY_FORMAT["x86_fp80"] else 12 if size % 16 else 16  # its padding
            fields += [(o, scalar[1], scalar[2]) for o in range(offset, offset + size, step)]
        return fields, end

    def _read_access(self, tag: str) -> list[Field]:
        words = node_fields(self._module.metadata_text(tag))
        if len(words) < 3 or not isinstance(words[0], str) or not isinstance(words[1], str):
            return []
        base, access, offset = words[0], words[1], words[2]
        if not base.startswith("!") or not isinstance(offset, int):
            return []
        fields = [(at - offset, kind, size) for at, kind, size in self._layout(base, 0)]
        scalar = self._scalar(self._name(access))
        if scalar is not None:
            fields.append((0, *scalar))
        return fields

    def _name(self, node: str) -> str:
        words = node_fields(self._module.metadata_text(node))
        return words[0].strip('"') if words and isinstance(words[0], str) and words[0].startswith('"') else ""

    def _layout(self, node: str, depth: int) -> list[Field]:
        """Scalar members of a struct type node by offset; a scalar node (one member: its parent) gives itself."""
        words = node_fields(self._module.metadata_text(node))
        if depth > 8 or len(words) < 3:
            return []
        members = [(words[i], words[i + 1]) for i in range(1, len(words) - 1, 2)]
        name = self._name(node)
        if len(members) == 1 and (members[0][1] == 0) and (self._scalar(name) or _NOTHING.fullmatch(name)):
            scalar = self._scalar(name)
            return [(0, *scalar)] if scalar is not None else []
        found: list[Field] = []
        for member, offset in members:
            if isinstance(member, str) and isinstance(offset, int):
                found += [(offset + at, kind, size) for at, kind, size in self._layout(member, depth + 1)]
        return found

    def _scalar(self, name: str) -> tuple[int, int] | None:
        """(kind, size) of a scalar type name; None when it says nothing or is not a known scalar."""
        if not name:
            return None
        if name in _FLOATS:
            kind = BY_FORMAT[_FLOATS[name]]
            return kind, FLOAT_BYTES[kind]
        if name == "long double" and self._long_double is not None:
            kind = BY_FORMAT[self._long_double]
            return kind, FLOAT_BYTES[kind]
        if _POINTER.fullmatch(name):
            return POINTER, 8
        if name in ("long", "unsigned long"):
            return INT, self._long_bytes
        return (INT, _INTEGERS[name]) if name in _INTEGERS else None
