"""Gauss-Seidel relaxation in JAX, antidiagonal by antidiagonal, scans over sweeps and antidiagonals."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from adbench.workloads.relax.workload import diagonals


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Half the mean square of u after the sweeps."""
    n, kappa = data["n"], data["kappa"]
    f, first = jnp.pad(parameters["x"].reshape(2, n, n), ((0, 0), (1, 1), (1, 1)))
    # All as long as the longest: what is missing stands for a corner of the border, which stays zero.
    places = np.zeros((2 * n - 1, 2, n), dtype=np.int32)
    for number, pair in enumerate(diagonals(n)):
        places[number, :, : len(pair[0])] = pair

    def move(u: Any, place: Any) -> tuple[Any, None]:
        i, j = place
        around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
        moved = 0.25 * (around + f[i, j] - kappa * u[i, j] ** 3)
        return u.at[i, j].set(jnp.where(i > 0, moved, 0.0)), None

    def sweep(u: Any, _: None) -> tuple[Any, None]:
        return jax.lax.scan(move, u, jnp.asarray(places))[0], None

    last, _ = jax.lax.scan(sweep, first, None, length=data["sweeps"])
    return 0.5 * jnp.sum(last**2) / (n * n)
