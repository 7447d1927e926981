"""Polynomial least squares in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Half the squared distance of the polynomial from the sign function."""
    x = parameters["x"]
    t = jnp.linspace(-1.0, 1.0, data["n"])
    residual = jnp.sign(t) - jnp.vander(t, len(x), increasing=True) @ x
    return 0.5 * jnp.sum(residual**2)
