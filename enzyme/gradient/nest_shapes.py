"""The blocks of a nest of two loops of which the inner one is a single block.

::

    head        what stands in front of the inner loop
    (enter)     the same, but only where the inner loop runs at all
    body        the inner loop
    (finish)    behind the inner loop, only where that has run
    latch       behind it in any case

Either the head leaves out the inner loop where that has no iteration (a *guard*), or the nest is left there
(``leaves_early``); else it is left at the latch.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.analysis.loops import Loop
from enzyme.ir.values import Block, Branch, Compare


@dataclass(frozen=True)
class NestShape:
    head: Block
    enter: Block | None
    body: Block
    finish: Block | None
    latch: Block
    exit: Block
    leaves_early: bool
    guard: tuple[Compare, bool] | None
    """What is asked in front of the inner loop, and the answer with which it is entered."""

    @property
    def behind(self) -> list[Block]:
        return [each for each in (self.finish, self.latch) if each is not None]

    @property
    def blocks(self) -> list[Block]:
        return [each for each in (self.head, self.enter, self.body, self.finish, self.latch) if each is not None]

    @property
    def optional(self) -> list[Block]:
        """Blocks that are not run in every outer iteration."""
        return [each for each in (self.enter, self.finish) if each is not None] if self.guard is not None else []


def read_shape(outer: Loop, inner: Loop) -> NestShape | None:
    head, body, latch = outer.header, inner.header, outer.latch
    if latch is None or inner.blocks != {body} or not outer.is_simple or len(outer.exits) != 1:
        return None
    leaving, exit = outer.exits[0]
    before = inner.preheader
    if (
        before is None
        or leaving not in (head, latch)
        or len({head, body, latch}) != 3
        or exit.phis
        and leaving is latch
    ):
        return None
    enter = before if before is not head else None
    behind = [each for each in body.successors if each is not body]
    if len(behind) != 1 or latch.phis:
        return None
    finish = behind[0] if behind[0] is not latch else None
    if finish is not None and (finish.successors != [latch] or finish.phis):
        return None
    known = {each for each in (head, enter, body, finish, latch) if each is not None}
    if outer.blocks != known or not all(isinstance(each.terminator, Branch) for each in known):
        return None
    if enter is None:
        return NestShape(head, None, body, finish, latch, exit, False, None) if leaving is latch else None
    if enter.predecessors != [head] or enter.phis:
        return None
    if leaving is head:
        return NestShape(head, enter, body, finish, latch, exit, True, None)
    branch = head.terminator
    assert isinstance(branch, Branch)
    if head.successors == [enter]:
        return NestShape(head, enter, body, finish, latch, exit, False, None)
    if set(head.successors) != {enter, latch} or not isinstance(branch.operands[0], Compare):
        return None
    return NestShape(head, enter, body, finish, latch, exit, False, (branch.operands[0], branch.operands[1] is enter))
