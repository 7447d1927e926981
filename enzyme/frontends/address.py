"""AddressSanitizer through the compiler: derivative code is checked like the program's own.

Checks in the code that is differentiated would be differentiated along with it. So the program is compiled without
them, and the finished program, derivatives included, is given to clang, whose pass instruments every function marked
``sanitize_address``. The runtime library is clang's own; the clang of the ziglang package comes without one, so GCC's
is taken, which has the same interface.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from enzyme.frontends.compiler import Compiler, run_compiler
from enzyme.frontends.named_cpu import name_target
from enzyme.ir.parser import parse_module
from enzyme.ir.printer import print_module
from enzyme.ir.values import Function
from enzyme.llvm.codegen import triple_of
from enzyme.llvm.conversions import with_conversions
from enzyme.support.diagnostics import CompileError

_Word = TypeVar("_Word")
_FLAG = "-fsanitize="
_LONGEST_NAME = 400
_VERSIONS = re.compile(r"(linux|gnu)[\d.]+")


def without_address(words: Sequence[_Word]) -> tuple[list[_Word], bool]:
    """Words of a command line without ``-fsanitize=address``, and whether it was there."""
    kept: list[_Word] = []
    found = False
    for word in words:
        kinds = word.removeprefix(_FLAG).split(",") if isinstance(word, str) and word.startswith(_FLAG) else []
        if "address" not in kinds:
            kept.append(word)
            continue
        found = True
        if rest := [kind for kind in kinds if kind != "address"]:
            kept.append(_FLAG + ",".join(rest))  # type: ignore[arg-type]
    return kept, found


def instrumented(text: str, compiler: Compiler, output: str, pic: bool, cpu: str) -> bytes:
    """An object ("-c") or assembly ("-S") of a finished program, every access of memory checked."""
    module = parse_module(with_conversions(text))
    name_target(module, cpu)
    for function in module.functions.values():
        if not function.is_declaration:
            function.attrs = (*function.attrs, "sanitize_address")
            _shorten_names(function)
    triple = triple_of(text)
    target = ["-target", _VERSIONS.sub(r"\1", triple)] if triple else []
    command = [*compiler.command[:-1], "clang"] if compiler.zig else list(compiler.command)
    with tempfile.TemporaryDirectory(prefix="enzyme-address-") as folder:
        source, made = Path(folder) / "program.ll", Path(folder) / "program.out"
        source.write_text(print_module(module), encoding="utf-8", errors="surrogateescape")
        # The program is optimised already; at -O0 the pass still runs.
        flags = ["-O0", "-fsanitize=address", "-fPIC" if pic else "-fno-pic", "-Wno-override-module"]
        run_compiler(
            [*command, *target, *flags, output, "-x", "ir", str(source), "-o", str(made)],
            "the program could not be instrumented",
        )
        return made.read_bytes()


def _shorten_names(function: Function) -> None:
    """Names of blocks and values as clang reads them again: of a way between two blocks with long ones it makes one
    that it refuses."""
    for number, each in enumerate((*function.blocks, *function.instructions())):
        if each.name is not None and len(each.name) > _LONGEST_NAME:
            each.name = f"{each.name[:_LONGEST_NAME]}.{number}"


def runtime(compiler: Compiler) -> list[str]:
    """What the linker is given so that the checks find their library, which has to be the first one loaded."""
    if not compiler.zig:
        return ["-fsanitize=address"]
    gcc = shutil.which("gcc")
    if gcc is not None:
        asked = subprocess.run([gcc, "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
        library = asked.stdout.strip()
        if Path(library).is_absolute() and Path(library).exists():
            return [str(Path(library).resolve())]
    raise CompileError(
        "there is no runtime library of AddressSanitizer here",
        why="the clang of the ziglang package comes without one, and there is no GCC to take it from",
        hint="install gcc, or name a clang that has one with --cc",
    )
