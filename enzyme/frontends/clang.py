"""C and C++ to LLVM IR text."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from enzyme.frontends.angles import reduces_angles, with_slopes
from enzyme.frontends.attributes import overlay_flags, with_annotations
from enzyme.frontends.compiler import LANGUAGES, find_compiler, run_compiler
from enzyme.frontends.flags import chooses_target, front_end_flags
from enzyme.gradient.registrations import present
from enzyme.gradient.settle import protect, to_protect
from enzyme.support.diagnostics import CompileError, UsageError

_GROUPS = "\nattributes #"
_TARGET = re.compile(r' ?"(?:target-cpu|tune-cpu|target-features)"="([^"]*)"')
_FEATURES = re.compile(r'"target-features"="([^"]*)"')
_COROUTINES = "@llvm.coro."
# -fno-unroll-loops marks every loop; the marks would keep the optimiser that runs after AD from unrolling as well. A
# name that LLVM does not know says nothing.
_NO_UNROLLING, _LATER = '!{!"llvm.loop.unroll.disable"}', '!{!"enzyme.loop.unrolled.later"}'


@dataclass(frozen=True)
class FrontEndResult:
    """IR text and the compiler's warnings."""

    ir: str
    warnings: str


def is_source_text(source: str | Path) -> bool:
    """Whether an argument is a program itself and not the path of one: it has a line break or a brace."""
    return isinstance(source, str) and ("\n" in source or "{" in source)


def language_of(path: Path, language: str | None) -> str:
    """``c`` or ``c++``, as asked for or by suffix."""
    if language is not None:
        known = {"c": "c", "c++": "c++", "cpp": "c++", "cxx": "c++"}.get(language.lower())
        if known is None:
            raise UsageError(f"unknown language '{language}'", hint="use 'c', 'c++', 'fortran', 'rust' or 'llvm'")
        return known
    found = LANGUAGES.get(path.suffix)
    if found is None:
        raise UsageError(
            f"cannot tell the language of '{path}'",
            why=f"the suffix '{path.suffix}' is not one of {', '.join(LANGUAGES)}, .ll, .bc",
            hint="say language='c' or language='c++'",
        )
    return found


def compile_to_ir(
    source: str | Path,
    language: str | None = None,
    opt_level: int = 2,
    pipeline: str = "post",
    cc: str | None = None,
    cflags: Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    debug: bool = True,
) -> str:
    """IR text of a C or C++ program, given as text or path. Raises :class:`CompileError` with its messages."""
    return run_front_end(source, language, opt_level, pipeline, cc, cflags, include_dirs, debug).ir


def run_front_end(
    source: str | Path,
    language: str | None = None,
    opt_level: int = 2,
    pipeline: str = "post",
    cc: str | None = None,
    cflags: Sequence[str] = (),
    include_dirs: Sequence[str | Path] = (),
    debug: bool = True,
    untouched: bool = False,
) -> FrontEndResult:
    """Like :func:`compile_to_ir`, and give the compiler's warnings. ``untouched``: before any optimisation, at every
    level and in both pipelines."""
    compiler = find_compiler(cc)
    with tempfile.TemporaryDirectory(prefix="enzyme-cc-") as folder:
        rename: dict[str, str] = {}
        cflags = list(cflags)
        if is_source_text(source):
            language = language_of(Path("source.c"), language or "c")
            path = Path(folder) / ("source.c" if language == "c" else "source.cpp")
            path.write_text(with_annotations(str(source)), encoding="utf-8", errors="surrogateescape")
            # Messages, asserts and debug info then name "source.c".
            rename[f"{folder}/"] = ""
            cflags = [f"-ffile-prefix-map={folder}/=", *cflags]
        else:
            path = Path(source)
            language = language_of(path, language)
            if not path.is_file():
                raise UsageError(
                    f"there is no file '{path}'",
                    hint="check the path; C source given as text needs a line break or a brace",
                )
        cflags = [*cflags, *overlay_flags(path, _searched(cflags, include_dirs), Path(folder))]
        name = rename_path(path, rename)

        def compiled(untouched: bool) -> FrontEndResult:
            flags = front_end_flags(compiler, language, opt_level, pipeline, cflags, include_dirs, debug, untouched)
            output = Path(folder) / "out.ll"
            command = [*compiler.for_language(language), *flags, "-o", str(output), str(path)]
            finished = run_compiler(command, f"{name} did not compile", rename=rename)
            try:
                text = output.read_text(encoding="utf-8", errors="surrogateescape")
            except FileNotFoundError:
                raise CompileError(
                    f"the compiler wrote no IR for {name}",
                    why=finished.messages or None,
                    hint="one of the flags given to it keeps it from compiling",
                ) from None
            if rename:
                text = _rename_module(text, str(path), name)
            text = text.replace(_NO_UNROLLING, _LATER)
            if untouched or opt_level == 0 or pipeline == "pre":
                text = with_slopes(text)
            if _COROUTINES in text:
                from enzyme.llvm.pipelines import at_level_zero

                text = at_level_zero(text)
            return FrontEndResult(text if _keeps_target(cflags) else strip_target(text), finished.messages)

        found = compiled(untouched)
        if opt_level == 0:
            inlined = present(found.ir)  # what is always inlined is, and nothing else
        else:
            inlined = pipeline == "post" and (to_protect(found.ir) or reduces_angles(found.ir))
        if inlined and not untouched:
            # The compiler has inlined functions that there are rules for: once more, with them kept.
            raw = compiled(untouched=True)
            found = FrontEndResult(optimise_first(raw.ir, opt_level), raw.warnings)
    return found


def _searched(cflags: Sequence[str], include_dirs: Sequence[str | Path]) -> list[Path]:
    """Folders for what is included in quotes."""
    words = iter(cflags)
    named = [flag[2:] or next(words, ".") for flag in words if flag.startswith("-I")]
    return [Path(folder) for folder in (*named, *include_dirs)]


def optimise_first(text: str, opt_level: int) -> str:
    """What a compiler does before derivatives are made, to a program as its front end gave it, with the functions that
    the program registers kept. No vectorising, no unrolling: both come later."""
    from enzyme.llvm.pipelines import at_level_zero, optimise

    kept = protect(text) if to_protect(text) else text
    if opt_level == 0:
        return at_level_zero(kept)
    return optimise(kept, opt_level, vectorise=False, unroll=False, cpu="")


def rename_path(path: Path, rename: dict[str, str]) -> str:
    name = str(path)
    for old, new in rename.items():
        name = name.replace(old, new)
    return name


def _rename_module(text: str, old: str, new: str) -> str:
    """The two header lines that no flag maps."""
    end = text.find("target datalayout")
    return text[:end].replace(old, new) + text[end:] if end > 0 else text


def _keeps_target(cflags: Sequence[str]) -> bool:
    """Feature flags such as -mavx2 say what intrinsics in the source need: then the attributes stay. A CPU given
    with -march or -mcpu is one that code generation is given too."""
    return chooses_target([flag for flag in cflags if not flag.startswith(("-march", "-mcpu", "-mtune"))])


def strip_target(text: str) -> str:
    """Without the CPU and features that every function carries (a thousand characters each).

    Code generation chooses the CPU; functions made by the engine would differ from their callers and could not be
    inlined. A function that asks for features of its own (``__attribute__((target))``) keeps them: they differ from
    what the other functions have, the fewest features found being taken as the default.
    """
    start = text.find(_GROUPS)
    if start < 0:
        return text
    head, groups = text[:start], text[start:]
    found = set(_FEATURES.findall(groups))
    default = min(found, key=lambda features: features.count("+"), default="")
    lines = groups.split("\n")
    for index, line in enumerate(lines):
        if line.startswith("attributes #"):
            features = _FEATURES.search(line)
            if features is None or features[1] == default:
                lines[index] = _TARGET.sub("", line)
    return head + "\n".join(lines)
