"""Euler's method in JAX, a scan."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Half the squared length of the last state."""
    n = data["n"]
    state, coefficients = parameters["x"][:n], parameters["x"][n:].reshape(n, n)

    def step(state: Any, _: None) -> tuple[Any, None]:
        return state + data["h"] * (coefficients @ state), None

    last, _ = jax.lax.scan(step, state, None, length=data["steps"])
    return 0.5 * jnp.sum(last**2)
