"""A determinant in JAX, by its own factorisation."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The determinant of x as a square matrix."""
    return jnp.linalg.det(parameters["x"].reshape(data["ell"], data["ell"]))
