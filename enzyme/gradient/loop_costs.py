"""What was decided for a loop, and the costs that were compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from enzyme.gradient.loop_pragmas import FUSE, KEEP
from enzyme.support.diagnostics import SourceLocation

Key: TypeAlias = tuple[str, str]
"""A loop: the names of its function and of its header."""


@dataclass(frozen=True)
class BodyWish:
    """How the body of a loop is to be made a function."""

    sums: tuple[int, ...] = ()
    """The places of the phis in the header to whose sums it adds, where it is to be reversed at once."""
    narrow: bool = False
    """One iteration at a time."""
    guarded: bool = False
    """The loop as it was runs where there are not enough iterations for several at once."""


PER_BYTE = 0.2
"""Nanoseconds that a byte of tape costs that does not stay in a cache: it is written, and read again."""
IN_ORDER = 0.05
"""And that a byte of a loop's own arrays costs where iterations, one at a time, wait for their operations: the machine
writes and reads ahead meanwhile."""
PER_OPERATION = 0.15
"""Nanoseconds of one operation that is cheap; some of them run in vectors."""
PER_ITERATION = 15
"""Nanoseconds that one iteration costs in any case when it is run again: its own small tape has room on the stack, and
is allocated and freed where that does not do."""
_SIDE_BY_SIDE = 1.6
"""What several iterations at once gain, in times of that part of one run which can be done side by side: three quarters
of it, and of the reverse sweep, which takes half as long again; less a quarter for the second run."""
LEAST_GAIN = 0.02  # of what an iteration takes: below, the derivatives are not made once more to see
PRAGMA = "its pragma"
"""Who asks where a single loop has a pragma."""
IN_CACHE = 256 * 1024
"""Bytes of tape that stay in a cache."""


@dataclass(frozen=True)
class LoopChoice:
    """What was decided for a loop, and the numbers that were compared; the numbers of inner loops' iterations that are
    not known are guessed. ``reason`` says why it keeps a tape, "" where it does not."""

    key: Key
    bytes: int
    operations: int
    dropped: bool = False
    reason: str = ""
    together: int = 1
    """How many iterations run at once, where they run again."""
    place: SourceLocation | None = None
    asked: str = ""
    """Who asked for something, where it was not a matter of costs."""
    behind: str = ""
    """What is left to the iteration that is reversed last."""
    at_once: bool = False
    """Whether iterations are reversed in the forward sweep, one after the other (at_once.py)."""
    sums: tuple[int, ...] = ()
    """Which phis of its header hand on numbers with adjoints, where that may be right."""
    instead: str | None = None
    """Why they cannot be, where they do not run again; "" while nothing speaks against it, None where nobody asked."""
    frames: int = 0
    """Of the bytes, what calls leave in blocks of their own."""
    apart: int = 0
    """Of the operations, those of mathematical functions that are called for one number at a time."""
    wish: str = ""
    """What was asked for: "keep", "recompute" or "fuse"."""
    because: str = ""
    """Why several iterations are to run at once, if it is not for the tape."""
    guarded: bool = False
    """Whether the loop as it was runs where it has few iterations."""
    shares: bool = False
    """Whether it was not for the tape, but for functions that are computed together with their partials, or once for
    several iterations: that gains nothing where the forward sweep has to make the iterations as well."""

    @property
    def tape_ns(self) -> float:
        return self.bytes * PER_BYTE

    @property
    def in_order_ns(self) -> float:
        return (self.bytes - self.frames) * IN_ORDER + self.frames * PER_BYTE

    @property
    def again_ns(self) -> float:
        return PER_ITERATION + (0.0 if self.dropped else self.operations * PER_OPERATION)

    @property
    def gains_twice(self) -> bool:
        """Whether iterations that run twice take less time than with a tape, which the machine writes and reads in
        order while they wait for their operations. Several at once gain more, but for what each calls for itself."""
        if self.shares:
            return False
        if self.together == 1:
            return self.again_ns <= self.in_order_ns
        side_by_side = (self.operations - self.apart) * PER_OPERATION
        return self.apart * PER_OPERATION <= _SIDE_BY_SIDE * side_by_side + self.in_order_ns

    @property
    def unmet(self) -> str:
        """Why a loop is not treated as its pragma asks; "" where it is, and where no pragma asks."""
        if self.asked != PRAGMA or self.wish == KEEP or not self.bytes:
            return ""
        if self.reason:
            return f"it keeps its tape: {self.reason}"
        if self.wish == FUSE and not self.dropped and not self.at_once:
            return "its iterations run in the forward sweep too: what they make is asked for, or fusing is turned off"
        return ""

    def __str__(self) -> str:
        compared = f"{self.bytes} bytes of tape, about {self.tape_ns:.0f} ns, against {self.operations} operations"
        met = (self.wish == KEEP) == bool(self.reason)
        asked = f" as {self.asked} asks" if met else f", though {self.asked} asks for '{self.wish}'"
        asked = asked if self.asked else ""
        if self.reason:
            return f"keeps its tape{asked}: {self.reason} ({compared})"
        if self.at_once:
            return f"reverses each iteration in the forward sweep{asked}: {self.bytes} bytes of tape are saved"
        how = "which the forward sweep leaves out" if self.dropped else "which run twice"
        again = f"{how}, about {self.again_ns:.0f} ns{self.behind}"
        at_once = f", {self.together} at once" if self.together > 1 else ""
        at_once += f", as {self.because}" if self.because else ""
        return f"runs its iterations in the reverse sweep{at_once}{asked}: {compared}, {again}"


@dataclass(frozen=True)
class StepChoice:
    """What was decided for a loop whose tape may exceed the limit. ``reason`` says why it keeps it all the same, ""
    where it keeps states. None or "" is what only the running program knows."""

    key: Key
    limit: int
    tape: int | None
    place: SourceLocation | None = None
    reason: str = ""
    state: int = 0
    open: str = ""
    """Bytes of a state beside ``state`` that only the running program knows, in words."""
    steps: int | None = None
    places: int | None = None
    runs: int | None = None
    """How often a step is run at most before it is reversed."""

    def __str__(self) -> str:
        tape = f"{self.tape} bytes" if self.tape is not None else "a number of bytes not known before it runs"
        if self.reason:
            return (
                f"keeps its whole tape, {tape}, although it may exceed the limit of {self.limit} bytes: {self.reason}"
            )
        state = " + ".join([*([self.open] if self.open else []), *([str(self.state)] if self.state else [])]) or "0"
        words = f"keeps states in place of a tape of {tape}: a state has {state} bytes"
        if self.places is not None:
            words += f", at most {self.places} of them fit in {self.limit} bytes"
        else:
            words += f", as many as fit in {self.limit} bytes"
        if self.runs is not None:
            return f"{words}; each of {self.steps} steps runs at most {self.runs} times before it is reversed"
        return words
