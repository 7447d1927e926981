"""Vector normalisation in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Sum of weights . x / |x|."""
    x = parameters["x"]
    return jnp.sum(data["weights"] * (x / jnp.sqrt(jnp.sum(x * x))))
