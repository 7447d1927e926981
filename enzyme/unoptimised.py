"""Programs in which optimisation has wiped out the types are differentiated before they are optimised.

What the front end gives steps from member to member of declared structs. The optimiser makes steps by bytes of them,
words copied in the place of members, and addresses that are sums of integers; where the types that derivatives hang on
cannot be found out from what is left, the program as the front end gave it may still have them. Its derivative is then
made and optimised as in the ``pre`` pipeline: the same derivative, in code that may be slower. So with markers that are
static variables: the optimiser puts their value in their place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from enzyme.support.diagnostics import EnzymeError, MarkerLostError, TypeUnknownError

Made = TypeVar("Made")


def or_unoptimised(
    optimised: Callable[[], Made], unoptimised: Callable[[], Made] | None
) -> tuple[Made, TypeUnknownError | MarkerLostError | None]:
    """What ``optimised`` makes or, where that fails for want of types or of markers, what ``unoptimised`` does (None:
    there is no such program), and then also the failure. Where both fail, the first failure counts."""
    lost: TypeUnknownError | MarkerLostError
    try:
        return optimised(), None
    except (TypeUnknownError, MarkerLostError) as error:
        lost = error
    try:
        if unoptimised is not None:
            return unoptimised(), lost
    except EnzymeError:
        pass
    raise lost
