"""One pair of functions for a large recursion, whoever calls it.

A recursive function is asked for twice: by a call from outside, and by its own, behind which it goes on to write to the
memory that it handed on (a sort of the two halves of an array, say). The second request expects more memory to be
overwritten between the sweeps, so what answers it serves for the first as well. Two answers would differ in a few
dozen lines; for large functions that is half of the time to compile. So where a function that is being differentiated
is found to ask for the other, what was begun is given up. Small functions keep both: nothing is recomputed or kept in
the outermost call that need not be.

While a derivative is being made, nobody knows which of its parameters it will use. A recursion that only adds to
shadows of nodes would keep each node's address, to give it to itself. So what turns out only to be handed on is not
kept when it is made once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme.gradient.request import Request
from enzyme.ir.values import Argument, CallBase, Constant, Instruction

if TYPE_CHECKING:
    from enzyme.gradient.engine import SplitPair

LARGE = 400
"""Instructions of a function from which on one answer is enough."""


class OneIsEnough(Exception):
    """What answers ``request`` serves for the derivative that is being made, too."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.request = request


def handed_on(pair: SplitPair, count: int) -> frozenset[int]:
    """Which of the first ``count`` parameters the reverse of a recursion only hands on to itself, or does not use at
    all but gives to itself: nobody needs them."""
    calls = [user for user in pair.reverse.users if isinstance(user, CallBase) and user.callee is pair.reverse]
    found = set(range(count)) if calls else set()
    grown = True
    while grown:
        asked = {at for at in found if any(_asks(pair, user, at, found) for user in pair.reverse.args[at].users)}
        found -= asked
        grown = bool(asked)
    fetched = any(not isinstance(call.args[at], (Argument, Constant)) for call in calls for at in found)
    return frozenset(found) if fetched else frozenset()


def _asks(pair: SplitPair, user: Instruction, position: int, found: set[int]) -> bool:
    """Whether an instruction uses a parameter for more than to hand it on to one of those ``found``."""
    if not isinstance(user, CallBase) or user.callee is not pair.reverse:
        return True
    parameter = pair.reverse.args[position]
    return any(actual is parameter and at not in found for at, actual in enumerate(user.args))


def is_alone(pair: SplitPair) -> bool:
    """Whether nothing but the two functions themselves refers to them."""
    own = (pair.augmented, pair.reverse)
    users = (user for function in own for user in function.users)
    return all(isinstance(user, Instruction) and user.block and user.block.function in own for user in users)


def one_for_both(pair: SplitPair | None, request: Request) -> None:
    """Give up the derivative that is being made where the ``request`` of a call in it is a better one."""
    if pair is None or request == pair.request or not request.serves(pair.request):
        return
    if sum(1 for _ in pair.augmented.instructions()) < LARGE:
        return
    if not pair.augmented.users and not pair.reverse.users:
        raise OneIsEnough(request)
