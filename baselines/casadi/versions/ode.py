"""GradBench's chain of products in CasADi, a fold."""

from __future__ import annotations

from typing import Any

import casadi as ca

from adbench.workloads.ode.workload import END
from adbench.workloads.steps import runge_kutta_step
from baselines.casadi.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The last component at the end."""
    n, steps = data["n"], data["s"]

    def step(y: Any, x: Any) -> Any:
        return runge_kutta_step(lambda _, y: x * ca.vertcat(1.0, y[:-1]), 0.0, y, END / steps)

    return repeat(step, ca.MX.zeros(n), steps, parameters["x"])[-1]
