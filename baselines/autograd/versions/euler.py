"""Euler's method in autograd, a loop in Python."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared length of the last state."""
    n = data["n"]
    state, coefficients = parameters["x"][:n], np.reshape(parameters["x"][n:], (n, n))
    for _ in range(data["steps"]):
        state = state + data["h"] * np.dot(coefficients, state)
    return 0.5 * np.sum(state**2)
