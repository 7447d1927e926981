"""Compiling C sources into shared libraries, with the flags that all compiled tools have in common."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
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

The language standards are the compiler's own, for a library may have parts in C and parts in C++. The workloads' C++
sources use no C++ library, so none is linked unless a tool has a need of it."""


VECTOR_MATH = "libmvec.so.1"
"""The C library's vector versions of mathematical functions, on x86-64 Linux."""
RELAXED = ("-fno-math-errno", "-fassociative-math", "-freciprocal-math", "-fno-signed-zeros", "-fno-trapping-math",
           "-fapprox-func", "-ffp-contract=fast")  # fmt: skip
"""What tools with ``relaxed`` in their name may do besides: what our engine's ``Config(math="relaxed")`` allows."""


@cache
def has_vector_math() -> bool:
    """Whether compiled code can call vector versions of mathematical functions here."""
    try:
        ctypes.CDLL(VECTOR_MATH, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True


def relaxed_flags() -> tuple[str, ...]:
    """:data:`RELAXED`, and vector versions of mathematical functions where the C library has them."""
    return (*RELAXED, "-fveclib=libmvec") if has_vector_math() else RELAXED


NATIVE = Path(__file__).parent
"""Headers that compiled tools share."""


def compiler() -> list[str]:
    """The C compiler's command: ``ENZYME_CC`` if set, else the clang inside the ziglang wheel."""
    chosen = os.environ.get("ENZYME_CC", "")
    return shlex.split(chosen) if chosen else [sys.executable, "-m", "ziglang", "cc"]


@cache
def cpp_library() -> tuple[str, ...]:
    """Flags that give C++ sources the system's C++ library, the one that its packages of C++ libraries are built with.

    The compiler is still the one of all compiled tools; the system's own is only asked where its library is.
    """
    program = shutil.which("g++") or shutil.which("c++")
    if program is None:
        raise BuildError("the C++ library of this system is not here", hint="install g++: apt-get install g++")
    asked = [program, "-E", "-v", "-x", "c++", os.devnull]
    said = subprocess.run(asked, capture_output=True, text=True, errors="replace", check=False).stderr
    folders = [line.strip() for line in said.splitlines() if line.startswith(" /") and "c++" in line.split("/")]
    for library in ("libstdc++.so", "libc++.so"):
        named = subprocess.run([program, f"-print-file-name={library}"], capture_output=True, text=True, check=False)
        place = named.stdout.strip()
        if folders and os.path.isabs(place):
            # Not as system folders: those come after the C library's headers, which the C++ library's wrap.
            return (*(f"-I{folder}" for folder in folders), place)
    raise BuildError("the C++ library of this system was not found", why=f"{program} does not say where it is")


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
    sources: Sequence[Path],
    output: Path,
    flags: Sequence[str] = FLAGS,
    include: Sequence[Path] = (),
    more: Sequence[str] = (),
    program: Sequence[str] | None = None,
) -> Library:
    """Compile C and C++ ``sources`` into the shared library ``output`` and load it.

    ``include`` has their headers; ``more`` are flags that another library needs and ``program`` a compiler that
    must be this one, for it has a tool inside.
    """
    folders = [f"-I{folder}" for folder in include]
    files = [*map(str, sources), *more, "-lm", "-o", str(output)]
    command = [*(program or compiler()), *flags, *folders, "-shared", *files]
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
