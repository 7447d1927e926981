"""autograd: reverse mode by tracing numpy."""

from __future__ import annotations

from adbench.tools.base import Tool

TOOLS = (
    Tool(
        name="autograd",
        title="autograd, reverse mode on numpy",
        runner="baselines.autograd.runner:AutogradRunner",
        requires=("autograd",),
        install="pip install autograd",
    ),
)
