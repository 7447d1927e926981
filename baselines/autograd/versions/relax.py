"""Gauss-Seidel relaxation in autograd, antidiagonal by antidiagonal: nothing is assigned in place."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np

from adbench.workloads.relax.workload import diagonals


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of u after the sweeps."""
    n, kappa = data["n"], data["kappa"]
    f, u = (np.pad(part, 1, "constant") for part in np.reshape(parameters["x"], (2, n, n)))
    # 1 on the antidiagonal that a step replaces; what the step reads beside it is final.
    masks = []
    for i, j in diagonals(n):
        mask = np.zeros((n + 2, n + 2))
        mask[i, j] = 1.0
        masks.append(mask)
    for _ in range(data["sweeps"]):
        for mask in masks:
            around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
            u = np.where(mask > 0.0, 0.25 * (around + f - kappa * u**3), u)
    return 0.5 * np.sum(u**2) / (n * n)
