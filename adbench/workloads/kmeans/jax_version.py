"""k-means in JAX: forward mode over reverse mode."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Squared distances from the nearest centroid."""
    points = data["points"]
    apart = points[:, None, :] - parameters["x"].reshape(-1, points.shape[1])[None, :, :]
    return jnp.sum(jnp.min(jnp.sum(apart**2, axis=2), axis=1))


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, jax.Array]:
    """The Newton direction: the gradient over the Hessian's product with ones, which is its diagonal."""
    x = parameters["x"]
    gradient, diagonal = jax.jvp(jax.grad(lambda x: objective({"x": x}, data)), (x,), (jnp.ones_like(x),))
    return {"x": gradient / diagonal}
