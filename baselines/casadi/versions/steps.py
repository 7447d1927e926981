"""Loops of CasADi: a function of one step, folded over all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca


def repeat(step: Callable[..., Any], state: Any, count: int, *constant: Any) -> Any:
    """The state after ``count`` times ``step(state, *constant)``.

    ``fold`` keeps every state of the way for the way back, and one copy of the step.
    """
    if count == 0:
        return state
    inputs = [ca.MX.sym("state", *state.shape), *(ca.MX.sym("constant", *item.shape) for item in constant)]
    function = ca.Function("step", inputs, [step(*inputs)])
    return function.fold(count)(state, *(ca.repmat(item, 1, count) for item in constant))
