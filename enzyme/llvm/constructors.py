"""Static constructors and destructors on ELF systems, in the sections that the loader of today runs.

LLVM's code generator puts them into ``.ctors`` and ``.dtors`` unless its target is told otherwise, and llvmlite has no
word for that. C libraries stopped running those long ago. So ``llvm.global_ctors`` becomes variables in ``.init_array``
before code is generated; the assembler knows the section by its name.
"""

from __future__ import annotations

import re

_ARRAYS = {"ctors": "init_array", "dtors": "fini_array"}
_NAME = r'@(?:"[^"]*"|[-\w.$]+)'
_LIST = re.compile(r"^@llvm\.global_(ctors|dtors) = appending .*$", re.M)
_ENTRY = re.compile(rf"\{{ i32 (\d+), ptr ({_NAME}), ptr (null|{_NAME}) \}}")
_DEFAULT = 65535
_ELF = re.compile(r'^target triple = "[^"]*(?:linux|freebsd|netbsd|openbsd|elf)', re.M)


def with_initialisers(text: str) -> str:
    """The text of a module whose constructors and destructors the loader finds."""
    if "@llvm.global_ctors" not in text and "@llvm.global_dtors" not in text or not _ELF.search(text):
        return text
    return _LIST.sub(lambda found: _sections(text, found[0], found[1]), text)


def _sections(text: str, line: str, which: str) -> str:
    made = []
    for number, (priority, function, key) in enumerate(_ENTRY.findall(line)):
        section = f".{_ARRAYS[which]}"
        if int(priority) != _DEFAULT:
            section += f".{int(priority):05}"
        # What belongs to a variable that several objects define goes when the linker drops that variable.
        group = f"${key[1:]}"
        shared = f", comdat({group})" if key != "null" and f"\n{group} = comdat " in text else ""
        name = f"@enzyme.{_ARRAYS[which]}.{number}"
        made.append(f'{name} = internal constant ptr {function}, section "{section}"{shared}, align 8')
    return "\n".join(made)
