"""Gravitating bodies in autograd: all pairs at once, a loop in Python over steps."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np

from adbench.workloads.nbody.workload import SOFTENING


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """A weighted sum of the last places."""
    state = np.reshape(parameters["x"], (2, -1, 3))
    place, speed = state[0], state[1]
    for _ in range(data["steps"]):
        apart = place[None, :, :] - place[:, None, :]
        square = np.sum(apart * apart, axis=2) + SOFTENING
        speed = speed + data["h"] * np.sum((data["masses"] * square**-1.5)[:, :, None] * apart, axis=1)
        place = place + data["h"] * speed
    return np.sum(data["weights"] * np.reshape(place, -1))
