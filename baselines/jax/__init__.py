"""JAX's reverse mode on a vectorised objective, compiled by XLA."""

from __future__ import annotations

from dataclasses import replace

from adbench.tools.base import Tool

SINGLE = Tool(
    name="jax",
    title="JAX jit(grad), vectorised",
    runner="baselines.jax.runner:JaxRunner",
    requires=("jax", "jaxlib"),
    install="pip install jax",
)

TOOLS = (SINGLE, replace(SINGLE, name="jax-threads", title="JAX jit(grad), all threads", all_threads=True))
