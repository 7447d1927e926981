"""Reading inputs and writing outputs of commands; ``-`` is standard input or output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from enzyme.support.diagnostics import EnzymeError


def read_input(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise EnzymeError(f"cannot read '{path}'", why=error.strerror) from None


def write_output(path: str, data: bytes) -> None:
    """Write all or, for a regular file, nothing: a half-written object would look up to date to make."""
    if path == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.is_symlink() or (target.exists() and not target.is_file()):
        beside = target  # /dev/null, /dev/stdout and the like: what is there must stay what it is
    else:
        beside = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    if target.is_file() and not os.access(target, os.W_OK):
        raise EnzymeError(f"cannot write '{path}'", why="Permission denied")
    try:
        beside.write_bytes(data)
        if beside is not target:
            beside.replace(target)
    except OSError as error:
        if beside is not target:
            beside.unlink(missing_ok=True)
        raise EnzymeError(f"cannot write '{path}'", why=error.strerror) from None
