"""The saddle point in JAX: forward mode over either mode, for the number of steps is not known beforehand."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from adbench.tools.base import Unsupported
from adbench.workloads.saddle.workload import SMALL


def value(first: Any, inner: int) -> jax.Array:
    """The largest value by gradient ascent."""

    def loss(second: Any) -> Any:
        return jnp.sum(second**2) - jnp.sum(first**2)

    gradient = (jax.grad if inner else jax.jacfwd)(loss)

    def going(state: Any) -> Any:
        return ~state[-1]

    def move(state: Any) -> Any:
        x, here, slope, step, successes, _ = state
        step = jnp.where(successes == 10, 2.0 * step, step)
        successes = jnp.where(successes == 10, 0, successes)
        moved = x - step * slope
        arrived = jnp.sum(slope**2) <= SMALL**2
        arrived = arrived | (jnp.sum((x - moved) ** 2) <= SMALL**2)
        there = loss(moved)
        better = (there < here) & ~arrived
        return (
            jnp.where(better, moved, x),
            jnp.where(better, there, here),
            jnp.where(better, gradient(moved), slope),
            jnp.where(better, step, 0.5 * step),
            jnp.where(better, successes + 1, 0),
            arrived,
        )

    start = jnp.ones(2)
    state = (start, loss(start), gradient(start), jnp.asarray(SMALL), jnp.asarray(0), jnp.asarray(False))
    return -loss(jax.lax.while_loop(going, move, state)[0])


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The value for the first player's place in x."""
    return value(parameters["x"], data["inner"])


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, jax.Array]:
    """The derivative by the first player's place."""
    if data["outer"]:
        raise Unsupported("jax has no reverse mode of loops whose length the data decide")
    return {"x": jax.jacfwd(lambda x: value(x, data["inner"]))(parameters["x"])}
