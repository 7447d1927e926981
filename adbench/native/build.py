"""Compiling C sources into shared libraries, with the flags that all compiled tools have in common."""

from __future__ import annotations

import ctypes
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from adbench.errors import BuildError

FLAGS = (
    "-O3",
    "-march=native",
    "-g0",
    "-fPIC",
    "-fomit-frame-pointer",
    # zig's clang adds these two of its own; no rival pays for them.
    "-fno-sanitize=undefined",
    "-fno-stack-protector",
)
"""No fast-math: every tool keeps IEEE semantics unless its name says otherwise.

The language standards are the compiler's own, for a library may have parts in C and parts in C++. C++ sources use no
C++ library, so none is linked."""


def compiler() -> list[str]:
    """The C compiler's command: ``ENZYME_CC`` if set, else the clang inside the ziglang wheel."""
    chosen = os.environ.get("ENZYME_CC", "")
    return shlex.split(chosen) if chosen else [sys.executable, "-m", "ziglang", "cc"]


@cache
def compiler_version() -> str:
    """The first line of the compiler's own version text, or why there is none."""
    command = [*compiler(), "--version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        return f"no C compiler: {error.strerror}"
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if lines else "unknown"


@dataclass(frozen=True)
class Library:
    """A built shared library and what it took to build."""

    path: Path
    handle: ctypes.CDLL
    command: tuple[str, ...]
    build_ns: int

    def address(self, symbol: str) -> int:
        """Address of a function, for the timing loop."""
        try:
            function = getattr(self.handle, symbol)
        except AttributeError:
            raise BuildError(f"{self.path.name} does not define {symbol}") from None
        return ctypes.cast(function, ctypes.c_void_p).value or 0


def build_library(
    sources: Sequence[Path], output: Path, flags: Sequence[str] = FLAGS, include: Path | None = None
) -> Library:
    """Compile C and C++ ``sources`` into the shared library ``output`` and load it; ``include`` has their headers."""
    folders = [] if include is None else ["-I", str(include)]
    command = [*compiler(), *flags, *folders, "-shared", *map(str, sources), "-lm", "-o", str(output)]
    start = time.perf_counter_ns()
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        hint = "pip install ziglang, or name a clang in ENZYME_CC"
        raise BuildError("cannot start the C compiler", why=f"{command[0]}: {error.strerror}", hint=hint) from error
    elapsed = time.perf_counter_ns() - start
    names = ", ".join(source.name for source in sources)
    if done.returncode != 0:
        missing = "No module named ziglang" in done.stderr
        raise BuildError(
            f"{names} did not compile",
            why=_first_lines(done.stderr),
            hint="pip install ziglang" if missing else None,
        )
    try:
        handle = ctypes.CDLL(str(output))
    except OSError as error:
        raise BuildError(f"the library built from {names} does not load", why=str(error)) from error
    return Library(output, handle, tuple(command), elapsed)


def _first_lines(text: str, limit: int = 12) -> str:
    lines = text.strip().splitlines()
    return "\n       ".join(lines[:limit] + (["..."] if len(lines) > limit else []))
