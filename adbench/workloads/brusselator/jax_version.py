"""The Brusselator in JAX, a scan over whole grids."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from adbench.workloads.brusselator.workload import START, forcing
from adbench.workloads.steps import runge_kutta_step


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Half the mean square of the last state."""
    n, x, h = data["n"], parameters["x"], data["h"]
    a, b, alpha = x[0], x[1], x[2]
    late = jnp.asarray(forcing(n, 1.0))

    def spread(state: Any) -> Any:
        moved = sum(jnp.roll(state, shift, axis) for axis in (1, 2) for shift in (1, -1))
        return alpha * (n * n) * (moved - 4.0 * state)

    def slope(t: Any, state: Any) -> Any:
        u, v = state[0], state[1]
        reaction = u * u * v
        local = jnp.stack([b + reaction - (a + 1.0) * u + jnp.where(t >= START, late, 0.0), a * u - reaction])
        return local + spread(state)

    def step(state: Any, number: Any) -> tuple[Any, None]:
        return runge_kutta_step(slope, number * h, state, h), None

    last, _ = jax.lax.scan(step, x[3:].reshape(2, n, n), jnp.arange(data["steps"], dtype=x.dtype))
    return 0.5 * jnp.mean(last**2)
