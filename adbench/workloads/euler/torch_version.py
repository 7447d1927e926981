"""Euler's method in torch, a loop in Python."""

from __future__ import annotations

from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Half the squared length of the last state."""
    n = int(inputs["n"])
    state, coefficients = inputs["x"][:n], inputs["x"][n:].reshape(n, n)
    for _ in range(int(inputs["steps"])):
        state = state + inputs["h"] * (coefficients @ state)
    return 0.5 * torch.sum(state.square())
