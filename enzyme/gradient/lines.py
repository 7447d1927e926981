"""Debug info of derivatives: each is a subprogram of its own whose instructions carry the lines of the primal.

A location names the scope it is in (a lexical block or a subprogram), and LLVM demands that the outermost one is the
subprogram of the function that holds the instruction. So the scopes of the subject are made again for the derivative;
scopes of functions that were inlined into it stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from enzyme.ir.module import Module
from enzyme.ir.values import Block, CallBase, DebugRecord, Function, Phi

_SUBPROGRAM = re.compile(r"!dbg (!\d+)")
_SCOPE = re.compile(r"\bscope: (!\d+)")
_INLINED_AT = re.compile(r"\binlinedAt: (!\d+)")
_ATOM = re.compile(r", atom(?:Group|Rank): \d+")  # numbered within the subject's own subprogram
_FIELD = {name: re.compile(rf"\b{name}: (![0-9]+|[0-9]+)") for name in ("file", "unit", "line", "scopeLine")}


def subprogram(function: Function) -> str | None:
    """The node that describes a function, when it has debug info."""
    found = _SUBPROGRAM.search(" ".join((*function.prefix, function.suffix)))
    return found[1] if found else None


def is_location(module: Module, node: str) -> bool:
    """Whether a node is a place in the source."""
    return module.metadata_text(node).startswith(("!DILocation(", "distinct !DILocation("))


def mark(blocks: list[Block], before: dict[Block, int], location: str | None) -> None:
    """Give ``location`` to every instruction added to ``blocks`` since ``before`` was noted, unless it has one."""
    if location is None:
        return
    for block in blocks:
        for inst in block.instructions[before.get(block, 0) :]:
            inst.metadata.setdefault("dbg", location)


def attach_lines(module: Module, subject: Function, made: Function) -> None:
    """Turn the locations that the instructions of ``made`` have from ``subject`` into its own, and complete them."""
    original = subprogram(subject)
    if original is None or "DISubprogram(" not in module.metadata_text(original):
        for inst in made.instructions():
            inst.metadata.pop("dbg", None)
        return
    own = _new_subprogram(module, module.metadata_text(original), made.name or "")
    made.suffix = f"{made.suffix} !dbg {own}".strip()
    moved = _Scopes(module, original, own)
    for inst in made.instructions():
        location = inst.metadata.get("dbg")
        if location is not None:
            found = moved.location(location)
            if found is None:
                del inst.metadata["dbg"]
            else:
                inst.metadata["dbg"] = found
        if inst.is_terminator and "llvm.loop" in inst.metadata:
            said = [moved.location(each) if is_location(module, each) else each for each in module.loop_metadata(inst)]
            inst.metadata["llvm.loop"] = module.add_loop_metadata(*(each for each in said if each is not None))
    complete_lines(module, made)


def complete_lines(module: Module, function: Function) -> None:
    """A location for every instruction of a function with debug info: that of the instruction before it in its block,
    else of the one behind it, else the function's own line. LLVM demands one of calls."""
    own = subprogram(function)
    text = module.metadata_text(own) if own is not None else ""
    if own is None or "DISubprogram(" not in text:
        return
    start: str | None = None
    for block in function.blocks:
        plain = [i for i in block.instructions if not isinstance(i, (Phi, DebugRecord))]
        if not any("dbg" not in inst.metadata for inst in plain):
            continue
        current = next((inst.metadata["dbg"] for inst in plain if "dbg" in inst.metadata), None)
        if current is None:
            if start is None:
                line = _FIELD["line"].search(text)
                start = module.add_metadata(f"!DILocation(line: {line[1] if line else 0}, scope: {own})")
            current = start
        for inst in plain:
            current = inst.metadata.setdefault("dbg", current)


def complete_calls(module: Module) -> None:
    """:func:`complete_lines` for every function that was read and has a call without a location."""
    for function in module.functions.values():
        if function.body_text is None and function.is_loaded and not function.is_declaration:
            if any(isinstance(inst, CallBase) and "dbg" not in inst.metadata for inst in function.instructions()):
                complete_lines(module, function)


def _new_subprogram(module: Module, text: str, name: str) -> str:
    fields = {key: found[1] for key, pattern in _FIELD.items() if (found := pattern.search(text))}
    types = module.add_metadata("!DISubroutineType(types: !{null})")
    quoted = name.replace("\\", "\\5C").replace('"', "\\22")
    parts = [f'name: "{quoted}", linkageName: "{quoted}"']
    if "file" in fields:
        parts.append(f"scope: {fields['file']}")
    parts += [f"{key}: {fields[key]}" for key in ("file", "line") if key in fields]
    parts.append(f"type: {types}")
    if "scopeLine" in fields:
        parts.append(f"scopeLine: {fields['scopeLine']}")
    parts.append("spFlags: DISPFlagLocalToUnit | DISPFlagDefinition")
    if "unit" in fields:
        parts.append(f"unit: {fields['unit']}")
    return module.add_metadata(f"distinct !DISubprogram({', '.join(parts)})")


class _Scopes:
    """Locations and scopes of one function made again below another subprogram."""

    def __init__(self, module: Module, original: str, own: str) -> None:
        self.module = module
        self._scopes: dict[str, str | None] = {original: own}
        self._locations: dict[str, str | None] = {}

    def location(self, node: str) -> str | None:
        """The location with the outermost scope replaced; None for one that is not below ``original``."""
        return self._again(node, self._locations, self._make_location)

    def _scope(self, node: str) -> str | None:
        return self._again(node, self._scopes, self._make_scope)

    def _again(self, node: str, known: dict[str, str | None], make: Callable[[str], str | None]) -> str | None:
        if node not in known:
            known[node] = None  # a cycle can only come from broken input
            text = make(self.module.metadata_text(node))
            known[node] = self.module.add_metadata(text) if text is not None else None
        return known[node]

    def _make_location(self, text: str) -> str | None:
        text = _ATOM.sub("", text)
        inlined = _INLINED_AT.search(text)
        if inlined is not None:
            caller = self.location(inlined[1])
            return None if caller is None else f"{text[: inlined.start(1)]}{caller}{text[inlined.end(1) :]}"
        return self._make_scope(text)

    def _make_scope(self, text: str) -> str | None:
        found = _SCOPE.search(text)
        if found is None or "DISubprogram(" in text:
            return None
        scope = self._scope(found[1])
        return None if scope is None else f"{text[: found.start(1)]}{scope}{text[found.end(1) :]}"
