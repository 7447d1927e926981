"""What a run of the compiler shows of itself: the time its steps take, and the program after each of them.

A :class:`Trace` travels in the :class:`~enzyme.support.config.Config`. By default it measures nothing and prints
nothing. Steps nest; the time of a step is its own, without the steps inside it.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

STEPS = {
    "front-end": "C and C++ to IR, by clang",
    "parse": "reading the program",
    "prepare": "LLVM brings what is differentiated to the shape the engine assumes",
    "normalise": "rewritings to plainer IR",
    "types": "type analysis",
    "aliases": "summaries of what functions read and write",
    "activity": "activity analysis",
    "plan": "tape plans",
    "derivative": "synthesis of derivatives",
    "lower": "calls replaced by their derivatives",
    "print": "the program written as text",
    "optimise": "LLVM's optimiser, and the reading and verifying in front of it",
    "code-generation": "machine code",
    "link": "the linker",
}
OUTSIDE = frozenset(("front-end", "prepare", "optimise", "code-generation", "link"))
"""Steps that clang, LLVM or the linker does; the rest is the engine's own part."""
PRINTED = ("front-end", "prepare", "normalise", "derivative", "lower", "optimise")
"""Steps after which the program can be printed."""

_DEFINITION = re.compile(r"^define [^\n]*?@(\"[^\"]*\"|[-\w$.]+)\(.*?^}\n", re.MULTILINE | re.DOTALL)


@dataclass
class Trace:
    """``print_after``: steps of :data:`PRINTED`; ``functions``: print only those whose name holds one of these words;
    ``timing``: measure. ``stream`` is standard error when None."""

    print_after: frozenset[str] = frozenset()
    functions: tuple[str, ...] = ()
    timing: bool = False
    stream: TextIO | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    _running: list[tuple[str, float]] = field(default_factory=list)

    @property
    def shows(self) -> bool:
        """Whether anything is measured or printed."""
        return self.timing or bool(self.print_after)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what happens inside as ``name``."""
        if not self.timing:
            yield
            return
        now = time.perf_counter()
        if self._running:
            self._charge(now)
        self._running.append((name, now))
        try:
            yield
        finally:
            now = time.perf_counter()
            self._charge(now)
            self._running.pop()
            if self._running:
                self._running[-1] = (self._running[-1][0], now)

    def _charge(self, now: float) -> None:
        name, since = self._running[-1]
        self.seconds[name] = self.seconds.get(name, 0.0) + now - since

    def program(self, name: str, text: str | Callable[[], str]) -> None:
        """The program after step ``name``; ``text`` is made only when it is printed."""
        if name not in self.print_after:
            return
        whole = text if isinstance(text, str) else text()
        out = self.stream or sys.stderr
        if not self.functions:
            print(f"; --- after {name} ---\n{whole.rstrip()}\n", file=out)
            return
        for found in _DEFINITION.finditer(whole):
            if any(word in found[1] for word in self.functions):
                print(f"; --- after {name}: {found[1]} ---\n{found[0]}", file=out)

    def table(self) -> str:
        """The seconds of each step, in the order in which a program passes them."""
        total = sum(self.seconds.values()) or 1e-12
        own = sum(spent for name, spent in self.seconds.items() if name not in OUTSIDE)
        lines = [f"{'step':<16} {'seconds':>9} {'share':>6}"]
        for name in [*STEPS, *(each for each in self.seconds if each not in STEPS)]:
            if name in self.seconds:
                spent = self.seconds[name]
                lines.append(f"{name:<16} {spent:9.3f} {spent / total:6.1%}  {STEPS.get(name, '')}".rstrip())
        lines.append(f"{'total':<16} {total:9.3f}")
        lines.append(f"{'the engine':<16} {own:9.3f} {own / total:6.1%}  everything but clang, LLVM and the linker")
        return "\n".join(lines)


def read_steps(words: str) -> frozenset[str]:
    """The steps named in ``prepare,derivative`` or ``all``. Raises ValueError with the name that is none."""
    chosen = {word.strip() for word in words.split(",") if word.strip()}
    for word in chosen - {"all", *PRINTED}:
        raise ValueError(word)
    return frozenset(PRINTED) if "all" in chosen else frozenset(chosen)
