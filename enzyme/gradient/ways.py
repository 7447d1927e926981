"""Which way a function went, where its parameters tell.

A block that several ways lead to is reversed by going back the way that was taken. Of two ways one condition tells
which; of more, a note of where the block was entered from does, which goes on the tape. Where whole numbers among the
parameters decide all of that, as the size of a problem does that a recursion divides, they are asked again instead. A
call that has nothing else to keep, as those at the end of a recursion, then needs no tape (late_frames.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from enzyme.gradient.subject import Subject
from enzyme.ir.types import IntType
from enzyme.ir.values import Argument, BinaryOp, Block, Branch, Cast, Compare, ConstantInt, Switch, Value

_DEPTH = 6
"""Operations between a parameter and what is decided by it."""


@dataclass(frozen=True)
class Ways:
    """By what ``value`` is, the way goes on: ``cases``, or ``other`` if it is none of these."""

    value: Value
    cases: tuple[tuple[Value, Way], ...]
    other: Way


Way: TypeAlias = Block | Ways
"""The block that one came from, or what tells which."""


def told_by_parameters(subject: Subject, block: Block, sources: list[Block]) -> Ways | None:
    """How parameters tell from which of ``sources`` a block was entered."""
    found = _way(subject, block, sources)
    return found if isinstance(found, Ways) else None


def _way(subject: Subject, block: Block, sources: list[Block]) -> Way | None:
    if len(sources) == 1:
        return sources[0]
    decider: Block | None = sources[0]
    for source in sources[1:]:
        decider = subject.dominators.nearest_common(decider, source) if decider is not None else None
    if decider is None or subject.loops.loop_of(decider) is not subject.loops.loop_of(block):
        return None
    end = decider.terminator
    if not isinstance(end, Switch) and not (isinstance(end, Branch) and end.is_conditional):
        return None
    value, first, *rest = end.operands
    if not _of_parameters(value):
        return None
    behind: dict[Value, list[Block]] = {}
    for source in sources:
        targets = [each for each in decider.successors if _leads(subject, decider, each, source, block)]
        if len(targets) != 1:
            return None
        behind.setdefault(targets[0], []).append(source)
    ways: dict[Value, Way] = {}
    for target, group in behind.items():
        way = _way(subject, block, group) if len(group) < len(sources) else None
        if way is None:
            return None
        ways[target] = way
    some = next(iter(ways.values()))  # for ways that do not come here
    if isinstance(end, Branch):
        return Ways(value, ((ConstantInt(value.type, 1), ways.get(first, some)),), ways.get(rest[0], some))
    cases = tuple((number, ways[target]) for number, target in end.cases if target in ways)
    return Ways(value, cases, ways.get(first, some))


def _leads(subject: Subject, decider: Block, target: Block, source: Block, block: Block) -> bool:
    """Whether whoever came to ``block`` by ``source`` went from ``decider`` to ``target``."""
    if target is block:
        return source is decider
    return subject.cfg.predecessors(target) == [decider] and subject.dominators.dominates(target, source)


def _of_parameters(value: Value, depth: int = _DEPTH) -> bool:
    """Whether a whole number is computed from parameters and nothing else."""
    if not isinstance(value.type, IntType):
        return False
    if isinstance(value, (Argument, ConstantInt)):
        return True
    if isinstance(value, (BinaryOp, Cast, Compare)) and depth:
        return all(_of_parameters(each, depth - 1) for each in value.operands)
    return False
