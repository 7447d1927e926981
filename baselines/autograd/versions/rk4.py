"""The classical Runge-Kutta method in autograd, a loop in Python."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np

from adbench.workloads.steps import runge_kutta


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of the last state."""
    n = data["n"]
    state, forcing = parameters["x"][:n], parameters["x"][n:]

    def slope(_: float, y: Any) -> Any:
        return (np.roll(y, -1) - np.roll(y, 2)) * np.roll(y, 1) - y + forcing

    return 0.5 * np.mean(runge_kutta(slope, state, data["steps"], data["h"]) ** 2)
