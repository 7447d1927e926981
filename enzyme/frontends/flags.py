"""Every flag the front end is given, in one place, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from enzyme.frontends.compiler import Compiler

Pipeline = Literal["post", "pre"]

COMMON = (
    "-S",
    "-emit-llvm",
    # zig turns these two on by itself: checks and canaries would be differentiated along with the program.
    "-fno-sanitize=undefined",
    "-fno-stack-protector",
    # zig and some distributions keep frame pointers; nothing here needs them.
    "-fomit-frame-pointer",
    # zig defines NDEBUG when it optimises; a compiler does not, and a program's asserts are its own affair. The
    # program's own -DNDEBUG comes later and wins.
    "-UNDEBUG",
    # Names of variables in IR make errors and explanations readable.
    "-fno-discard-value-names",
    # Flags that make no sense for one compiler or one step are ignored without a word.
    "-Wno-unused-command-line-argument",
)

LINES = "-gline-tables-only"
"""Source lines, so that errors can name them; full debug info would only describe variables that AD rearranges."""

NO_LINES = "-g0"

POST = (
    # Vectorised and unrolled loops hide trip counts and multiply the code to differentiate; both passes run after AD.
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
)

UNTOUCHED = ("-Xclang", "-disable-llvm-passes")
PRE = ("-O1", *UNTOUCHED)
"""What an optimising compile starts from (with type-based alias information, without ``optnone``), untouched."""

ZERO = ("-O0", "-Xclang", "-disable-O0-optnone")
"""``optnone`` would keep LLVM from bringing the functions to the shape the engine needs."""

ZIG_BASELINE = "-mcpu=baseline"
"""zig compiles for the host by itself. The CPU is chosen once, at code generation, so the front end is given the
generic one, as any other clang takes by default."""

TARGET_PREFIXES = (
    "-march", "-mcpu", "-mtune", "-mavx", "-msse", "-mfma", "-mno-", "-mf16c", "-mbmi", "--target", "-target",
)  # fmt: skip


def chooses_target(cflags: Sequence[str]) -> bool:
    """Whether the user's flags pick the CPU or its features."""
    return any(flag.startswith(TARGET_PREFIXES) for flag in cflags)


def front_end_flags(
    compiler: Compiler,
    language: str,
    opt_level: int,
    pipeline: str,
    cflags: Sequence[str],
    include_dirs: Sequence[str | Path],
    debug: bool,
    untouched: bool = False,
) -> list[str]:
    """Flags for source -> IR. The user's own come after ours, so that they win; the order of includes is theirs.
    ``untouched``: what the optimiser starts from."""
    flags = list(COMMON)
    flags.append(LINES if debug else NO_LINES)
    if opt_level == 0:
        flags += (*ZERO, *UNTOUCHED) if untouched else ZERO
    elif pipeline == "pre" or untouched:
        flags += PRE
    else:
        flags += [f"-O{opt_level}", *POST]
    if compiler.zig and not chooses_target(cflags):
        flags.append(ZIG_BASELINE)
    flags += ["-x", language]
    flags += cflags
    flags += [f"-I{folder}" for folder in include_dirs]
    flags += [f"-I{include_dir()}"]
    return flags


def include_dir() -> Path:
    """The folder that holds ``enzyme/enzyme.h``."""
    return Path(__file__).resolve().parent.parent / "include"
