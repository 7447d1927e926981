"""The classical Runge-Kutta method in JAX, a scan."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from adbench.workloads.steps import runge_kutta_step


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Half the mean square of the last state."""
    n = data["n"]
    state, forcing = parameters["x"][:n], parameters["x"][n:]

    def slope(_: float, y: Any) -> Any:
        return (jnp.roll(y, -1) - jnp.roll(y, 2)) * jnp.roll(y, 1) - y + forcing

    def step(y: Any, _: None) -> tuple[Any, None]:
        return runge_kutta_step(slope, 0.0, y, data["h"]), None

    last, _ = jax.lax.scan(step, state, None, length=data["steps"])
    return 0.5 * jnp.mean(last**2)
