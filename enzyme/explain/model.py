"""The facts that ``explain`` shows, free of the engine's own objects."""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.support.diagnostics import SourceLocation

KINDS = {
    "active": "carries a derivative",
    "inactive": "a number without a derivative",
    "memory": "memory with a shadow",
    "call": "a call",
    "keep": "kept on the tape",
    "recompute": "computed again in the reverse sweep",
    "reload": "read again from the program's own memory",
    "loop": "a loop and its tape",
    "cost": "what costs time or memory",
    "unknown": "what is not known",
    "refused": "what cannot be differentiated",
}
"""Kinds of notes, in the order in which a line shows them."""


@dataclass(frozen=True)
class Note:
    """One fact about a source line. ``why`` holds further lines: the chain of reasons."""

    kind: str
    text: str
    why: tuple[str, ...] = ()
    bytes: int = 0


@dataclass(frozen=True)
class Parameter:
    """A parameter of the function: what was asked for it, and what its bytes (and those behind it) are."""

    name: str
    activity: str
    type: str
    contents: str


@dataclass(frozen=True)
class LoopTape:
    """What one loop keeps. ``total`` is the number of entries where it is known; ``sizing`` is in words."""

    place: SourceLocation | None
    depth: int
    bytes: int
    total: int | None
    sizing: str
    grows: bool
    values: tuple[str, ...]


@dataclass(frozen=True)
class Derivative:
    """One derivative function. ``name`` is its own, ``function`` the differentiated one as its author wrote it.
    ``choices`` say of loops what was decided and what was compared, ``peak`` how large the tape gets, with the tapes of
    the derivatives it calls, and ``peak_bytes`` the same in bytes, where no number is missing (``peak_missing``);
    ``room`` and ``room_bytes`` by how much scratch is larger where loops run several iterations at once."""

    name: str
    function: str
    mode: str
    width: int
    parameters: tuple[Parameter, ...]
    result: str
    place: SourceLocation | None
    asked: tuple[str, ...] = ()
    lines: dict[tuple[str, int], tuple[Note, ...]] = field(default_factory=dict)
    nowhere: tuple[Note, ...] = ()
    loops: tuple[LoopTape, ...] = ()
    once_bytes: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    callees: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    peak: str = ""
    peak_bytes: int | None = None
    peak_missing: tuple[str, ...] = ()
    room: str = ""
    room_bytes: int | None = None

    @property
    def title(self) -> str:
        what = "forward derivative" if self.mode == "forward" else "gradient"
        parts = ", in two parts" if self.mode == "split" else ""
        lanes = f", {self.width} lanes" if self.width > 1 else ""
        return f"{what} of {self.function}{parts}{lanes}"


@dataclass(frozen=True)
class Refusal:
    """Why something could not be differentiated."""

    what: str
    where: str
    why: str
    hint: str
    place: SourceLocation | None


@dataclass(frozen=True)
class Report:
    """Everything about one program. ``sources`` holds the text of the files that lines are of, where they are found."""

    title: str
    setting: str
    derivatives: tuple[Derivative, ...]
    refusals: tuple[Refusal, ...]
    sources: dict[str, tuple[str, ...]]
