"""LLVM IR as input: text or bitcode, brought to the text that our LLVM prints."""

from __future__ import annotations

from pathlib import Path

from enzyme.support.diagnostics import ParseError


def load_ir(data: str | bytes, name: str) -> str:
    """Canonical IR text. ``name`` is what errors call the input. Raises :class:`ParseError`."""
    from enzyme.llvm.context import canonical

    try:
        # LLVM calls a module that it is given in memory "<string>".
        return canonical(data).replace("; ModuleID = '<string>'", f"; ModuleID = '{name}'", 1)
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
