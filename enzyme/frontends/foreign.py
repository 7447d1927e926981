"""Fortran and Rust to LLVM IR: by flang and rustc, where they are installed.

Their IR is what ``.ll`` files hold, so all that follows is the same. What a program calls of its language's library is
loaded into this process, as far as it is not there: for Fortran what :mod:`enzyme.frontends.fortran` has no body for,
for Rust a library made of the same source.
"""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from enzyme.frontends.clang import is_source_text
from enzyme.frontends.compiler import LLVM_MAJOR, run_compiler
from enzyme.frontends.ir import load_ir
from enzyme.support.diagnostics import CompileError, UsageError

SUFFIXES = {
    **dict.fromkeys((".f90", ".f95", ".f03", ".f08", ".f18", ".F90", ".F95", ".F03", ".F08"), "fortran"),
    **dict.fromkeys((".f", ".for", ".ftn", ".F", ".FOR"), "fortran"),
    ".rs": "rust",
}
"""Language of a source file by its suffix; the last row of Fortran's is fixed form."""

IR_BY = {
    "fortran": f"flang-{LLVM_MAJOR} -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S -emit-llvm makes IR",
    "rust": "rustc -C opt-level=2 -C no-prepopulate-passes -C panic=abort --crate-type=lib --emit=llvm-ir makes IR",
}
"""How a user does it."""


@dataclass(frozen=True)
class _Kind:
    """How a language's compiler is found and asked."""

    name: str
    commands: tuple[str, ...]
    variable: str
    version: re.Pattern[str]
    suffix: str
    get: str
    """Where it can be had."""


_KINDS = {
    "fortran": _Kind(
        "Fortran", (f"flang-{LLVM_MAJOR}", f"flang-new-{LLVM_MAJOR}", "flang", "flang-new"), "ENZYME_FC",
        re.compile(r"flang(?:-new)? version (\d+)"), ".f90", f"Debian's package flang-{LLVM_MAJOR} has one",
    ),
    "rust": _Kind(
        "Rust", ("rustc",), "ENZYME_RUSTC", re.compile(r"LLVM version: (\d+)"), ".rs", "rustup installs one",
    ),
}  # fmt: skip


def foreign_language(source: str | Path, language: str | None) -> str | None:
    """``"fortran"`` or ``"rust"``, as asked for or by suffix; None for another language."""
    if language is not None:
        return {"fortran": "fortran", "f90": "fortran", "rust": "rust", "rs": "rust"}.get(language.lower())
    return None if is_source_text(source) else SUFFIXES.get(Path(source).suffix)


def compile_foreign(
    source: str | Path,
    language: str,
    opt_level: int = 2,
    pipeline: str = "post",
    compiler: str | None = None,
    flags: Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
) -> str:
    """IR text of a program in Fortran or Rust, given as text or path. Raises :class:`CompileError` with the messages of
    its compiler, or where there is none."""
    kind = _KINDS[language]
    command = _find(kind, compiler)
    with tempfile.TemporaryDirectory(prefix="enzyme-source-") as folder:
        if is_source_text(source):
            path, rename = Path(folder) / f"source{kind.suffix}", {f"{folder}/": ""}
            path.write_text(str(source), encoding="utf-8", errors="surrogateescape")
        else:
            path, rename = Path(source), {}
            if not path.is_file():
                raise UsageError(
                    f"there is no file '{path}'", hint="check the path; a program given as text needs a line break"
                )
        name = path.name if rename else str(path)
        output, level = Path(folder) / "out.ll", 0 if pipeline == "pre" else opt_level
        asked = _flang(level, folder, include_dirs) if language == "fortran" else _rustc(level)
        run_compiler([*command, *asked, *flags, str(path), "-o", str(output)], f"{name} did not compile", rename=rename)
        text = load_ir(output.read_text(encoding="utf-8", errors="surrogateescape"), name)
        _load_library(text, path, command, language, [*flags], folder)
    return text


def _flang(level: int, folder: str, include_dirs: Sequence[str | Path]) -> list[str]:
    """No vectors and no unrolled loops: both come after the derivative."""
    found = ["-S", "-emit-llvm", "-gline-tables-only", f"-O{level and max(level, 2)}", "-module-dir", folder]
    if level > 0:
        found += ["-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"]
    return found + [f"-I{each}" for each in include_dirs]


def _rustc(level: int) -> list[str]:
    """What the optimiser does is left to the engine, as it is for C: before the derivative without vectors."""
    found = ["--crate-type=lib", "--emit=llvm-ir", "-C", "panic=abort", "-C", "debuginfo=line-tables-only"]
    found += ["-C", "codegen-units=1", "-C", f"opt-level={level}"]
    return [*found, "-C", "no-prepopulate-passes"] if level > 0 else found


def _find(kind: _Kind, given: str | None) -> tuple[str, ...]:
    asked = given or os.environ.get(kind.variable)
    if asked:
        words = (asked,) if Path(asked).is_file() else tuple(shlex.split(asked))
    else:
        path = next(filter(None, map(shutil.which, kind.commands)), None)
        if path is None:
            raise CompileError(
                f"there is no {kind.name} compiler",
                why=f"none of {', '.join(kind.commands)} is installed",
                hint=f"{kind.get}; or name one with cc= or {kind.variable}",
            )
        words = (path,)
    _check_version(words, kind)
    return words


@cache
def _check_version(command: tuple[str, ...], kind: _Kind) -> None:
    name, hint = shlex.join(command), f"check cc= and {kind.variable}"
    try:
        asked = [*command, "--version", *(["--verbose"] if kind.name == "Rust" else [])]
        done = subprocess.run(asked, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise CompileError(f"cannot start '{name}'", why=error.strerror or str(error), hint=hint) from None
    found = kind.version.search(done.stdout)
    if found is None:
        first = (done.stdout or done.stderr).strip().split("\n")[0]
        raise CompileError(
            f"'{name}' is no {kind.commands[-1].split('-')[0]}", why=f"it calls itself '{first}'", hint=hint
        )
    if int(found[1]) > LLVM_MAJOR:
        raise CompileError(
            f"'{name}' is of LLVM {found[1]}, too new",
            why=f"the engine reads IR of LLVM {LLVM_MAJOR} and older",
            hint=f"name an older one with cc= or {kind.variable}",
        )


_DECLARED = re.compile(r'^declare [^@\n]*@((?!llvm\.)[\w.$]+|"[^"]+")\(', re.MULTILINE)
_OF_LIBRARY = {"fortran": re.compile(r"_Fortran\w+"), "rust": re.compile(r"_R\w+|_ZN\w+|__rust\w*|rust_\w+")}
_loaded: list[ctypes.CDLL] = []
"""What stays in this process."""


def _load_library(
    text: str, path: Path, command: tuple[str, ...], language: str, flags: list[str], folder: str
) -> None:
    """What a program in IR calls of its language's library, where this process does not have it. Where the library
    cannot be made, a warning says why, and a function that needs it cannot be called."""
    from enzyme.symbols import in_process

    names = [name for name in _DECLARED.findall(text) if _OF_LIBRARY[language].fullmatch(name) and not in_process(name)]
    if not names:
        return
    library = Path(folder) / f"library-{os.getpid()}.so"
    if language == "fortran":
        nothing = Path(folder) / "nothing.f90"
        nothing.write_text("subroutine enzyme_nothing\nend subroutine\n")
        asked = ["-shared", "-fPIC", *(f"-Wl,-u,{name}" for name in names), str(nothing)]
    else:
        asked = ["--crate-type=dylib", "-C", "opt-level=2", "-C", "codegen-units=1", *flags, str(path)]
    try:
        run_compiler([*command, *asked, "-o", str(library)], "the library could not be made")
        _loaded.append(ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL))
    except (CompileError, OSError) as error:
        warnings.warn(f"{path.name}: what it calls of its language's library is not there: {error}", stacklevel=2)
