"""LLVM IR as input: text or bitcode, brought to the text that our LLVM prints.

A program in IR may be what a front end gave, or what an optimiser made of that. The first thing that optimisers do
tells them apart: a local variable that is only loaded and stored becomes a value.
"""

from __future__ import annotations

import re
from pathlib import Path

from enzyme.support.diagnostics import ParseError


def load_ir(data: str | bytes, name: str) -> str:
    """Canonical IR text, with bodies of what programs in Fortran call. ``name`` is what errors call the input. Raises
    :class:`ParseError`."""
    from enzyme.llvm.context import canonical

    try:
        # LLVM calls a module that it is given in memory "<string>".
        text = canonical(data).replace("; ModuleID = '<string>'", f"; ModuleID = '{name}'", 1)
    except UnicodeError:
        raise ParseError(
            f"'{name}' is not LLVM IR",
            why="it is neither bitcode nor text in UTF-8",
            hint="clang -S -emit-llvm makes IR of C or C++",
        ) from None
    except ParseError as error:
        why = (error.why or "").replace("<string>:", f"{name}:")
        why = why.removeprefix("LLVM IR parsing error\n").replace("LLVM bitcode parsing error\n", "bitcode: ")
        hint = error.hint
        if name.endswith((".c", ".cc", ".cpp", ".cxx")):
            hint = "this is a source file: python -m enzyme cc compiles it"
        elif Path(name).suffix not in ("", ".ll", ".bc"):
            hint = f"IR has names that end in .ll or .bc, programs .c, .cc, .cpp or .cxx; {hint}"
        raise ParseError(f"{error.what}: '{name}'", why=why, hint=hint) from None
    return _with_bodies(text)


def _with_bodies(text: str) -> str:
    """They tell the types of what they copy when they stand in the place of their calls: optimised, at every level.
    Twice, since what is constant shows itself at the end of the first time."""
    from enzyme.frontends.clang import optimise_first
    from enzyme.frontends.fortran import with_runtime

    linked = with_runtime(text)
    return text if linked is text else optimise_first(optimise_first(linked, 2), 2)


_FUNCTION = re.compile(r"^define .*?^}", re.MULTILINE | re.DOTALL)
_LOCAL = re.compile(r'^  (%(?:[-\w.$]+|"[^"]*")) = alloca ', re.MULTILINE)
_NAME = re.compile(r'%(?:[-\w.$]+|"[^"]*")')
_PLAIN = re.compile(
    r"  (?:%\S+ = load (?!atomic|volatile)[^%]*|store (?!atomic|volatile).*), ptr "
    r'(?P<place>%(?:[-\w.$]+|"[^"]*"))(?=,|$)'
)
_QUIET = ("call void @llvm.lifetime.", "#dbg_")


def is_optimised(text: str) -> bool:
    """Whether an optimiser has been over a program: no local variable is left that could be a value."""
    return not any(_has_variables(each[0]) for each in _FUNCTION.finditer(text) if " = alloca " in each[0])


def _has_variables(function: str) -> bool:
    """Whether a local variable is loaded or stored, and nothing else is done to it."""
    plain: dict[str, bool] = dict.fromkeys(_LOCAL.findall(function), False)
    for line in function.split("\n"):
        if " = alloca " in line or line.lstrip().removeprefix("tail ").startswith(_QUIET):
            continue
        access = _PLAIN.match(line)
        if access is not None and access["place"] in plain:
            plain[access["place"]] = True
            line = line[: access.start("place")]  # what is stored may be the address of another one
        for name in _NAME.findall(line):
            plain.pop(name, None)
    return any(plain.values())


def as_optimised(text: str, opt_level: int, pipeline: str) -> tuple[str, bool]:
    """A program in IR as it is to be differentiated, and whether an optimiser has been over it. In the ``post``
    pipeline it is optimised first, as C is, where nobody has done that."""
    from enzyme.frontends.clang import optimise_first

    if pipeline != "post" or opt_level == 0:
        return text, False
    if is_optimised(text):
        return text, True
    made = optimise_first(text, opt_level)
    return made, is_optimised(made)  # functions that are not to be optimised are as they were
