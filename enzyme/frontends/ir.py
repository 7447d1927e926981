"""LLVM IR as input: text or bitcode, brought to the text that our LLVM prints."""

from __future__ import annotations

from enzyme.support.diagnostics import ParseError


def load_ir(data: str | bytes, name: str) -> str:
    """Canonical IR text. ``name`` is what errors call the input. Raises :class:`ParseError`."""
    from enzyme.llvm.context import canonical

    try:
        return canonical(data)
    except UnicodeError:
        raise ParseError(
            f"'{name}' is not LLVM IR",
            why="it is neither bitcode nor text in UTF-8",
            hint="clang -S -emit-llvm makes IR of C or C++",
        ) from None
    except ParseError as error:
        raise ParseError(f"{error.what}: '{name}'", why=error.why, hint=error.hint) from None
