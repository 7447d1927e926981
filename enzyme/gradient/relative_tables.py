"""Tables of distances become tables of pointers again.

LLVM keeps a constant table of pointers to constants (names, operations) as 32-bit distances from its own address, and
reads it by ``llvm.load.relative``. Nobody who follows pointers sees then where an entry leads. The table gets its
pointers back where the program uses it in no other way; when the program is optimised, LLVM may do it again.
"""

from __future__ import annotations

import re

_NAME = r'@(?:"[^"]*"|[-\w$.]+)'
_TABLE = re.compile(
    rf"^({_NAME}) = ([^\n]*?\bconstant) \[(\d+) x i32\] \[(i32 trunc [^\n]*)\](, comdat[^\n,]*)?, align 4$", re.M
)
_ENTRY = re.compile(
    r"i32 trunc \(i64 sub \(i64 ptrtoint \((ptr .+?) to i64\), i64 ptrtoint \(ptr ([^ ]+) to i64\)\) to i32\)"
)
_READ = re.compile(
    r"^( *)(%\S+) = (?:tail )?call (?:\w+ )*ptr @llvm\.load\.relative\.i64\((?:nonnull )?"
    rf"ptr ({_NAME}), i64 ([^ ,)]+)\)"
    r"(?: #\d+)?((?:, ![^\n]*)?)$",
    re.M,
)


def absolute_tables(text: str) -> str:
    """The program with its tables of distances as tables of pointers; the same text where it has none."""
    if "@llvm.load.relative.i64(" not in text:
        return text
    entries: dict[str, list[str]] = {}
    for name, _, count, body, _ in _TABLE.findall(text):
        found = _ENTRY.findall(body)
        uses = len(re.findall(re.escape(name) + r"(?![-\w$.])", text))
        reads = sum(read[2] == name for read in _READ.findall(text))
        if len(found) == int(count) and all(base == name for _, base in found) and uses == 1 + len(found) + reads:
            entries[name] = [pointer for pointer, _ in found]

    def table(found: re.Match[str]) -> str:
        name, words, count, _, comdat = found.groups()
        if name not in entries:
            return found[0]
        return f"{name} = {words} [{count} x ptr] [{', '.join(entries[name])}]{comdat or ''}, align 8"

    def read(found: re.Match[str]) -> str:
        indent, value, name, distance, metadata = found.groups()
        if name not in entries:
            return found[0]
        at = f"%enzyme.relative.{found.start()}"
        return (
            f"{indent}{at}.bytes = shl i64 {distance}, 1\n"
            f"{indent}{at} = getelementptr i8, ptr {name}, i64 {at}.bytes\n"
            f"{indent}{value} = load ptr, ptr {at}, align 8{metadata}"
        )

    return _READ.sub(read, _TABLE.sub(table, text)) if entries else text
