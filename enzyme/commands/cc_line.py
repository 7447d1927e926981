"""Reading a compiler's command line: what concerns us, what goes to the front end, what to the linker."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from enzyme.commands.tracing import HELP as TRACING
from enzyme.commands.tracing import TraceOptions
from enzyme.explain.choice import GROUPS, Choice
from enzyme.frontends.foreign import IR_BY, foreign_language
from enzyme.support.config import Config, read_bytes, switches, turned_off
from enzyme.support.diagnostics import UsageError

Output = Literal["program", "object", "assembly"]

_WITH_VALUE = frozenset(
    "-o -I -D -U -l -L -x -include -imacros -isystem -iquote -idirafter -isysroot -iprefix -MF -MT -MQ -Xclang "
    "-Xlinker -Xassembler -Xpreprocessor -mllvm -target -T -u -z -e -arch -framework -F -B --param "
    "-rpath -install_name".split()
)
"""Flags whose value may be the next word."""

_LINK_ONLY = ("-l", "-L", "-Wl,", "-Xlinker", "-T", "-u", "-z", "-e", "-rpath", "-framework", "-install_name")
_LINK_WORDS = frozenset(
    "-shared -static -static-libgcc -static-libstdc++ -rdynamic -s -nostdlib -nodefaultlibs -pie -no-pie".split()
)
_FRONT_ONLY = (
    "-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-W", "-std=", "-Xclang", "-mllvm",
)  # fmt: skip
_BY_THE_COMPILER = frozenset(
    "-E -M -MM -fsyntax-only --version -### -dumpmachine -dumpversion -v -print-search-dirs".split()
)
"""Jobs that need no differentiation: the whole line goes to the compiler."""

SOURCES = {".c": "c", ".i": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".c++": "c++", ".C": "c++", ".ii": "c++"}
_LANGUAGES = {
    "c": "c", "c++": "c++", "ir": "ir", "cpp-output": "c", "c++-cpp-output": "c++", "c-header": "link",
    "c++-header": "link", "assembler": "link", "assembler-with-cpp": "link", "none": "link",
}  # fmt: skip
"""What -x takes."""
IR_SUFFIXES = frozenset((".ll", ".bc"))
_FULL_DEBUG = frozenset("-g -g2 -g3 -ggdb -ggdb2 -ggdb3 -gdwarf -gdwarf-4 -gdwarf-5".split())
_LEVELS = {"": 1, "0": 0, "1": 1, "2": 2, "3": 3, "4": 3, "s": 2, "z": 2, "g": 1, "fast": 3}


HELP = f"""\
usage: python -m enzyme cc|c++ [flags] file...

Compiles .c, .cpp, .ll and .bc files, replaces their __enzyme_autodiff and __enzyme_fwddiff calls by derivatives,
optimises, and links with .o and .a files. Takes a compiler's flags: -c, -S, -emit-llvm, -o, -O0 to -O3, -I, -D, -l, -L,
-x, -std=, -march=, ...; flags it does not know go to the compiler. Files given together are differentiated as one
program; for files compiled one by one, -c -flto keeps them as bitcode until they are linked.

  --cc CMD                   use this clang in place of the one of the ziglang package (or set ENZYME_CC)
  --enzyme-pipeline=post     optimise before and after differentiating (the default)
  --enzyme-pipeline=pre      optimise after differentiating only
  --enzyme-check-plan        compare, at run time, what the tape plan recomputes with values kept
  --enzyme-warp-tapes        on a GPU: tapes of a warp's threads side by side, where they do not fit on the stack
  --enzyme-bits              keep the decisions of loops as bits: less memory, but slower where loops run in vectors
  --enzyme-count-tape        count the bytes of tapes, in the program's enzyme_tape_now and enzyme_tape_peak
  --enzyme-strong-zero       zero times infinity or NaN is zero in derivatives
  --enzyme-runtime-activity  a shadow pointer equal to its primal says, at run time, that this memory is inactive
  --enzyme-verify            verify the IR after every synthesis
  --enzyme-vector-bytes=N    lanes of forward mode lie in vectors of 16, 32 or 64 bytes (default: what -march= has)
  --enzyme-off=NAME,...      turn optimisations off: {", ".join(switches())} or all
  --tape-limit=BYTES         loops stay under so much tape (64MiB, say): they keep states, and run steps again
{TRACING}  -Wenzyme, -Wenzyme-tape, -Wenzyme-limit, -Wenzyme-indirect, -Wenzyme-copy,
                             -Wenzyme-mixed, -Wenzyme-types
                             say what will cost much; with no-, off; with -Werror=enzyme..., refused
"""


@dataclass(frozen=True)
class Input:
    """An input file. ``kind`` is "c", "c++", "ir" or "link" (objects, archives, anything for the linker)."""

    path: str
    kind: str

    @property
    def stem(self) -> str:
        return "stdin" if self.path == "-" else Path(self.path).stem


@dataclass
class CompilerLine:
    """A command line, read. ``link`` holds flags and inputs in the order in which the linker must see them."""

    inputs: list[Input] = field(default_factory=list)
    output: Output = "program"
    emit_llvm: bool = False
    name: str | None = None
    opt_level: int = 0
    cpu: str = ""
    pic: bool = True
    pipeline: str = "post"
    cc: str | None = None
    check_plan: bool = False
    bits: bool = False
    warp_tapes: bool = False
    count_tape: bool = False
    strong_zero: bool = False
    runtime_activity: bool = False
    verify: bool = False
    vector_bytes: int = 0
    tape_limit: int | None = None
    off: str = ""
    """Optimisations to turn off."""
    lto: bool | None = None
    """Asked for, refused, or left open: then files are put together where derivatives need it."""
    level_given: bool = False
    dependencies: str | None = None
    """-M or -MM when a dependency file is to be written beside the output."""
    dependency_flags: list[str] = field(default_factory=list)
    front: list[str] = field(default_factory=list)
    link: list[str | Input] = field(default_factory=list)
    tracing: TraceOptions = field(default_factory=TraceOptions)
    warnings: Choice = field(default_factory=Choice)
    pass_on: bool = False
    """The compiler does the whole job itself."""


def read_line(words: Sequence[str], driver: str) -> CompilerLine:
    """Read the words after ``cc`` or ``c++``; ``driver`` is one of these two. Raises :class:`UsageError`."""
    line = CompilerLine()
    language: str | None = None
    only_files = False
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word.startswith("@") and Path(word[1:]).is_file():  # a response file, as build systems write them
            queue[:0] = shlex.split(Path(word[1:]).read_text())
        elif only_files or not word.startswith("-") or word == "-":
            given = _input(word, language, driver)
            line.inputs.append(given)
            line.link.append(given)
        elif word == "--":
            only_files = True
        elif word == "-x" or (word.startswith("-x") and not word.startswith("-x86")):
            named = word[2:] or _value(word, queue)
            if named not in _LANGUAGES:
                raise UsageError(f"language '{named}' is not compiled here", hint=f"-x takes {', '.join(_LANGUAGES)}")
            language = None if named == "none" else named
        elif word in _BY_THE_COMPILER:
            line.pass_on = line.pass_on or word != "-v"
            _pass(line, word, None)
        elif not _own(line, word, queue):
            value = _value(word, queue) if word in _WITH_VALUE else None
            _pass(line, word, value)
    _check(line, driver)
    return line


def _value(word: str, queue: list[str]) -> str:
    if not queue:
        raise UsageError(f"a value is missing after '{word}'")
    return queue.pop(0)


def _input(path: str, language: str | None, driver: str) -> Input:
    if language is not None:
        return Input(path, _LANGUAGES[language])
    suffix = Path(path).suffix
    if suffix in IR_SUFFIXES:
        return Input(path, "ir")
    foreign = foreign_language(Path(path), None)
    if foreign is not None:
        raise UsageError(
            f"'{path}' is a program in {foreign.capitalize()}, which this command does not compile",
            hint=f"{IR_BY[foreign]}: give that; in Python enzyme.compile takes the program itself",
        )
    kind = SOURCES.get(suffix, "link")
    return Input(path, "c++" if kind == "c" and driver == "c++" else kind)


def _own(line: CompilerLine, word: str, queue: list[str]) -> bool:
    """Take a flag that we act on ourselves; False when it is none."""
    if word in ("-c", "-S"):
        line.output = "object" if word == "-c" else "assembly"
    elif word == "-emit-llvm":
        line.emit_llvm = True
    elif word.startswith("-o") and not word.startswith("-object"):
        line.name = word[2:] or _value(word, queue)
    elif word.startswith("-O"):
        if word[2:] not in _LEVELS and not word[2:].isdecimal():
            raise UsageError(f"there is no optimisation level '{word}'", hint="use -O0, -O1, -O2 or -O3")
        line.opt_level = _LEVELS.get(word[2:], 3)  # -O9 is -O3, as for clang
        line.level_given = True
        if word == "-Ofast":
            line.front.append("-ffast-math")
    elif word in ("-g0", "-g1", "-gline-tables-only", "-gmlt"):
        line.front = [each for each in line.front if each not in _FULL_DEBUG]  # source lines are always kept
    elif word in _FULL_DEBUG:
        line.front.append(word)  # derivatives have lines; the program's own functions their variables, too
    elif take_ours(line, word, queue):
        pass
    elif word.startswith("-flto") or word == "-fno-lto":
        line.lto = word != "-fno-lto"
    elif word in ("-MD", "-MMD"):
        line.dependencies = "-M" if word == "-MD" else "-MM"
    elif word in ("-MP", "-MG"):
        line.dependency_flags.append(word)
    elif word.startswith(("-MF", "-MT", "-MQ")):
        line.dependency_flags += [word[:3], word[3:] or _value(word, queue)]
    else:
        if word.startswith(("-march=", "-mcpu=")):
            line.cpu = _llvm_cpu(word.partition("=")[2])
        elif word in ("-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE"):
            line.pic = False
        elif word in ("-fpic", "-fPIC", "-fpie", "-fPIE"):
            line.pic = True
        return False
    return True


def take_ours(line: CompilerLine, word: str, queue: list[str]) -> bool:
    """Take a flag that no compiler knows; False when it is none."""
    name, equals, value = word.partition("=")
    if line.tracing.take(word, queue) or _warning(line, word):
        pass
    elif name == "--cc":
        line.cc = value if equals else _value(word, queue)
    elif name in ("--enzyme-pipeline", "--pipeline"):
        line.pipeline = value if equals else _value(word, queue)
        if line.pipeline not in ("post", "pre"):
            raise UsageError(f"there is no pipeline '{line.pipeline}'", hint=f"use {name}=post or =pre")
    elif name in ("--enzyme-tape-limit", "--tape-limit"):
        line.tape_limit = read_bytes(value if equals else _value(word, queue))
    elif name == "--enzyme-vector-bytes":
        size = value if equals else _value(word, queue)
        if size not in ("16", "32", "64"):
            raise UsageError(f"no vectors of '{size}' bytes", hint=f"use {name}=16, =32 or =64")
        line.vector_bytes = int(size)
    elif name == "--enzyme-off":
        line.off += f",{value if equals else _value(word, queue)}"
        turned_off(Config(), line.off)
    elif word == "--enzyme-check-plan":
        line.check_plan = True
    elif word == "--enzyme-bits":
        line.bits = True
    elif word == "--enzyme-warp-tapes":
        line.warp_tapes = True
    elif word == "--enzyme-count-tape":
        line.count_tape = True
    elif word in ("--enzyme-strong-zero", "--strong-zero"):
        line.strong_zero = True
    elif word in ("--enzyme-runtime-activity", "--runtime-activity"):
        line.runtime_activity = True
    elif word == "--enzyme-verify":
        line.verify = True
    elif word.startswith("--enzyme"):
        words = sorted(set(re.findall(r"--enzyme-[a-z-]+", HELP)))
        near = difflib.get_close_matches(name, words, n=1, cutoff=0.5)
        raise UsageError(f"there is no option '{word}'", hint=f"use {near[0] if near else ', '.join(words)}")
    else:
        return False
    return True


def _warning(line: CompilerLine, word: str) -> bool:
    """Take a flag about our own warnings; -w, -Wall and -Werror go to the compiler as well."""
    changed = line.warnings.changed(word)
    if changed is not None:
        line.warnings = changed
        return "enzyme" in word
    if word.startswith(("-Wenzyme", "-Wno-enzyme", "-Werror=enzyme", "-Wno-error=enzyme")):
        names = ", ".join(f"-Wenzyme-{group}" for group in GROUPS)
        raise UsageError(f"there is no warning '{word}'", hint=f"use -Wenzyme, {names}")
    return False


def _llvm_cpu(name: str) -> str:
    """LLVM's name of a CPU that was named the compiler's way."""
    if name.startswith("sm_"):
        return name
    return {"baseline": "", "generic": ""}.get(name, name.replace("_", "-"))  # zig writes x86_64_v3, and icelake_server


def _pass(line: CompilerLine, word: str, value: str | None) -> None:
    """Give a flag to the front end, the linker or both."""
    words = [word] if value is None else [word, value]
    if word in _LINK_WORDS or (word.startswith(_LINK_ONLY) and not word.startswith(("-std", "-undef"))):
        line.link += words
        return
    line.front += words
    if not word.startswith(_FRONT_ONLY):
        line.link += words


def _check(line: CompilerLine, driver: str) -> None:
    if line.pass_on:
        return
    if not line.inputs:
        raise UsageError("no input files", hint=f"python -m enzyme {driver} [flags] file...")
    if line.emit_llvm and line.output == "program":
        raise UsageError("-emit-llvm cannot be used when linking", hint="add -c for bitcode or -S for text")
    compiled = [each for each in line.inputs if each.kind != "link"]
    if line.output != "program" and line.name is not None and len(compiled) > 1:
        raise UsageError("cannot specify -o when generating multiple output files")
    if any(each.path == "-" and each.kind == "link" for each in line.inputs):
        raise UsageError("standard input needs a language", hint="add -x c, -x c++ or -x ir before '-'")
