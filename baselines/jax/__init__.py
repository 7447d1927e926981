"""JAX's reverse mode on a vectorised objective, compiled by XLA."""

from __future__ import annotations

from adbench.tools.base import Tool

TOOLS = (
    Tool(
        name="jax",
        title="JAX jit(grad), vectorised",
        runner="baselines.jax.runner:JaxRunner",
        requires=("jax", "jaxlib"),
        install="pip install jax",
    ),
)
