"""GradBench's chain of products in JAX, a scan."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from adbench.workloads.ode.workload import END
from adbench.workloads.steps import runge_kutta_step


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """The last component at the end."""
    x, steps = parameters["x"], data["s"]

    def slope(_: float, y: Any) -> Any:
        return x * jnp.concatenate([jnp.ones(1, dtype=x.dtype), y[:-1]])

    def step(y: Any, _: None) -> tuple[Any, None]:
        return runge_kutta_step(slope, 0.0, y, END / steps), None

    last, _ = jax.lax.scan(step, jnp.zeros_like(x), None, length=steps)
    return last[-1]
