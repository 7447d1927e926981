"""Matrix descent in JAX, a scan."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Half the squared residual after the descent."""
    n, rate, b = data["n"], data["rate"], data["b"]
    first, matrix = parameters["x"][:n], parameters["x"][n:].reshape(n, n)

    def step(v: Any, _: None) -> tuple[Any, None]:
        return v - rate * (matrix.T @ (matrix @ v - b)), None

    last, _ = jax.lax.scan(step, first, None, length=data["steps"])
    return 0.5 * jnp.sum((matrix @ last - b) ** 2)
