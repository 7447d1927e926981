"""The charged particle in JAX: forward mode over either mode, for the number of steps is not known beforehand."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from adbench.tools.base import Unsupported


def cost(w: Any, inner: int, h: float) -> jax.Array:
    """The square of the place where the particle crosses the axis."""

    def potential(place: Any) -> Any:
        charges = jnp.stack([jnp.array([10.0, 10.0]).at[1].add(-w), jnp.array([10.0, 0.0])])
        return jnp.sum(1.0 / jnp.sqrt(jnp.sum((place - charges) ** 2, axis=1)))

    force = (jax.grad if inner else jax.jacfwd)(potential)

    def before_axis(state: Any) -> Any:
        place, speed = state
        return place[1] + h * speed[1] > 0.0

    def step(state: Any) -> Any:
        place, speed = state
        return place + h * speed, speed - h * force(place)

    place, speed = jax.lax.while_loop(before_axis, step, (jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0])))
    return (place[0] - place[1] / speed[1] * speed[0]) ** 2


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The cost of the control in x."""
    return cost(parameters["x"][0], data["inner"], data["h"])


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, jax.Array]:
    """The derivative by the control."""
    if data["outer"]:
        raise Unsupported("jax has no reverse mode of loops whose length the data decide")
    return {"x": jax.jacfwd(lambda x: cost(x[0], data["inner"], data["h"]))(parameters["x"])}
