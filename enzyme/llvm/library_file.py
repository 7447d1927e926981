"""Files of libraries that this process has loaded, and numbers of the mathematics library, read from its file."""

from __future__ import annotations

import struct
from functools import cache


def loaded_library(name: str) -> str | None:
    """The file of a library that this process has loaded, by how the file's name begins (``libm.``); None where there
    is none to be found."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            return next((line.split(maxsplit=5)[5].strip() for line in maps if f"/{name}" in line), None)
    except OSError:
        return None


@cache
def numbers_from(first: tuple[float, ...], count: int) -> tuple[float, ...] | None:
    """The ``count`` doubles that begin with these in the mathematics library; None where it has none, or several."""
    path = loaded_library("libm.") or loaded_library("libm-")
    if path is None:
        return None
    try:
        with open(path, "rb") as file:
            contents = file.read()
    except OSError:
        return None
    key = struct.pack(f"<{len(first)}d", *first)
    start = contents.find(key)
    if start < 0 or contents.find(key, start + 1) >= 0 or start + 8 * count > len(contents):
        return None
    return struct.unpack_from(f"<{count}d", contents, start)
