"""Numbers of the C library's mathematical functions, read from its file."""

from __future__ import annotations

import os
import struct
from functools import cache

_NAMES = ("libm.so", "libm-")


@cache
def _contents() -> bytes:
    """The file of the mathematics library that this process has loaded; empty where there is none to read."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = [line.split(maxsplit=5)[5].strip() for line in maps if "/libm" in line]
        path = next((path for path in paths if os.path.basename(path).startswith(_NAMES)), None)
        if path is None:
            return b""
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


@cache
def numbers_from(first: tuple[float, ...], count: int) -> tuple[float, ...] | None:
    """The ``count`` doubles that begin with these; None where the library has none such, or several."""
    contents = _contents()
    key = struct.pack(f"<{len(first)}d", *first)
    start = contents.find(key)
    if start < 0 or contents.find(key, start + 1) >= 0 or start + 8 * count > len(contents):
        return None
    return struct.unpack_from(f"<{count}d", contents, start)
