"""The Fourier transform in JAX, by its own."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Weighted power of the transform."""
    pairs = parameters["x"].reshape(-1, 2)
    transform = jnp.fft.fft(jax.lax.complex(pairs[:, 0], pairs[:, 1]))
    return 0.5 * jnp.mean(data["weights"] * (transform.real**2 + transform.imag**2))
