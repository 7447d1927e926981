"""Type-based alias metadata (``!tbaa``) and scoped no-alias metadata (``!alias.scope``, ``!noalias``).

Access tags are ``!{base, access, offset [, constant]}``; type nodes ``!{"name", member, offset, ...}``; a scalar's only
member is its parent, and the root has none. The rules are those of LLVM's TypeBasedAliasAnalysis for the old node
format and of ScopedNoAliasAA; nodes of the size-aware format, missing nodes and whatever cannot be read say "may".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from enzyme.ir.values import CallBase, Instruction

_FIELD = re.compile(r'!"((?:[^"\\]|\\.)*)"|(![0-9]+)|(?:i[0-9]+) (-?[0-9]+)|(null)')
Field = str | int | None


def declares_scope(inst: Instruction) -> bool:
    """Whether a scope, for as long as which pointers are apart, begins here (anew, in a loop)."""
    return isinstance(inst, CallBase) and inst.callee_name == "llvm.experimental.noalias.scope.decl"


def node_fields(text: str) -> list[Field]:
    """Operands of a metadata node: ``!N`` references and strings (with their quotes) as text, integers, None."""
    start, end = text.find("{"), text.rfind("}")
    found: list[Field] = []
    for match in _FIELD.finditer(text, start + 1, end):
        if match[1] is not None:
            found.append('"' + match[1] + '"')
        elif match[2] is not None:
            found.append(match[2])
        else:
            found.append(int(match[3]) if match[3] is not None else None)
    return found


@dataclass(frozen=True)
class _Tag:
    base: str
    access: str
    offset: int
    constant: bool


class TypeTree:
    """The TBAA nodes of one module, read as they are asked for. ``text_of`` gives the definition behind ``!N``."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self._text_of = text_of
        self._fields: dict[str, list[Field]] = {}
        self._tags: dict[str, _Tag | None] = {}
        self._paths: dict[str, tuple[str, ...] | None] = {}
        self._answers: dict[tuple[str, str], bool] = {}

    def _node(self, reference: str) -> list[Field]:
        fields = self._fields.get(reference)
        if fields is None:
            fields = self._fields[reference] = node_fields(self._text_of(reference))
        return fields

    def _tag(self, reference: str) -> _Tag | None:
        if reference not in self._tags:
            self._tags[reference] = self._read_tag(reference)
        return self._tags[reference]

    def _read_tag(self, reference: str) -> _Tag | None:
        fields = self._node(reference)
        if len(fields) not in (3, 4):
            return None
        base, access, offset = fields[:3]
        if not (isinstance(base, str) and isinstance(access, str) and isinstance(offset, int)):
            return None
        # the size-aware format starts a type node with its parent and size instead of a name
        if any(not self._is_type(node) for node in (base, access)):
            return None
        return _Tag(base, access, offset, len(fields) == 4 and fields[3] == 1)

    def _is_type(self, reference: str) -> bool:
        fields = self._node(reference)
        return bool(fields) and isinstance(fields[0], str) and (fields[0].startswith('"') or len(fields) == 1)

    def is_constant(self, tag: str | None) -> bool:
        """Whether the tag says that the memory it reads is never written."""
        found = self._tag(tag) if tag else None
        return found is not None and found.constant

    def may_alias(self, left: str | None, right: str | None) -> bool:
        """Whether accesses with these tags may touch the same memory."""
        if left is None or right is None or left == right:
            return True
        key = (left, right)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._match(left, right)
        return answer

    def _match(self, left: str, right: str) -> bool:
        a, b = self._tag(left), self._tag(right)
        if a is None or b is None:
            return True
        common = self._common(a.access, b.access)
        if common is None:
            return True  # different type systems
        for outer, inner in ((a, b), (b, a)):
            answer = self._subobject(outer, inner, common)
            if answer is not None:
                return answer
        return False

    def _path(self, scalar: str) -> tuple[str, ...] | None:
        """The scalar type and its ancestors up to the root; None when the chain cannot be read."""
        if scalar in self._paths:
            return self._paths[scalar]
        path: list[str] = []
        walk: Field = scalar
        result: tuple[str, ...] | None = None
        while isinstance(walk, str) and walk.startswith("!") and walk not in path and self._is_type(walk):
            path.append(walk)
            fields = self._node(walk)
            if len(fields) < 2:
                result = tuple(path)
                break
            walk = fields[1]
        self._paths[scalar] = result
        return result

    def _common(self, left: str, right: str) -> str | None:
        a, b = self._path(left), self._path(right)
        if a is None or b is None:
            return None
        found = None
        for x, y in zip(reversed(a), reversed(b), strict=False):
            if x != y:
                break
            found = x
        return found

    def _subobject(self, outer: _Tag, inner: _Tag, common: str) -> bool | None:
        """Whether ``inner``'s object, as part of ``outer``'s access path, is the same member; None: no part of it."""
        if outer.access == outer.base == common:
            return True
        node: str | None = outer.base
        offset = outer.offset
        for _ in range(64):
            if node is None:
                return None
            if node == inner.base:
                return offset == inner.offset
            node, offset = self._member(node, offset)
        return True  # deeper than any type: give up on the safe side

    def _member(self, node: str, offset: int) -> tuple[str | None, int]:
        """The member (or parent) of ``node`` that covers ``offset``, and the offset in it."""
        fields = self._node(node)
        if len(fields) < 2:
            return None, offset
        chosen, start = fields[1], fields[2] if len(fields) > 2 else 0
        for i in range(1, len(fields) - 1, 2):
            at = fields[i + 1]
            if isinstance(at, int) and at <= offset:
                chosen, start = fields[i], at
        assert isinstance(start, int)
        return (chosen if isinstance(chosen, str) else None), offset - start


class ScopeTree:
    """Scoped no-alias metadata of one module."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self._text_of = text_of
        self._lists: dict[str, frozenset[str]] = {}
        self._domains: dict[str, str] = {}

    def scopes(self, reference: str | None) -> frozenset[str]:
        """The scope nodes in a list node."""
        if reference is None:
            return frozenset()
        found = self._lists.get(reference)
        if found is None:
            members = node_fields(self._text_of(reference))
            found = self._lists[reference] = frozenset(m for m in members if isinstance(m, str) and m.startswith("!"))
        return found

    def domain(self, scope: str) -> str:
        """The domain node of a scope; the scope itself when it names none."""
        found = self._domains.get(scope)
        if found is None:
            fields = [f for f in node_fields(self._text_of(scope)) if isinstance(f, str) and f.startswith("!")]
            found = self._domains[scope] = next((f for f in fields if f != scope), scope)
        return found

    def excludes(self, scopes: frozenset[str], noalias: frozenset[str]) -> bool:
        """Whether ``noalias`` of one access covers, in some domain, all ``scopes`` of the other that lie in it."""
        if not scopes or not noalias:
            return False
        for domain in {self.domain(scope) for scope in noalias}:
            inside = {scope for scope in scopes if self.domain(scope) == domain}
            if inside and inside <= noalias:
                return True
        return False
