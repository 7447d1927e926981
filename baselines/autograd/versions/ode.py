"""GradBench's chain of products in autograd."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np

from adbench.workloads.ode.workload import END
from adbench.workloads.steps import runge_kutta


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The last component at the end."""
    x = parameters["x"]

    def slope(_: float, y: Any) -> Any:
        return x * np.concatenate((np.ones(1), y[:-1]))

    return runge_kutta(slope, np.zeros(data["n"]), data["s"], END / data["s"])[-1]
