"""Derivatives derived and written by hand in C: what AD tools are measured against."""

from __future__ import annotations

from adbench.tools.base import Tool

TOOLS = (
    Tool(
        name="manual",
        title="hand-derived C",
        runner="baselines.manual.runner:ManualRunner",
        tolerance=1e-11,
        requires=("ziglang",),
        install="pip install ziglang",
        reference=True,
    ),
)
