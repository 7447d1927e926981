"""Errors that say what, where, why and what to do next.

Every refusal of the engine is an :class:`EnzymeError`. Its text has up to five lines::

    error: cannot differentiate a call to 'foo'                 (what)
      at demo.h:12:9 in function 'f': call void @foo(ptr %x)    (where)
      reached from demo.c:30:5                                  (where a header was used)
      why: no definition is at hand and no rule is registered
      help: define it in the same module, or mark it inactive
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from enzyme.support.demangle import demangle_quoted

_LONGEST = 200  # characters of an instruction that are shown
_NOISE = re.compile(r"(?:,? ![\w.]+ !\d+| #\d+)+$")  # metadata and attribute groups at the end of an instruction


@dataclass(frozen=True)
class SourceLocation:
    """A place in the user's source, from debug info."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


class EnzymeError(Exception):
    """Base of everything the engine refuses.

    ``what`` is one sentence; ``function`` the IR function's name; ``instruction`` the printed instruction;
    ``location`` the source place when debug info exists; ``reached_from``, where that is a header's, the program's line
    that leads there; ``why`` the reason; ``hint`` the way out. ``asked_in`` is the function with the call that asks for
    the derivative, where that is known.
    """

    def __init__(
        self,
        what: str,
        *,
        function: str | None = None,
        instruction: str | None = None,
        location: SourceLocation | None = None,
        reached_from: SourceLocation | None = None,
        why: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.what = what
        self.function = function
        self.instruction = instruction
        self.location = location
        self.reached_from = reached_from
        self.why = why
        self.hint = hint
        self.asked_in: str | None = None
        super().__init__(self.render())

    def render(self) -> str:
        lines = [self.what]
        place = str(self.location) if self.location else ""
        if self.function:
            place += f"{' ' if place else ''}in function '{self.function}'"
        if self.instruction:
            short = _NOISE.sub("", self.instruction.strip())
            place += f"{': ' if place else ''}{short if len(short) <= _LONGEST else short[:_LONGEST] + ' ...'}"
        if place:
            lines.append(f"  at {place}" if self.location else f"  {place}")
        if self.reached_from:
            lines.append(f"  reached from {self.reached_from}")
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.hint:
            lines.append(f"  help: {self.hint}")
        return demangle_quoted("\n".join(lines))


class ParseError(EnzymeError):
    """IR text that the parser does not understand."""


class VerificationError(EnzymeError):
    """IR that breaks an invariant; always a fault of whoever made it."""


class CompileError(EnzymeError):
    """The front-end compiler refused the source; ``why`` carries its own messages."""


class UsageError(EnzymeError):
    """A call of the API, a command line or an ``__enzyme_*`` call that makes no sense."""


class MarkerLostError(UsageError):
    """A number stands where a marker should: the optimiser has put the value of a variable in its place."""


class UnsupportedError(EnzymeError):
    """Something valid that the engine cannot differentiate."""


class TypeUnknownError(UnsupportedError):
    """Bytes that may or may not be numbers or lead to memory, and the answer matters."""


class ActivityError(UnsupportedError):
    """Active data reaches a place that was declared constant."""


class InternalFault(EnzymeError):
    """The engine broke: a fault of ours, whatever the program. ``function`` is what was being worked on."""


def internal_fault(error: Exception, function: str | None) -> InternalFault:
    """The message for an exception that should not have come out; raise it ``from`` the exception."""
    said = str(error).split("\n")[0]
    return InternalFault(
        f"internal fault: {type(error).__name__}{f': {said}' if said else ''}",
        function=function,
        why="the engine made a mistake; the program may be right",
        hint="please report it with the program and the command; ENZYME_DEBUG=1 shows where in the engine it happened",
    )
