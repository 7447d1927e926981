"""Gravitating bodies in CasADi: all pairs at once, a fold over steps."""

from __future__ import annotations

from typing import Any

import casadi as ca

from adbench.workloads.nbody.workload import SOFTENING
from baselines.casadi.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """A weighted sum of the last places."""
    n, h = data["n"], data["h"]

    def step(state: Any, masses: Any) -> Any:
        place, speed = state[:n, :], state[n:, :]
        apart = [ca.repmat(place[:, axis].T, n, 1) - ca.repmat(place[:, axis], 1, n) for axis in range(3)]
        square = sum(part**2 for part in apart) + SOFTENING
        pull = ca.repmat(masses.T, n, 1) * square**-1.5
        speed = speed + h * ca.horzcat(*(ca.sum2(pull * part) for part in apart))
        return ca.vertcat(place + h * speed, speed)

    first = ca.reshape(parameters["x"], 3, 2 * n).T
    last = repeat(step, first, data["steps"], data["masses"])[:n, :]
    return ca.dot(data["weights"], ca.vec(last.T))
