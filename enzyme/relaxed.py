"""``Config(math="relaxed")``: floating-point operations may be reassociated, contracted and approximated.

What ``-funsafe-math-optimizations`` lets a C compiler do, for programs in any language: infinities and NaN still count.
The flags are there before anything is differentiated, so that derivatives carry them, and a decision that hangs on
such an operation is kept and not made again.
"""

from __future__ import annotations

import re
import warnings

from enzyme.support.config import Config

WORDS = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
"""Fast-math flags in the order LLVM prints them."""
RELAXED = frozenset(("reassoc", "nsz", "arcp", "contract", "afn"))
_FUNCTIONS = (
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p "
    "cbrt erf erfc pow atan2 hypot"
).split()
_NAMES = "|".join(rf"{name}f?" for name in _FUNCTIONS)
_TYPE = r"(?:double|float|<\d+ x (?:double|float)>)"
_GIVEN = r"(?:noundef |nofpclass\([^)]*\) )*"
_OPERATION = re.compile(
    rf"(?m)^(  %(?:\"[^\"]*\"|\S+) = (?:(?:fadd|fsub|fmul|fdiv|fneg)|(?:tail |notail )?call)) "
    rf"((?:(?:fast|{'|'.join(WORDS)}) )*)(?={_TYPE} (?!@|\()|{_GIVEN}{_TYPE} @(?:llvm\.[\w.]+|{_NAMES})\()"
)


def relaxed(text: str) -> str:
    """The program with these flags on its arithmetic and its calls of mathematical functions."""
    return _OPERATION.sub(_marked, text)


def _marked(found: re.Match[str]) -> str:
    given = set(found[2].split())
    if "fast" in given:
        return found[0]
    return " ".join((found[1], *(word for word in WORDS if word in given | RELAXED), ""))


def as_configured(text: str, config: Config) -> str:
    """The program under ``config.math``; says so where relaxed calls stay scalar on this machine."""
    if config.math != "relaxed":
        return text
    if config.vector_math:
        from enzyme.llvm.vector_math import LIBRARY, library_path

        if library_path() is None:
            warnings.warn(f"{LIBRARY} (glibc, x86-64) is not here: mathematical calls stay scalar", stacklevel=3)
    return relaxed(text)
