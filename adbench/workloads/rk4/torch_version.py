"""The classical Runge-Kutta method in torch, a loop in Python."""

from __future__ import annotations

from typing import Any

import torch

from adbench.workloads.steps import runge_kutta


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Half the mean square of the last state."""
    n = int(inputs["n"])
    state, forcing = inputs["x"][:n], inputs["x"][n:]

    def slope(_: float, y: torch.Tensor) -> torch.Tensor:
        return (y.roll(-1) - y.roll(2)) * y.roll(1) - y + forcing

    state = runge_kutta(slope, state, int(inputs["steps"]), float(inputs["h"]))
    return 0.5 * state.square().mean()
