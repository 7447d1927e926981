"""Mathematical functions in derivatives set no errno.

The C library's ``pow`` may write errno, so LLVM keeps a call of it whose value nobody uses, computes it again in every
iteration, and makes no vectors of the loop around it. What a program wants of a derivative is numbers: the calls in it,
those of the forward sweep included, are marked as touching no memory. Calls in the program's own functions stay as
they are. They are also spelled as the rules spell them, so that the cosine that the program calls and the one in the
derivative of its sine become one.

That is left alone where it can be seen: in programs that mention errno or the floating-point environment, and where
what is differentiated calls functions that are not part of the program and may look at errno.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from enzyme.analysis.modref import READ, memory_attribute
from enzyme.gradient.candidates import text_of
from enzyme.gradient.extract import mentioned
from enzyme.ir.builder import Builder
from enzyme.ir.module import Module
from enzyme.ir.types import DOUBLE, FLOAT
from enzyme.ir.values import CallBase, Function, Invoke
from enzyme.rules.emit import PURE, IRExprBuilder
from enzyme.rules.known import known_call, known_callee
from enzyme.rules.names import callee_math_name

_LOOKS = frozenset(
    "errno __errno_location __error _errno __errno ___errno __get_errno perror _get_errno "
    "err errx verr warn vwarn error error_at_line matherr _LIB_VERSION __math_errhandling strerror strerror_r".split()
)
"""Where C libraries keep errno (Linux, macOS and BSD, Windows, newlib and Android, Solaris), and what reads it."""
_ENVIRONMENT = re.compile(
    r"fe(?:gete|sete|hold|update|test|clear|raise|getr|setr|enable|disable|geta)|_*controlfp|_statusfp"
)
_MESSAGE = re.compile(r'c"[^"\n]*%[-+ #0]*\d*m')
"""A format with ``%m``, which is what errno says."""


_SPELLED = frozenset("sin cos sinh cosh log".split())
"""Functions that are in the partials of others, by the same number; rules call LLVM's intrinsics."""


def errno_matters(module: Module, text: str, names: Iterable[str]) -> bool:
    """Whether a program, printed as ``text``, may see what the derivative of the functions ``names`` leaves in errno
    or in the flags of the processor."""
    if any(name in _LOOKS or _ENVIRONMENT.match(name) for name in (*module.functions, *module.globals)):
        return True
    if _MESSAGE.search(text):
        return True
    called = {other for name in names for other in mentioned(text_of(module.functions[name]))}
    return any(_may_look(module, function) for name in called if (function := module.functions.get(name)) is not None)


def _may_look(module: Module, function: Function) -> bool:
    """Whether a function that is only declared may read errno, for all that is known."""
    name = function.name or ""
    if not function.is_declaration or name.startswith(("llvm.", "__enzyme_")):
        return False
    if known_callee(name, function.function_type) is not None:
        return False
    _, other, errno = memory_attribute(module.fn_attributes(function))
    return bool((other | errno) & READ)


def mark_pure(functions: Iterable[Function]) -> None:
    """Say of each call of a mathematical function in derivatives, which are part of the program already, that it
    touches no memory and comes back."""
    for function in functions:
        for inst in list(function.instructions()):
            if isinstance(inst, CallBase) and _may_set_errno(inst) and not _spelled_alike(inst):
                inst.attrs = (*(word for word in inst.attrs if word not in PURE and "memory(" not in word), *PURE)


def _spelled_alike(call: CallBase) -> bool:
    """Make a call what the rules would call for the same function, so that LLVM sees that the two are one."""
    math = callee_math_name(call)
    if math is None or math.name not in _SPELLED or math.family != "libm" or call.type not in (DOUBLE, FLOAT):
        return False
    if isinstance(call, Invoke) or call.block is None or any(arg.type is not call.type for arg in call.args):
        return False
    function = call.block.function
    assert function is not None and function.module is not None
    build = Builder(call.block, call.fast_math, before=call)
    made = IRExprBuilder(build, function.module).fn(math.name, call.args, call.type)
    if isinstance(made, CallBase):
        made.metadata = {kind: text for kind, text in call.metadata.items() if kind == "dbg"}
    call.replace_all_uses_with(made)
    call.erase()
    return True


def _may_set_errno(call: CallBase) -> bool:
    """Whether a call is one of the C library's mathematical functions that touch nothing but errno."""
    math, known = callee_math_name(call), known_call(call)
    if math is None or known is None or math.family == "llvm" or not known.effect.only_errno:
        return False
    return not {"nobuiltin", "strictfp"} & set(call.attrs)
