"""Enzyme itself, as its package ``enzyme-ad`` has it: the original of what this repository's engine does."""

from __future__ import annotations

from dataclasses import replace

from adbench.tools.base import Tool
from adbench.tools.requirements import Program

REVERSE = Tool(
    name="original",
    title="Enzyme (enzyme-ad), the same sources as this engine",
    runner="baselines.original.runner:OriginalRunner",
    requires=("enzyme_ad", "jax", "ziglang", Program("gcc")),
    install="pip install enzyme-ad jax, and gcc (apt-get install gcc)",
)

TOOLS = (
    REVERSE,
    replace(
        REVERSE,
        name="original-forward",
        title="Enzyme (enzyme-ad), a tangent for each column",
        runner="baselines.original.runner:OriginalForwardRunner",
        on_demand=True,
    ),
    replace(
        REVERSE,
        name="original-relaxed",
        title="Enzyme (enzyme-ad), relaxed math",
        options={"math": "relaxed"},
        on_demand=True,
    ),
)
