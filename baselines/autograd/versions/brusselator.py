"""The Brusselator in autograd, a loop in Python over whole grids."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np

from adbench.workloads.brusselator.workload import START, forcing
from adbench.workloads.steps import runge_kutta


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of the last state."""
    n, x = data["n"], parameters["x"]
    a, b, alpha = x[0], x[1], x[2]
    late, early = forcing(n, 1.0), forcing(n, 0.0)

    def slope(t: float, state: Any) -> Any:
        moved = np.roll(state, 1, 1) + np.roll(state, -1, 1) + np.roll(state, 1, 2) + np.roll(state, -1, 2)
        u, v = state[0], state[1]
        reaction = u * u * v
        local = np.stack([b + reaction - (a + 1.0) * u + (late if t >= START else early), a * u - reaction])
        return local + alpha * (n * n) * (moved - 4.0 * state)

    return 0.5 * np.mean(runge_kutta(slope, np.reshape(x[3:], (2, n, n)), data["steps"], data["h"]) ** 2)
