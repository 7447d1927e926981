"""Where a random nest of loops is put: the arrays and numbers there are, expressions of them, and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from enzyme.verify.expressions import LIMIT, Expression, Scope, Writer, closed, strip
from enzyme.verify.program import Line, Loop, Statement

KINDS = {"R": "r", "C": "c", "M": "r * c", "Q": "r * r"}
"""Kinds of arrays, and their lengths: a number for each row, for each column, for each pair of both, of two rows."""


class Arithmetic(Writer):
    """Expressions of the operations that loops over arrays are made of."""

    def expression(self, scope: Scope, depth: int) -> Expression:
        random = self.random
        if depth <= 0 or random.random() < 0.1:
            return self._term(scope)
        a = self.expression(scope, depth - 1)
        if random.random() < 0.3:
            text, bound = random.choice(_UNARY)
            a = self.limited(a, 3.0)
            return Expression(f"({text.format(closed(a.text))})", bound(a.bound))
        b = self.limited(self.expression(scope, depth - 1), 2.5)
        a = self.limited(a, 4.0)
        text, both = random.choice(_BINARY)
        return Expression(f"({text.format(closed(a.text), closed(b.text))})", both(a.bound, b.bound))

    def _term(self, scope: Scope) -> Expression:
        if self.random.random() < 0.12:
            return Expression(f"({self.constant(1.5)})", 1.5)
        return Expression(self.random.choice(scope.scalars), LIMIT)


_UNARY: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("sin({})", lambda b: 1.0),
    ("tanh({})", lambda b: 1.0),
    ("exp(0.3 * {})", lambda b: 2.7182818 ** (0.3 * b)),
    ("log(1.5 + {0} * {0})", lambda b: 0.5 + b),
    ("sqrt(1.0 + {0} * {0})", lambda b: 1 + b),
    ("{0} * {0}", lambda b: b * b),
    ("{0} * {0}", lambda b: b * b),
    ("1.0 / (1.3 + {0} * {0})", lambda b: 0.77),
    ("fmax({}, 0.05)", lambda b: max(b, 0.05)),
    ("fabs({} + 0.77)", lambda b: b + 0.77),
    ("-{}", lambda b: b),
)
_BINARY: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("{} + {}", lambda a, b: a + b),
    ("{} - {}", lambda a, b: a + b),
    ("{} * {}", lambda a, b: a * b),
    ("{} * {}", lambda a, b: a * b),
    ("{0} / (1.5 + {1} * {1})", lambda a, b: a / 1.5),
)


@dataclass
class Place:
    """Where a nest is put: the arrays there are by kind, the numbers that may be read, and a random stream."""

    writer: Arithmetic
    arrays: dict[str, list[str]]
    scalars: list[str]
    sums: list[str] = field(default_factory=list)
    """Numbers that nests may add to."""
    used: list[int] = field(default_factory=lambda: [0])
    written: set[str] = field(default_factory=set)

    @property
    def random(self) -> Random:
        return self.writer.random

    def name(self, letter: str) -> str:
        self.used[0] += 1
        return f"{letter}{self.used[0]}"

    def array(self, kind: str) -> str:
        return self.random.choice(self.arrays[kind])

    def target(self, kind: str) -> str:
        """An array that is written."""
        found = self.array(kind)
        self.written.add(found)
        return found

    def two(self, kind: str) -> tuple[str, str]:
        """Two arrays, the first of them written; the same one at times, or where there is no other."""
        first = self.target(kind)
        others = [a for a in self.arrays[kind] if a != first]
        return first, self.random.choice(others) if others and self.random.random() < 0.85 else first

    def value(self, *terms: str, depth: int | None = None, limit: float = LIMIT) -> str:
        """An expression of these numbers and of those that may be read anyway."""
        depth = self.random.choice((1, 1, 2, 2, 3)) if depth is None else depth
        scope = Scope(scalars=[*terms, *terms, *terms, *self.scalars])
        return strip(self.writer.limited(self.writer.expression(scope, depth), limit).text)

    def bounded(self, text: str) -> str:
        """A sum that may be large, within the limit."""
        return self.random.choice(("sin({})", "tanh({})", "squash({})", "2 * squash({})")).format(text)

    def store(self, place: str, value: str) -> str:
        """``value`` of a size of at most one goes to ``place``, which may be read before."""
        return self.random.choice(
            (f"{place} = {value};", f"{place} = {value};", f"{place} = 0.5 * {place} + {value};",
             f"{place} = {value} - 0.4 * {place};", f"{place} *= {value};")
        )  # fmt: skip


def loop(name: str, start: str, end: str, *body: str | Statement, down: bool = False) -> Loop:
    """``start <= name < end``, up or down."""
    made = tuple(Line(part) if isinstance(part, str) else part for part in body)
    once = f"if ({start} < {end}) {{ int {name} = {start};"
    if down:
        return Loop(f"for (int {name} = {end} - 1; {name} >= {start}; {name}--) {{", made, "}", once)
    return Loop(f"for (int {name} = {start}; {name} < {end}; {name}++) {{", made, "}", once)
