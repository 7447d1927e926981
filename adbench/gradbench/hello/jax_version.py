"""A sum of squares in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The sum of the squares of x."""
    return jnp.sum(parameters["x"] ** 2)
