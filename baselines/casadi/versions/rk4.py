"""The classical Runge-Kutta method in CasADi, a fold."""

from __future__ import annotations

from typing import Any

import casadi as ca

from adbench.workloads.steps import runge_kutta_step
from baselines.casadi.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of the last state."""
    n, h = data["n"], data["h"]
    before, far, after = ([(i + by) % n for i in range(n)] for by in (-1, -2, 1))

    def step(y: Any, forcing: Any) -> Any:
        return runge_kutta_step(lambda _, y: (y[after] - y[far]) * y[before] - y + forcing, 0.0, y, h)

    return 0.5 * ca.sumsqr(repeat(step, parameters["x"][:n], data["steps"], parameters["x"][n:])) / n
