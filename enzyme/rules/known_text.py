"""Where numbers become characters (or bytes in a file) and characters become numbers, by library function.

No derivative goes that way. A number that is written is only lost when a number read from the same text counts, which
:mod:`enzyme.analysis.activity_text` finds out. What goes to the standard output and error streams comes back to nobody,
and the standard input is what somebody else wrote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

End = int | Literal["rest", "result", "numbers", "pointers", "files", "environment"]
"""An argument by its position; ``rest``: those behind the fixed parameters; ``numbers`` and ``pointers``: all arguments
of floating-point and of pointer type; what is outside of the program."""


@dataclass(frozen=True)
class TextFlow:
    """``write``: numbers become text; ``raw``: their bytes do, as they are; ``copy``: text goes elsewhere; ``read``:
    numbers are made of text. ``stream`` is the position of a stream or file descriptor: nothing is lost when it is one
    of the standard ones."""

    kind: Literal["write", "raw", "copy", "read"]
    source: End
    target: End
    stream: int | None = None


def _write(source: End, target: End, stream: int | None = None) -> tuple[TextFlow, ...]:
    """Numbers are written; text among what is written comes along."""
    return TextFlow("write", source, target, stream), TextFlow("copy", source, target, stream)


def _raw(source: End, target: End, stream: int | None = None) -> tuple[TextFlow, ...]:
    """Bytes are moved, of numbers if that is what they are."""
    return TextFlow("raw", source, target, stream), TextFlow("copy", source, target, stream)


def _read(source: End, target: End, stream: int | None = None) -> tuple[TextFlow, ...]:
    return TextFlow("read", source, target, stream), TextFlow("copy", source, target, stream)


def _copy(source: End, target: End, stream: int | None = None) -> tuple[TextFlow, ...]:
    return (TextFlow("copy", source, target, stream),)


def _rows() -> dict[str, tuple[TextFlow, ...]]:
    table: list[tuple[str, tuple[TextFlow, ...]]] = [
        ("sprintf __sprintf_chk snprintf __snprintf_chk", _write("rest", 0)),
        ("fprintf __fprintf_chk dprintf", _write("rest", "files", 0)),
        ("vsprintf", _write(2, 0)),
        ("vsnprintf", _write(3, 0)),
        ("vfprintf", _write(2, "files", 0)),
        ("fputs", _copy(0, "files", 1)),
        ("putc fputc _IO_putc", _raw(0, "files", 1)),
        ("fwrite", _raw(0, "files", 3)),
        ("write", _raw(1, "files", 0)),
        ("fread", _read("files", 0, 3)),
        ("read", _read("files", 1, 0)),
        ("fgets", _copy("files", 0, 2)),
        ("getc fgetc", _copy("files", "result", 0)),
        ("fscanf __isoc99_fscanf __isoc23_fscanf", _read("files", "rest", 0)),
        ("sscanf __isoc99_sscanf __isoc23_sscanf", _read(0, "rest")),
        ("atof strtod strtof strtold", _read(0, "result")),
        ("strcpy strcat strncpy strncat stpcpy", _raw(1, 0)),
        ("__strcpy_chk __strcat_chk __strncpy_chk __strncat_chk", _raw(1, 0)),
        ("strdup strndup", _raw(0, "result")),
        ("setenv", _copy(1, "environment")),
        ("getenv", _copy("environment", "result")),
    ]
    return {name: flows for names, flows in table for name in names.split()}


_ROWS = _rows()

# The C++ libraries. An output stream is given numbers; whatever has several texts may copy between them.
_NUMBER_OUT = re.compile(r"(?:_ZNSo|_ZNSt3__113basic_ostreamI\w+)(?:lsE[dfe]$|9_M_insertI[dfe])")
_BYTES_OUT = re.compile(r"(?:_ZNSo|_ZNSt3__113basic_ostreamI\w+)5writeEP")
_NUMBER_IN = re.compile(r"(?:_ZNSi|_ZNSt3__113basic_istreamI\w+)(?:rsER[dfe]$|10_M_extractI[dfe]|4readEP)")
_TO_TEXT = re.compile(r"_ZNSt(?:3__1|7__cxx11)\d+to_w?stringE[dfe]$|_ZN?St(?:3__1)?8to_charsE?PcS\d?_[dfe]")
_OF_TEXT = re.compile(r"_ZNSt(?:3__1|7__cxx11)\d+sto(?:f|d|ld)E")
_OF_CHARS = re.compile(r"_ZN?St(?:3__1)?10from_chars\w*R[dfe]")
_FILE_STREAM = re.compile(r"_ZNK?St(?:3__1)?\d+basic_(?:filebuf|[io]?fstream)")
_TEXT = re.compile(r"_ZNK?St(?:3__1|7__cxx11)?\d+basic_|_ZNK?S[iosd]|_ZSt(?:ls|rs)I|_ZNSt3__1(?:ls|rs|pl)I")


@lru_cache(maxsize=4096)
def text_flows(name: str) -> tuple[TextFlow, ...]:
    """What a library function does to numbers as text."""
    found = _ROWS.get(name)
    if found is not None or not name.startswith("_Z"):
        return found or ()
    flows: tuple[TextFlow, ...] = ()
    if _NUMBER_OUT.match(name):
        flows += _write("numbers", 0)
    elif _BYTES_OUT.match(name):
        flows += _raw(1, 0)
    elif _NUMBER_IN.match(name):
        flows += _read(0, 1)
    elif _TO_TEXT.match(name):
        flows += _write("numbers", 0)
    elif _OF_TEXT.match(name):
        flows += _read(0, "result")
    elif _OF_CHARS.match(name):
        flows += _read(0, "pointers")
    if _FILE_STREAM.match(name):
        flows += _copy(0, "files") + _copy("files", 0)
    if _TEXT.match(name):
        flows += _copy("pointers", "pointers") + _copy("pointers", "result")
    return flows


def is_text(name: str, target: int) -> bool:
    """Whether all that a library function writes behind an argument is text, or the argument is a stream."""
    flows = text_flows(name)
    kinds = {flow.kind for flow in flows if flow.target in (target, "pointers")}
    return any(flow.stream == target for flow in flows) or (bool(kinds) and "read" not in kinds)
