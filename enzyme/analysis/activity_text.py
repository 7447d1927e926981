"""Numbers that go through text: written as characters (or as bytes of a file), and read again.

The derivative ends where a number becomes text. That is right as long as nobody makes a number of the text that counts:
then it is lost, and must be said. Nodes are those of :mod:`enzyme.analysis.activity_flow`; beside its edges there are
more: *write* (a number becomes text), *raw* (its bytes are moved as they are), *copy* (text goes elsewhere) and *read*
(a number is made of text). A path is in one of four states: number, text, raw bytes of numbers, and lost, which is a
number that has come from text; raw bytes are lost when they are read as a number. All edges of the flow graph keep the
state. Lattice: sets of (node, state); direction: forward; a summary of a function has the pairs of places that its
paths with such edges connect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from enzyme.analysis.points_to import Place
from enzyme.analysis.points_to_objects import STREAMS, Obj
from enzyme.ir.module import Module
from enzyme.ir.types import IntType
from enzyme.ir.values import CallBase, ConstantInt, ConstantString, GlobalVariable, Instruction, Load, Value

Node = Value | Obj
NUMBER, TEXT, RAW, LOST = range(4)

_STEPS = {
    ("write", NUMBER): TEXT,
    ("guess", NUMBER): TEXT,
    ("raw", NUMBER): RAW,
    ("lost", NUMBER): LOST,
    ("copy", TEXT): TEXT,
    ("copy", RAW): RAW,
    ("read", TEXT): LOST,
    ("read", RAW): LOST,
}
_BY_STATES = {
    (NUMBER, TEXT): "write",
    (NUMBER, RAW): "raw",
    (NUMBER, LOST): "lost",
    (TEXT, TEXT): "copy",
    (TEXT, LOST): "read",
}
"""What a path between two states is for a caller; text stands for raw bytes, too, where it begins."""

FILES = Obj("global", GlobalVariable("what is outside of the program", IntType(8), None, False))
ENVIRONMENT = Obj("global", GlobalVariable("the environment of the process", IntType(8), None, False))
_OUTSIDE: dict[str, Obj] = {"files": FILES, "environment": ENVIRONMENT}


@dataclass(frozen=True, eq=False)
class TextEdges:
    """From every source to every target. ``kind``: write, raw, copy, read; guess, what a function of which nothing is
    known may write and does not read itself; lost, a way from number to number inside of a callee."""

    kind: str
    sources: tuple[Node, ...]
    targets: tuple[Node, ...]
    inst: Instruction


Change = Instruction | bool
"""Whether a path has changed its state; the instruction, where the last change was a guess."""
At = tuple[Node | TextEdges, int, Change]
"""A node, the state of a path there, and its last change; or edges that the path is on."""


TextPair = tuple[str, Place, Place]
"""A kind of edge between places of a function, as its callers see them."""


def outside(place: Place) -> Obj | None:
    """The node of a place that is outside of the program."""
    return next((o for o in _OUTSIDE.values() if place == ("global", o.value)), None)


@dataclass
class TextGraph:
    """The edges of one function."""

    edges: list[TextEdges] = field(default_factory=list)

    def add(self, kind: str, sources: Iterable[Node], targets: Iterable[Node], inst: Instruction) -> None:
        edges = TextEdges(kind, tuple(sources), tuple(targets), inst)
        if edges.sources and edges.targets:
            self.edges.append(edges)

    @cached_property
    def by_source(self) -> dict[Node, list[TextEdges]]:
        """Asked for when all edges are there."""
        found: dict[Node, list[TextEdges]] = {}
        for edges in self.edges:
            for source in dict.fromkeys(edges.sources):
                found.setdefault(source, []).append(edges)
        return found

    def spread(
        self, seeds: Sequence[Node], state: int, successors: Mapping[Node, Mapping[Node, Instruction]]
    ) -> dict[At, tuple[int, Instruction | None]]:
        """All that the seeds lead to when they begin in ``state``: which of them do, as bits, and where the state last
        changed on one of the ways."""
        found: dict[At, tuple[int, Instruction | None]] = {}
        work: deque[At] = deque()
        waiting: set[At] = set()

        def reach(at: At, origins: int, where: Instruction | None) -> None:
            known, place = found.get(at, (0, where))
            if origins | known != known:
                found[at] = origins | known, place
                if at not in waiting:
                    waiting.add(at)
                    work.append(at)

        for index, seed in enumerate(seeds):
            reach((seed, state, False), 1 << index, None)
        while work:
            at = work.popleft()
            waiting.discard(at)
            (node, now, change), (origins, where) = at, found[at]
            if isinstance(node, TextEdges):
                for target in node.targets:
                    reach((target, now, change), origins, where)
                continue
            for target in successors.get(node, ()):
                reach((target, now, change), origins, where)
            for edges in self.by_source.get(node, ()):
                into = _STEPS.get((edges.kind, now))
                if into == now:
                    reach((edges, into, change), origins, where)
                elif into is not None and not (into == LOST and change is edges.inst):
                    reach((edges, into, edges.inst if edges.kind == "guess" else True), origins, edges.inst)
        return found

    def pairs(
        self,
        seeds: Iterable[tuple[Place, Node]],
        outputs: Mapping[Node, Place],
        successors: Mapping[Node, Mapping[Node, Instruction]],
    ) -> frozenset[TextPair]:
        """What callers have to know."""
        if not self.edges:
            return frozenset()
        places: dict[Node, Place] = dict(outputs)
        places |= {o: ("global", o.value) for o in _OUTSIDE.values() if isinstance(o.value, GlobalVariable)}
        starts = [*seeds, *((place, o) for o, place in places.items() if o in _OUTSIDE.values())]
        found: set[TextPair] = set()
        for first in (NUMBER, TEXT):
            for (node, state, change), (origins, _) in self.spread([o for _, o in starts], first, successors).items():
                target = None if isinstance(node, TextEdges) else places.get(node)
                kind = _BY_STATES.get((first, state))
                if target is None or kind is None or not (change or kind == "copy"):
                    continue
                kind = "guess" if kind == "write" and change is not True else kind
                for index, (place, _) in enumerate(starts):
                    if origins >> index & 1 and (place != target or kind != "copy"):
                        found.add((kind, place, target))
        return frozenset(found)

    def lost(
        self,
        varied: Mapping[Node, Any],
        useful: Mapping[Node, Any],
        successors: Mapping[Node, Mapping[Node, Instruction]],
    ) -> Instruction | None:
        """Where a number that counts is made of text that was written with active numbers."""
        if not self.edges:
            return None
        written = dict.fromkeys(s for edges in self.edges if edges.kind not in ("copy", "read") for s in edges.sources)
        for (node, state, _), (_, where) in self.spread(
            [n for n in written if n in varied], NUMBER, successors
        ).items():
            read = state == LOST or (state == RAW and isinstance(node, Value) and node.type.scalar.is_float)
            if read and node in useful and where is not None:
                return where
        return None


def is_standard(stream: Value) -> bool:
    """Whether a stream or a file descriptor is one of the standard ones: what goes there does not come back."""
    if isinstance(stream, ConstantInt):
        return 0 <= stream.value <= 2
    return (
        isinstance(stream, Load)
        and isinstance(stream.pointer, GlobalVariable)
        and (stream.pointer.name or "") in STREAMS
    )


_OPENERS = frozenset(
    "freopen tmpfile fdopen popen open open64 openat creat pipe socket socketpair memfd_create".split()
)
_BY_NAME = ("fopen", "fopen64")


def opens_for_writing(module: Module) -> bool:
    """Whether anything in a program opens what it writes to and could read again by name."""
    for function in module.functions.values():
        name = function.name or ""
        if function.is_declaration and (name in _OPENERS or "basic_filebuf" in name or "fstream" in name):
            return True
    return any(
        isinstance(inst, CallBase) and inst.callee_name in _BY_NAME and not opens_for_reading(inst)
        for function in module.functions.values()
        for inst in function.instructions()
    )


def opens_for_reading(stream: Value) -> bool:
    """Whether a stream is of a file that is opened here, for reading alone."""
    if not isinstance(stream, CallBase) or stream.callee_name not in _BY_NAME or len(stream.args) != 2:
        return False
    mode = stream.args[1]
    text = mode.initializer if isinstance(mode, GlobalVariable) and mode.is_constant else None
    return isinstance(text, ConstantString) and text.text.startswith('c"r') and "+" not in text.text


def ends(call: CallBase, end: int | str) -> list[Value]:
    """The values that an end of a text flow names; the outside has none."""
    if isinstance(end, int):
        return call.args[end : end + 1]
    if end == "rest":
        return call.args[len(call.callee_type.params) :]
    if end == "numbers":
        return [a for a in call.args if a.type.scalar.is_float]
    if end == "pointers":
        return [a for a in call.args if a.type.is_pointer]
    return [call] if end == "result" else []


def outside_of(end: int | str) -> list[Node]:
    return [_OUTSIDE[end]] if isinstance(end, str) and end in _OUTSIDE else []
