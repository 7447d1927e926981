"""Which C and C++ compiler is used, and how it is started."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from enzyme.support.diagnostics import CompileError

LLVM_MAJOR = 22
"""Newest LLVM whose IR the engine reads: the one inside llvmlite."""

LANGUAGES = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".c++": "c++", ".C": "c++"}
"""Language of a source file by its suffix."""

# zig's driver reports that it ignored its own or our flags ("argument unused during compilation"), and clang counts
# what it printed; neither tells the user anything about the program.
_NOISE = re.compile(
    r"^(zig|clang[^:]*): warning: argument unused during compilation"
    r"|^\d+ (warning|error)s?( and \d+ errors?)? generated\.$"
)
_PROCESSOR = re.compile(r"-m(arch|cpu|tune)=[\w.-]+")
_GPU = re.compile(r"-m(?:arch|cpu)=sm_(\d+)[af]?")
_PTX = ((120, 87), (100, 86), (89, 78), (87, 74), (86, 71), (80, 70), (75, 63), (72, 61), (0, 60))
"""From which architecture of NVIDIA's GPUs on which version of PTX is the first: NVIDIA's manual, release notes."""


@dataclass(frozen=True)
class Compiler:
    """A clang: the command for C. ``zig`` when it is the driver of the ziglang wheel or of a zig installation."""

    command: tuple[str, ...]
    zig: bool

    def for_language(self, language: str) -> list[str]:
        """The command that compiles, and links, the given language."""
        words = list(self.command)
        if language == "c++":
            if self.zig:
                words[-1] = "c++"
            else:
                words.append("--driver-mode=g++")
        return words


@dataclass(frozen=True)
class Finished:
    """A compiler run that succeeded; ``messages`` are its warnings."""

    messages: str


def find_compiler(cc: str | Sequence[str] | None = None) -> Compiler:
    """The compiler to use: ``cc`` (a path, maybe with arguments), else the clang inside the ziglang wheel.

    Raises :class:`CompileError` when there is none, when it is not a clang, or when its LLVM is newer than ours.
    """
    if cc:
        if isinstance(cc, str):
            words = [cc] if Path(cc).is_file() else shlex.split(cc)
        else:
            words = list(cc)
        compiler = Compiler(tuple(words), _is_zig(words))
        _check_version(compiler.command)
        return compiler
    package = importlib.util.find_spec("ziglang")
    if package is None:
        raise CompileError(
            "there is no C compiler",
            why="the Python package 'ziglang', whose clang is the default, is not installed",
            hint="pip install ziglang, or name a clang with cc=, --cc or ENZYME_CC",
        )
    # The package does nothing but start this program, and a Python to do that takes as long as compiling a small file.
    program = Path(package.origin or "").with_name("zig")
    start = (str(program),) if program.is_file() else (sys.executable, "-m", "ziglang")
    return Compiler((*start, "cc"), True)


def _is_zig(words: Sequence[str]) -> bool:
    return len(words) > 1 and words[-1] in ("cc", "c++") and "zig" in Path(words[-2]).name


@cache
def _check_version(command: tuple[str, ...]) -> None:
    name = shlex.join(command)
    try:
        done = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, errors="replace", env=environment(), check=False
        )
    except OSError as error:
        raise CompileError(
            f"cannot start the C compiler '{name}'",
            why=error.strerror or str(error),
            hint="check cc=, --cc or ENZYME_CC; without them the clang of the ziglang package is used",
        ) from None
    found = re.search(r"clang version (\d+)", done.stdout)
    if found is None:
        first = (done.stdout or done.stderr).strip().split("\n")[0]
        raise CompileError(
            f"'{name}' is not a clang",
            why=f"it calls itself '{first}'" if first else f"it does not answer --version (status {done.returncode})",
            hint="any clang up to version 22 will do: its LLVM IR is what gets differentiated",
        )
    if int(found[1]) > LLVM_MAJOR:
        raise CompileError(
            f"'{name}' is clang {found[1]}, too new",
            why=f"its IR is of LLVM {found[1]}, the engine reads LLVM {LLVM_MAJOR} and older",
            hint=f"use clang {LLVM_MAJOR} or older, or the default compiler",
        )


def spelled(command: Sequence[str]) -> list[str]:
    """A command in the compiler's own words: zig writes ``x86_64_v3`` where clang has ``x86-64-v3``, since a dash takes
    away a feature there."""
    words = list(command)
    driver = next((number for number, word in enumerate(words[:4]) if word in ("cc", "c++")), 0)
    if not _is_zig(words[: driver + 1]):
        return words
    for found in [found for word in words if (found := _GPU.fullmatch(word))]:
        version = next(version for first, version in _PTX if int(found[1]) >= first)
        words += ["-Xclang", "-target-feature", "-Xclang", f"+ptx{version}"]  # clang knows it from the processor
    return [word.replace("-", "_").replace("_", "-", 1) if _PROCESSOR.fullmatch(word) else word for word in words]


def run_compiler(command: Sequence[str], what: str, *, rename: dict[str, str] | None = None) -> Finished:
    """Run a compiler command. ``what`` names the job in the error; ``rename`` replaces text in its messages."""
    with tempfile.TemporaryDirectory(prefix="enzyme-zig-") as local:
        try:
            done = subprocess.run(
                spelled(command),
                capture_output=True,
                text=True,
                errors="replace",
                env=environment(local),
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except OSError as error:
            raise CompileError(
                f"cannot start the C compiler '{command[0]}'",
                why=error.strerror or str(error),
                hint="check cc=, --cc or ENZYME_CC",
            ) from None
    messages = clean_messages(done.stderr + done.stdout, rename or {})
    if done.returncode != 0:
        raise CompileError(what, why=messages or f"the compiler ended with status {done.returncode} and said nothing")
    return Finished(messages)


def clean_messages(text: str, rename: dict[str, str]) -> str:
    """Compiler messages without noise, with the user's own file names."""
    for old, new in rename.items():
        text = text.replace(old, new)
    return "\n".join(line for line in text.rstrip().split("\n") if not _NOISE.match(line)).strip("\n")


def environment(local_cache: str | None = None) -> dict[str, str]:
    """The compiler's environment.

    zig keeps every output in a cache. Its global cache (C runtime parts that linking needs) must be writable, so it
    moves when the home directory is not; the local one, which holds objects, gets a folder that is deleted
    afterwards: sources from temporary files would fill it and never hit it.
    """
    env = dict(os.environ)
    if local_cache is not None:
        env["ZIG_LOCAL_CACHE_DIR"] = local_cache
    if "ZIG_GLOBAL_CACHE_DIR" not in env:
        env["ZIG_GLOBAL_CACHE_DIR"] = _global_cache()
    return env


@cache
def _global_cache() -> str:
    """A virtual environment's own folder, else the user's, else a temporary one: the first that can be written.

    zig knows the parts of its library by their files: where two installations share a cache, each throws the other's
    libc++ out of it, and to build that again takes over a minute.
    """
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for base in (os.path.join(sys.prefix, ".cache"), user) if sys.prefix != sys.base_prefix else (user,):
        wanted = os.path.join(base, "zig")
        try:
            os.makedirs(wanted, exist_ok=True)
            if os.access(wanted, os.W_OK | os.X_OK):
                return wanted
        except OSError:
            pass
    owner = os.getuid() if hasattr(os, "getuid") else 0
    return os.path.join(tempfile.gettempdir(), f"enzyme-zig-cache-{owner}")
