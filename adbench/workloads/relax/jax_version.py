"""Gauss-Seidel relaxation in JAX, antidiagonal by antidiagonal, a scan over sweeps."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from adbench.workloads.relax.workload import diagonals


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Half the mean square of u after the sweeps."""
    n, kappa = data["n"], data["kappa"]
    f, first = jnp.pad(parameters["x"].reshape(2, n, n), ((0, 0), (1, 1), (1, 1)))
    places = diagonals(n)

    def sweep(u: Any, _: None) -> tuple[Any, None]:
        for i, j in places:
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            u = u.at[i, j].set(0.25 * (around + f[i, j] - kappa * u[i, j] ** 3))
        return u, None

    last, _ = jax.lax.scan(sweep, first, None, length=data["sweeps"])
    return 0.5 * jnp.sum(last**2) / (n * n)
