"""The Brusselator in torch, a loop in Python over whole grids."""

from __future__ import annotations

from typing import Any

import torch

from adbench.workloads.brusselator.workload import START, forcing
from adbench.workloads.steps import runge_kutta


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Half the mean square of the last state."""
    n, x = int(inputs["n"]), inputs["x"]
    a, b, alpha = x[0], x[1], x[2]
    late, early = torch.tensor(forcing(n, 1.0)), torch.tensor(forcing(n, 0.0))

    def spread(state: torch.Tensor) -> torch.Tensor:
        moved = state.roll(1, 1) + state.roll(-1, 1) + state.roll(1, 2) + state.roll(-1, 2)
        return alpha * (n * n) * (moved - 4.0 * state)

    def slope(t: float, state: torch.Tensor) -> torch.Tensor:
        u, v = state[0], state[1]
        reaction = u * u * v
        local = torch.stack([b + reaction - (a + 1.0) * u + (late if t >= START else early), a * u - reaction])
        return local + spread(state)

    state = runge_kutta(slope, x[3:].reshape(2, n, n), int(inputs["steps"]), float(inputs["h"]))
    return 0.5 * state.square().mean()
