"""The BA objective in JAX, vectorised over observations; its blocks by reverse mode under ``vmap``."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def rotate(rotation: jax.Array, point: jax.Array) -> jax.Array:
    """A point (3,) turned by axis times angle (3,)."""
    square = jnp.dot(rotation, rotation)
    turns = square > 0
    # The root is taken of one where nothing turns, so that its derivative is finite there.
    angle = jnp.sqrt(jnp.where(turns, square, 1.0))
    axis = rotation / angle
    cosine, sine = jnp.where(turns, jnp.cos(angle), 1.0), jnp.where(turns, jnp.sin(angle), angle)
    return point * cosine + jnp.cross(axis, point) * sine + axis * jnp.dot(axis, point) * (1.0 - cosine)


def residuals(camera: jax.Array, point: jax.Array, weight: jax.Array, feature: jax.Array) -> jax.Array:
    """The two residuals of one observation."""
    seen = rotate(camera[:3], point - camera[3:6])
    image = seen[:2] / seen[2]
    square = jnp.dot(image, image)
    distortion = 1.0 + camera[9] * square + camera[10] * square**2
    return weight * (image * distortion * camera[6] + camera[7:9] - feature)


def gathered(parameters: dict[str, Any], data: dict[str, Any]) -> tuple[jax.Array, ...]:
    """What each observation sees: cameras (p, 11), points (p, 3), weights (p,), features (p, 2)."""
    obs = data["obs"]
    return parameters["cams"][obs[:, 0]], parameters["X"][obs[:, 1]], parameters["w"], data["feats"]


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The 2 p residuals and the p errors of weights."""
    w = parameters["w"]
    return jnp.concatenate([jax.vmap(residuals)(*gathered(parameters, data)).ravel(), 1.0 - w * w])


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, jax.Array]:
    """The blocks (p, 2, 15) of the residuals, and the diagonal (p,) of the errors of weights."""
    blocks = jax.vmap(jax.jacrev(residuals, argnums=(0, 1, 2)))(*gathered(parameters, data))
    diagonal = jax.vmap(jax.grad(lambda w: 1.0 - w * w))(parameters["w"])
    return {"reprojection": jnp.concatenate([*blocks[:2], blocks[2][..., None]], -1), "weight": diagonal}
