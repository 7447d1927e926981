"""Differentiating several files as one program: sources, IR, and objects and static libraries that hold bitcode.

An object made under -flto holds what the front end gave, before any optimisation, and the level it was compiled with.
All of a program is optimised together, so that functions of one file are inlined into those of another before they are
differentiated, and what one file registers holds in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from enzyme.commands.archives import (
    Member,
    Symbols,
    find_library,
    is_archive,
    is_bitcode,
    needed_members,
    read_archive,
    write_archive,
)
from enzyme.commands.cc_line import CompilerLine, Input
from enzyme.frontends.ir import load_ir

_LEVEL_NODE = 999_999_999
_LEVELS = re.compile(r"(?m)^!enzyme\.level = !\{(.*)\}$")
_LEVEL = re.compile(r'(?m)^(!\d+) = !\{i32 (\d+), !"([^"]*)"\}$')


def stamped(text: str, level: int, cpu: str) -> str:
    """IR with a note of how it is to be compiled; notes of several modules are collected when they are linked."""
    return f'{text.rstrip()}\n\n!enzyme.level = !{{!{_LEVEL_NODE}}}\n!{_LEVEL_NODE} = !{{i32 {level}, !"{cpu}"}}\n'


def read_stamps(text: str) -> tuple[int, str] | None:
    """The highest level of the modules linked into ``text``, and the CPU if all name the same; None without notes."""
    found = _LEVELS.search(text)
    if found is None:
        return None
    nodes = {node: (int(level), cpu) for node, level, cpu in _LEVEL.findall(text)}
    stamps = [nodes[node] for node in re.findall(r"!\d+", found[1]) if node in nodes]
    cpus = {cpu for _, cpu in stamps}
    return max((level for level, _ in stamps), default=0), cpus.pop() if len(cpus) == 1 else ""


@dataclass
class WholeProgram:
    """The parts of a program that are differentiated together, and the words left for the linker."""

    texts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def asks_for_derivatives(self) -> bool:
        return any("__enzyme_" in text for text in self.texts)

    def linked(self) -> str:
        from enzyme.llvm.context import link_texts

        return link_texts(self.texts, self.names) if len(self.texts) > 1 else self.texts[0]


@dataclass
class Parts:
    """The inputs of a link step, sorted. ``archives``: the members of the library that a word of the line names."""

    compiled: list[Input]
    bitcode: list[Input]
    objects: list[bytes]
    archives: dict[int, list[Member]]

    @property
    def has_bitcode(self) -> bool:
        return bool(self.bitcode) or any(is_bitcode(m.data) for members in self.archives.values() for m in members)


def read_parts(line: CompilerLine) -> Parts:
    """What the link line names. Libraries count when they hold bitcode."""
    parts = Parts([each for each in line.inputs if each.kind != "link"], [], [], {})
    folders = _folders(line.link)
    for index, word in enumerate(line.link):
        if isinstance(word, Input):
            if word.kind != "link":
                continue
            path = word.path
        elif word.startswith("-l") and len(word) > 2:
            path = find_library(word[2:], folders) or ""
        else:
            continue
        if path and is_archive(path):
            members = read_archive(path)
            if any(is_bitcode(member.data) for member in members):
                parts.archives[index] = members
        elif path and isinstance(word, Input):
            data = Path(path).read_bytes()
            if is_bitcode(data):
                parts.bitcode.append(word)
            else:
                parts.objects.append(data)
    return parts


def _folders(words: list[str | Input]) -> list[str]:
    found: list[str] = []
    for index, word in enumerate(words):
        if isinstance(word, str) and word.startswith("-L"):
            following = words[index + 1] if index + 1 < len(words) else ""
            found.append(word[2:] or (following if isinstance(following, str) else ""))
    return found


def assemble(line: CompilerLine, parts: Parts, ir_of: Callable[[Input], str]) -> WholeProgram:
    """All that is differentiated together, in the order of the line, and what it needs of static libraries."""
    whole = WholeProgram()
    for each in line.inputs:
        if each in parts.bitcode:
            whole.texts.append(load_ir(Path(each.path).read_bytes(), each.path))
        elif each.kind != "link":
            whole.texts.append(ir_of(each))
        else:
            continue
        whole.names.append(each.path)
    if parts.archives:
        _add_members(whole, parts)
    return whole


def _add_members(whole: WholeProgram, parts: Parts) -> None:
    from enzyme.llvm.context import symbols_of

    def symbols(source: str | bytes) -> Symbols:
        return Symbols(*symbols_of(source))

    everything = [member for members in parts.archives.values() for member in members]
    ordinary = [member.data for member in everything if not is_bitcode(member.data)]
    candidates = [(member, symbols(member.data)) for member in everything if is_bitcode(member.data)]
    for member in needed_members([symbols(text) for text in whole.texts], [*parts.objects, *ordinary], candidates):
        whole.texts.append(load_ir(member.data, member.label))
        whole.names.append(member.label)


def rest_of_archive(members: list[Member], folder: Path, index: int) -> str | None:
    """A static library with the ordinary members alone; None when there are none."""
    ordinary = [member for member in members if not is_bitcode(member.data)]
    if not ordinary:
        return None
    path = folder / f"{index}-{Path(members[0].archive).name}"
    write_archive(path, ordinary, folder)
    return str(path)
