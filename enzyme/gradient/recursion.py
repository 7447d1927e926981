"""One pair of functions for a large recursion, whoever calls it.

A recursive function is asked for twice: by a call from outside, and by its own, behind which it goes on to write to the
memory that it handed on (a sort of the two halves of an array, say). The second request expects more memory to be
overwritten between the sweeps, so what answers it serves for the first as well. Two answers would differ in a few
dozen lines; for large functions that is half of the time to compile. So where a function that is being differentiated
is found to ask for the other, what was begun is given up. Small functions keep both: nothing is recomputed or kept in
the outermost call that need not be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.gradient.request import Request

if TYPE_CHECKING:
    from enzyme.gradient.engine import SplitPair

LARGE = 400
"""Instructions of a function from which on one answer is enough."""


class OneIsEnough(Exception):
    """What answers ``request`` serves for the derivative that is being made, too."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.request = request


def one_for_both(pair: SplitPair | None, request: Request) -> None:
    """Give up the derivative that is being made where the ``request`` of a call in it is a better one."""
    if pair is None or request == pair.request or not request.serves(pair.request):
        return
    if sum(1 for _ in pair.augmented.instructions()) < LARGE:
        return
    if not pair.augmented.users and not pair.reverse.users:
        raise OneIsEnough(request)
