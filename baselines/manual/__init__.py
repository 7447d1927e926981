"""Derivatives derived and written by hand in C: what AD tools are measured against."""

from __future__ import annotations

from dataclasses import replace

from adbench.tools.base import Tool

MANUAL = Tool(
    name="manual",
    title="hand-derived C",
    runner="baselines.manual.runner:ManualRunner",
    tolerance=1e-11,
    requires=("ziglang",),
    install="pip install ziglang",
    reference=True,
)

TOOLS = (
    MANUAL,
    replace(
        MANUAL,
        name="manual-relaxed",
        title="hand-derived C, relaxed math",
        tolerance=1e-10,
        reference=False,
        options={"math": "relaxed"},
        on_demand=True,
    ),
)
