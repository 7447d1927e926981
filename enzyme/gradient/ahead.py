"""Derivatives made ahead of time: the unit that defines a function also defines derivatives of it, under names that
other units find them by.

``__enzyme_ahead_f[] = {f}`` (``ENZYME_AHEAD(f)`` of the header) asks for an augmented primal, a reverse and a forward
derivative, in the convention of registered functions (see :mod:`enzyme.gradient.custom`), with a shadow for every
pointer; ``{f, "dup const out"}`` for those with other activities. Where ``f`` has a body, calls of entry points are
written that have them made; where it is only declared, its rule is these functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.gradient.registrations import ahead_symbol
from enzyme.ir.module import Module
from enzyme.ir.types import FloatType, Type, VectorType
from enzyme.ir.values import Function, quote_name
from enzyme.support.diagnostics import UnsupportedError, UsageError

KINDS = ("augmented", "reverse", "forward")
_WORDS = {"dup": "d", "const": "c", "out": "o"}
_MARKERS = {"d": "enzyme_dup", "c": "enzyme_const", "o": "enzyme_out"}
_LOCAL = ("internal", "private")
_REPEATED = ("linkonce_odr", "weak_odr", "linkonce", "weak", "available_externally")


def _is_number(type: Type) -> bool:
    return isinstance(type, FloatType) or (isinstance(type, VectorType) and isinstance(type.element, FloatType))


def letters_of(function: Function, activities: str | None, where: str) -> str:
    """One letter a parameter: d (a shadow follows), c (constant), o (its gradient is returned)."""
    if any(word.startswith(("sret", "byval")) for a in function.args for word in a.attrs) or (
        function.function_type.vararg
    ):
        raise UnsupportedError(
            f"no derivative of '{function.name}' can be made ahead of time",
            function=function.name,
            why="it takes or returns a struct through memory, or a variable number of arguments",
            hint="pass structs by pointer",
        )
    natural = "".join("d" if a.type.is_pointer else "o" if _is_number(a.type) else "c" for a in function.args)
    if activities is None:
        return natural
    words = activities.replace(",", " ").replace("enzyme_", "").split()
    letters = "".join(_WORDS.get(word, "?") for word in words)
    fits = len(letters) == len(natural) and all(
        given == own or (own == "d" and given == "c") for given, own in zip(letters, natural, strict=True)
    )
    if not fits:
        shown = {"d": "dup or const", "o": "out", "c": "const"}
        raise UsageError(
            f"'{where}' asks for activities that '{function.name}' cannot have",
            function=function.name,
            why=f'they are "{activities}"',
            hint=f"expected, in order: {', '.join(shown[each] for each in natural)}",
        )
    return letters


class _Signature:
    """Types of the three functions as LLVM prints them."""

    def __init__(self, function: Function, letters: str) -> None:
        self.function, self.letters = function, letters
        result = function.result_type
        self.result = result
        self.numbers = [str(a.type) for a, each in zip(function.args, letters, strict=True) if each == "o"]
        self.seeded = _is_number(result)

    def parameters(self, forward: bool) -> list[str]:
        """Types with names; a shadow or tangent follows its parameter."""
        listed = []
        for argument, each in zip(self.function.args, self.letters, strict=True):
            listed.append(f"{argument.type} %p{argument.index}")
            if each == "d" or (forward and each == "o"):
                listed.append(f"{argument.type} %d{argument.index}")
        return listed

    def marked(self, forward: bool) -> list[str]:
        """The same as arguments of an entry point."""
        listed = []
        for argument, each in zip(self.function.args, self.letters, strict=True):
            dup = each == "d" or (forward and each == "o")
            listed += [f"ptr @{'enzyme_dup' if dup else _MARKERS[each]}", f"{argument.type} %p{argument.index}"]
            if dup:
                listed.append(f"{argument.type} %d{argument.index}")
        return listed

    def returned(self, kind: str) -> str:
        own = "" if self.result.is_void else str(self.result)
        if kind == "augmented":
            shadow = [own] if self.result.is_pointer else []
            return f"{{ {', '.join(['ptr', *([own] if own else []), *shadow])} }}" if own else "ptr"
        if kind == "reverse":
            return _struct(self.numbers)
        return _struct([own, own] if self.seeded or self.result.is_pointer else [own] if own else [])

    def all_parameters(self, kind: str) -> list[str]:
        listed = self.parameters(kind == "forward")
        if kind == "reverse":
            listed += ([f"{self.result} %seed"] if self.seeded else []) + ["ptr %tape"]
        return listed


def _struct(parts: Sequence[str]) -> str:
    return "void" if not parts else parts[0] if len(parts) == 1 else f"{{ {', '.join(parts)} }}"


_ENTRY = {"augmented": "__enzyme_augmentfwd", "reverse": "__enzyme_reverse", "forward": "__enzyme_fwddiff"}


def declared(function: Function, letters: str) -> str:
    """Declarations of the derivatives, for a unit that uses them."""
    signature = _Signature(function, letters)
    lines = []
    for kind in KINDS:
        types = [each.rsplit(" ", 1)[0] for each in signature.all_parameters(kind)]
        name = quote_name(ahead_symbol(kind, letters, function.name or ""))
        lines.append(f"declare {signature.returned(kind)} @{name}({', '.join(types)})")
    return "\n".join(lines) + "\n"


def defined(function: Function, letters: str, where: str) -> str:
    """Definitions of the derivatives, for the unit that defines the function: each calls an entry point."""
    if any(word in _LOCAL for word in function.prefix):
        raise UsageError(
            f"'{where}' asks for derivatives of '{function.name}', which is static",
            function=function.name,
            why="no other file can call it",
            hint="take 'static' away, or the request",
        )
    linkage = "weak_odr " if any(word in _REPEATED for word in function.prefix) else ""
    signature = _Signature(function, letters)
    text = []
    for kind in KINDS:
        result = signature.returned(kind)
        arguments = [f"ptr @{quote_name(function.name or '')}"]
        if kind == "forward" and not signature.result.is_void:
            arguments.append("ptr @enzyme_primal_return")
        arguments += signature.marked(kind == "forward")
        if kind == "reverse":
            arguments += ([f"{signature.result} %seed"] if signature.seeded else []) + ["ptr %tape"]
        name = ahead_symbol(kind, letters, function.name or "")
        entry = quote_name(f"{_ENTRY[kind]}.{name.replace('.', '_')}")
        call = f"call {result} (ptr, ...) @{entry}({', '.join(arguments)})"
        body = f"  {call}\n  ret void" if result == "void" else f"  %r = {call}\n  ret {result} %r"
        parameters = ", ".join(signature.all_parameters(kind))
        text.append(
            f"declare {result} @{entry}(ptr, ...)\n"
            f"define {linkage}{result} @{quote_name(name)}({parameters}) {{\nentry:\n{body}\n}}\n"
        )
    return "\n".join(text)


def markers_needed(module: Module) -> str:
    """Declarations of the marker variables that the definitions mention."""
    names = ("enzyme_const", "enzyme_dup", "enzyme_out", "enzyme_primal_return")
    return "".join(f"@{name} = external global i32\n" for name in names if name not in module.globals)
