"""Central finite differences of the C objective: the derivative that needs no tool."""

from __future__ import annotations

from adbench.tools.base import Tool

TOOLS = (
    Tool(
        name="finite",
        title="central differences in C",
        runner="baselines.finite.runner:FiniteRunner",
        # The truncation and rounding errors of a central difference with step eps^(1/3) balance near eps^(2/3) of the
        # objective's size; on the largest objectives here that is a few 1e-5.
        tolerance=1e-3,
        requires=("ziglang",),
        install="pip install ziglang",
    ),
)
