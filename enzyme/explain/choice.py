"""Warnings about costs, and which of them are on, as compiler flags say it: ``-Wenzyme-tape``, ``-Wno-enzyme``, ..."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from enzyme.support.diagnostics import SourceLocation

GROUPS = {
    "tape": "a loop whose trip count is not known before it keeps many bytes per iteration",
    "limit": "a loop keeps its whole tape although a limit was asked for",
    "indirect": "active data goes through a call of a function pointer",
    "loop": "a pragma asks something of a loop that cannot be done",
    "copy": "a block of unknown length, holding active data, is copied",
    "types": "types were lost in optimisation: the derivative is made before it, and may be slower",
    "mixed": "pointers lead to active memory and to constant memory, and the program finds out which",
}
QUIET = frozenset({"copy", "mixed"})
"""Groups that are off unless asked for (``-Wenzyme``, ``-Wall``): at -O2 any assignment of arrays is such a copy, and
structures that point to parameters and to data are everywhere."""


@dataclass(frozen=True)
class Warning:
    """``group`` is a key of :data:`GROUPS`."""

    group: str
    what: str
    function: str
    place: SourceLocation | None

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        where = f"in '{self.function}': " if self.place is None and self.function else ""
        return f"{place}warning: {where}{self.what} [-Wenzyme-{self.group}]"


def read_warning(facts: Mapping[str, Any]) -> Warning:
    """A warning that :func:`dataclasses.asdict` took apart."""
    place = facts["place"]
    return Warning(facts["group"], facts["what"], facts["function"], SourceLocation(**place) if place else None)


@dataclass(frozen=True)
class Choice:
    """Which groups are on, and which of them are errors."""

    on: frozenset[str] = frozenset(GROUPS) - QUIET
    errors: frozenset[str] = frozenset()

    def changed(self, flag: str) -> Choice | None:
        """The choice after a compiler flag such as ``-Wno-enzyme-tape`` or ``-Werror=enzyme``; None when the flag does
        not concern it."""
        if flag == "-w":
            return Choice(frozenset(), frozenset())
        if flag == "-Wall":
            return Choice(frozenset(GROUPS), self.errors)
        if flag in ("-Werror", "-Wno-error"):
            return Choice(self.on, frozenset(GROUPS) if flag == "-Werror" else frozenset())
        for prefix in ("-Wno-error=", "-Werror=", "-Wno-", "-W"):
            if flag.startswith(prefix):
                break
        else:
            return None
        name = flag.removeprefix(prefix)
        groups = frozenset(GROUPS) if name == "enzyme" else frozenset({name.removeprefix("enzyme-")}) & set(GROUPS)
        if not name.startswith("enzyme") or not groups:
            return None
        match prefix:
            case "-Wno-error=":
                return Choice(self.on, self.errors - groups)
            case "-Werror=":
                return Choice(self.on | groups, self.errors | groups)
            case "-Wno-":
                return Choice(self.on - groups, self.errors - groups)
        return Choice(self.on | groups, self.errors)
