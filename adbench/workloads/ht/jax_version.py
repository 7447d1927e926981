"""The HT objective in JAX, vectorised over vertices and points; its Jacobian by forward mode."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from adbench.workloads.ht.reference import FINGER_BONES, FINGERS, FIRST_BONE, SHARED, SMALLEST_ANGLE


def turn(axis: int, angles: jax.Array) -> jax.Array:
    """4 x 4 matrices (k, 4, 4) that turn about coordinate axis 0 (x) or 2 (z)."""
    first, second = [other for other in range(3) if other != axis]
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    matrix = jnp.broadcast_to(jnp.eye(4), (len(angles), 4, 4))
    matrix = matrix.at[:, first, first].set(cosine).at[:, second, second].set(cosine)
    return matrix.at[:, second, first].set(sine).at[:, first, second].set(-sine)


def rotation(vector: jax.Array) -> jax.Array:
    """The rotation by the angle |vector| about it; none where the angle is tiny."""
    square = jnp.dot(vector, vector)
    turns = square >= SMALLEST_ANGLE**2
    angle = jnp.sqrt(jnp.where(turns, square, 1.0))
    x, y, z = vector / angle
    cross = jnp.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned = jnp.eye(3) + jnp.sin(angle) * cross + (1.0 - jnp.cos(angle)) * (cross @ cross)
    return jnp.where(turns, turned, jnp.eye(3))


def residuals(theta: jax.Array, us: jax.Array, data: dict[str, Any]) -> jax.Array:
    """The residuals (n, 3)."""
    fingers = theta[SHARED:].reshape(FINGERS, 4)
    first = FIRST_BONE + FINGER_BONES * jnp.arange(FINGERS)
    local = data["relatives"]
    for joint, turns in enumerate(
        (turn(2, fingers[:, 1]) @ turn(0, fingers[:, 0]), turn(0, fingers[:, 2]), turn(0, fingers[:, 3]))
    ):
        local = local.at[first + joint].set(local[first + joint] @ turns)

    def placed(bone: jax.Array, places: jax.Array) -> jax.Array:
        # Parents come first, so that theirs is in its place already.
        parent = data["parents"][bone]
        return places.at[bone].set(jnp.where(parent < 0, places[bone], places[parent] @ places[bone]))

    places = jax.lax.fori_loop(0, len(local), placed, local)
    transforms = places @ data["inverses"]
    posed = jnp.einsum("bv,biv->vi", data["weights"], transforms[:, :3] @ data["rest"])
    if data["mirrored"]:
        posed = posed * jnp.array([-1.0, 1.0, 1.0])
    posed = posed @ rotation(theta[:3]).T + theta[3:SHARED]
    which = data["correspondences"]
    if not data["complicated"]:
        return data["points"] - posed[which]
    shares = jnp.concatenate([us, 1.0 - us.sum(1, keepdims=True)], 1)
    corners = posed[data["triangles"][which]]
    return data["points"] - jnp.einsum("nc,nci->ni", shares, corners)


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The residuals (n, 3)."""
    return residuals(parameters["theta"], parameters["us"], data)


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, jax.Array]:
    """The columns (26, n, 3) of theta, and (2, n, 3) of the points' own parameters (none in the simple case)."""
    theta, us = parameters["theta"], parameters["us"]
    columns = {"theta": jnp.moveaxis(jax.jacfwd(residuals)(theta, us, data), 2, 0), "us": jnp.zeros((2, len(us), 3))}
    if data["complicated"]:
        seeds = jnp.broadcast_to(jnp.eye(2)[:, None, :], (2, len(us), 2))
        columns["us"] = jax.vmap(lambda seed: jax.jvp(lambda moved: residuals(theta, moved, data), (us,), (seed,))[1])(
            seeds
        )
    return columns
