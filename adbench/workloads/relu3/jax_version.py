"""The cubed rectifier in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Sum of weights . max(x, 0)^3."""
    return jnp.sum(data["weights"] * jnp.maximum(parameters["x"], 0.0) ** 3)
