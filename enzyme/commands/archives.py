"""Static libraries: which members hold bitcode, and which of those a program needs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from enzyme.support.diagnostics import CompileError

MAGIC = b"!<arch>\n"
THIN = b"!<thin>\n"
_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


def is_bitcode(data: bytes) -> bool:
    return data.startswith(_BITCODE)


@dataclass(frozen=True)
class Member:
    """A file in an archive."""

    archive: str
    name: str
    data: bytes = field(repr=False)

    @property
    def label(self) -> str:
        return f"{self.archive}({self.name})"


def is_archive(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(8) in (MAGIC, THIN)
    except OSError:
        return False


def read_archive(path: str) -> list[Member]:
    """The members of a static library, without its symbol tables. GNU, BSD and thin archives are read."""
    data = Path(path).read_bytes()
    thin = data.startswith(THIN)
    members: list[Member] = []
    names = b""
    at = 8
    while at + 60 <= len(data):
        header = data[at : at + 60]
        at += 60
        if header[58:] != b"`\n":
            raise CompileError(f"'{path}' is damaged", why=f"there is no header of a member at byte {at - 60}")
        name, size = header[:16].decode("latin-1").rstrip(), int(header[48:58])
        table = name in ("/", "/SYM64/", "//") or name.startswith("__.SYMDEF")
        if name == "//":
            names = data[at : at + size]
        elif name.startswith("#1/"):
            length = int(name[3:])
            name = data[at : at + length].rstrip(b"\0").decode("utf-8", "replace")
            if not name.startswith("__.SYMDEF"):
                members.append(Member(path, name, data[at + length : at + size]))
        elif not table:
            if name.startswith("/") and name[1:].isdigit():
                start = int(name[1:])
                name = names[start : names.index(b"\n", start)].decode("utf-8", "replace")
            name = name.rstrip("/") or name
            content = (Path(path).parent / name).read_bytes() if thin else data[at : at + size]
            members.append(Member(path, name, content))
        if table or not thin:
            at += size + size % 2
    return members


def find_library(name: str, folders: Sequence[str]) -> str | None:
    """The static library that ``-lNAME`` finds first; None when it is a shared one, or in the system's folders."""
    for folder in folders:
        base = Path(folder)
        if name.startswith(":"):
            if is_archive(str(base / name[1:])):
                return str(base / name[1:])
            continue
        if any((base / f"lib{name}{suffix}").exists() for suffix in (".so", ".dylib", ".tbd")):
            return None
        if is_archive(str(base / f"lib{name}.a")):
            return str(base / f"lib{name}.a")
    return None


@dataclass
class Symbols:
    """What a module defines for others and lacks."""

    defined: set[str]
    undefined: set[str]


def needed_members(
    modules: Iterable[Symbols], objects: Sequence[bytes], members: Sequence[tuple[Member, Symbols]]
) -> list[Member]:
    """Bitcode members that define something which the program lacks, directly or through other members.

    Ordinary objects are not taken apart: a name that stands in one counts as lacking there.
    """
    lacking: set[str] = set()
    defined: set[str] = set()
    for module in modules:
        defined |= module.defined
        lacking |= module.undefined
    chosen: dict[int, Member] = {}
    named = [{n for n in symbols.defined if any(_mentions(data, n) for data in objects)} for _, symbols in members]
    grown = True
    while grown:
        grown = False
        for index, (member, symbols) in enumerate(members):
            wanted = (symbols.defined & lacking | named[index]) - defined
            if index not in chosen and wanted:
                chosen[index] = member
                defined |= symbols.defined
                lacking |= symbols.undefined
                grown = True
    return [chosen[index] for index in sorted(chosen)]


def _mentions(data: bytes, name: str) -> bool:
    word = name.encode("utf-8", "surrogateescape")
    return b"\0" + word + b"\0" in data or b"\0_" + word + b"\0" in data


def write_archive(path: Path, members: Sequence[Member], folder: Path) -> None:
    """A static library of ordinary members, with the table of symbols that linkers want."""
    files = []
    for index, member in enumerate(members):
        file = folder / f"{path.stem}-{index}-{Path(member.name).name}"
        file.write_bytes(member.data)
        files.append(str(file))
    command = [sys.executable, "-m", "ziglang", "ar", "rcs", str(path), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompileError(f"'{members[0].archive}' could not be split", why=done.stderr.strip() or None)
