"""C++ names as their authors wrote them, by the demangler of the C++ runtime that the system has."""

from __future__ import annotations

import ctypes
import re
from functools import cache

_QUOTED = re.compile(r"(['\"]@?)(_Z[\w$.]+)(?=['\"])")
_CLONE = re.compile(r"^(_Z\w+)((?:\.[\w$]+)+)$")


@cache
def _runtime() -> tuple[ctypes.CDLL, ctypes.CDLL] | None:
    """The library with the demangler, and the one that frees what it gives."""
    for library in ("libstdc++.so.6", "libc++abi.so.1", "libc++.so.1", "libc++.1.dylib"):
        try:
            loaded, program = ctypes.CDLL(library), ctypes.CDLL(None)
            loaded.__cxa_demangle.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
            loaded.__cxa_demangle.restype = ctypes.c_void_p
            program.free.argtypes = (ctypes.c_void_p,)
        except (OSError, AttributeError, TypeError):
            continue
        return loaded, program
    return None


def _plain(name: str) -> str | None:
    libraries = _runtime()
    if libraries is None:
        return None
    made = libraries[0].__cxa_demangle(name.encode(), None, None, None)
    if not made:
        return None
    text = ctypes.string_at(made).decode("utf-8", errors="replace")
    libraries[1].free(made)
    return text


def demangle(name: str) -> str:
    """The C++ spelling of a mangled name; anything else as it is. What was added behind it (``.reverse.d``) stays."""
    if not name.startswith("_Z"):
        return name
    found = _CLONE.match(name)
    base, rest = (found[1], found[2]) if found else (name, "")
    plain = _plain(base)
    return plain + rest if plain is not None else name


def demangle_quoted(text: str) -> str:
    """A message with the mangled names in quotation marks spelled as in the source."""
    return _QUOTED.sub(lambda found: found[1] + demangle(found[2]), text) if "_Z" in text else text
