"""Random programs as trees: what the generator makes, the renderer prints and the shrinker cuts down.

Text holds three placeholders, so that one tree can be printed twice: ``@P`` is the function's own prefix for the names
of its helpers, ``@R`` the reduced-precision type and ``@F`` the suffix of its math functions. The twin in double
precision is what finite differences are taken of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Line:
    """One statement that stands alone: dropping it leaves a valid program."""

    text: str


@dataclass(frozen=True)
class Loop:
    """A loop. ``once`` opens a block that runs the body at most once with the same names defined, for the shrinker."""

    head: str
    body: tuple[Statement, ...]
    tail: str = "}"
    once: str = "{"
    escapes: bool = False
    """The body has a break or continue of its own, which must not be left without a loop."""


@dataclass(frozen=True)
class Branch:
    """if / else-if / else, or a switch: heads and arms in order, closed by ``tail``."""

    heads: tuple[str, ...]
    arms: tuple[tuple[Statement, ...], ...]
    tail: str = "}"
    open: str = ""


Statement = Line | Loop | Branch


@dataclass(frozen=True)
class Helper:
    """A function that others call: declaration line, statements, closing lines."""

    name: str
    head: str
    body: tuple[Statement, ...]
    result: str


@dataclass(frozen=True)
class FuzzFunction:
    """One function under test, with the helpers that only it calls.

    Its C signature is always ``double NAME(double *x, double *y, const int *index, int n, double p)``: x and y are read
    and written, ``index`` holds numbers in [0, n), n >= 3.
    """

    name: str
    seed: int
    helpers: tuple[Helper, ...]
    declarations: tuple[str, ...]
    body: tuple[Statement, ...]
    cleanup: tuple[str, ...]
    result: str
    mixed: bool = False
    checks: tuple[str, ...] = ()
    """Ways of differentiating it beside plain reverse and forward mode: ``width``, ``wide``, ``second``."""
    nests: bool = False
    """It takes matrices of ``rows`` and ``cols``, as :mod:`enzyme.verify.nests` makes them."""

    def render(self, twin: bool = False) -> str:
        """C text; the twin has every reduced-precision variable in double."""
        prefix = self.name + ("_twin" if twin else "")
        lines: list[str] = []
        for helper in self.helpers:
            lines += [helper.head, *_render(helper.body, 1), f"  {helper.result}", "}"]
        lines.append(f"static NOINLINE double {prefix}(double *x, double *y, const int *index, int n, double p) {{")
        lines += [f"  {text}" for text in self.declarations]
        lines += _render(self.body, 1)
        lines.append(f"  double result = {self.result};")
        lines += [f"  {text}" for text in self.cleanup]
        lines += ["  return result;", "}"]
        text = "\n".join(lines) + "\n"
        real = "double" if twin else "float"
        return text.replace("@P", prefix).replace("@R", real).replace("@F", "" if twin else "f")


def _render(body: tuple[Statement, ...], depth: int) -> list[str]:
    pad = "  " * depth
    lines: list[str] = []
    for statement in body:
        match statement:
            case Line(text):
                lines.append(pad + text)
            case Loop(head, inner, tail):
                lines += [pad + head, *_render(inner, depth + 1), pad + tail]
            case Branch(heads, arms, tail, start):
                if start:
                    lines.append(pad + start)
                for head, arm in zip(heads, arms, strict=True):
                    lines += [pad + head, *_render(arm, depth + 1)]
                lines.append(pad + tail)
    return lines


def size(function: FuzzFunction) -> int:
    """Statements in it, helpers included."""

    def count(body: tuple[Statement, ...]) -> int:
        total = 0
        for s in body:
            total += 1
            if isinstance(s, Loop):
                total += count(s.body)
            elif isinstance(s, Branch):
                total += sum(count(arm) for arm in s.arms)
        return total

    helpers = sum(count(h.body) + 1 for h in function.helpers)
    return count(function.body) + helpers + len(function.declarations) + len(function.checks)


def reductions(function: FuzzFunction) -> Iterator[FuzzFunction]:
    """Smaller variants, the boldest first. Not all of them compile: the shrinker tries."""
    for check in function.checks:
        yield replace(function, checks=tuple(other for other in function.checks if other != check))
    for helper in function.helpers:
        others = tuple(h for h in function.helpers if h is not helper)
        if not _mentions(function, helper):
            yield replace(function, helpers=others)
    for body in _smaller(function.body):
        yield replace(function, body=body)
    for position, helper in enumerate(function.helpers):
        for body in _smaller(helper.body):
            helpers = list(function.helpers)
            helpers[position] = replace(helper, body=body)
            yield replace(function, helpers=tuple(helpers))
    for position in range(len(function.declarations)):
        yield replace(function, declarations=function.declarations[:position] + function.declarations[position + 1 :])
    for term in _terms(function.result):
        yield replace(function, result=term)


def _mentions(function: FuzzFunction, helper: Helper) -> bool:
    return (
        replace(function, helpers=tuple(h for h in function.helpers if h is not helper))
        .render()
        .count(helper.name.replace("@P", function.name) + "(")
        > 0
    )


def _smaller(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    half = len(body) // 2
    if half > 1:
        yield body[:half]
        yield body[half:]
    for i in range(len(body)):
        yield body[:i] + body[i + 1 :]
    for i, statement in enumerate(body):
        before, after = body[:i], body[i + 1 :]
        if isinstance(statement, Loop):
            if not statement.escapes:
                yield (*before, Loop(statement.once, statement.body), *after)
            for inner in _smaller(statement.body):
                yield (*before, replace(statement, body=inner), *after)
        elif isinstance(statement, Branch):
            if not statement.open:
                for arm in statement.arms:
                    yield (*before, Loop("{", arm), *after)
            for k, arm in enumerate(statement.arms):
                for inner in _smaller(arm):
                    yield (
                        *before,
                        replace(statement, arms=(*statement.arms[:k], inner, *statement.arms[k + 1 :])),
                        *after,
                    )


def _terms(result: str) -> list[str]:
    """Single addends of a sum written as ``a + b + c``."""
    parts = result.split(" + ")
    if len(parts) < 2:
        return []
    return [" + ".join(parts[:i] + parts[i + 1 :]) for i in range(len(parts))]
