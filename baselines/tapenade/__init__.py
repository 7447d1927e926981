"""Tapenade: source transformation of C."""

from __future__ import annotations

from adbench.tools.base import Tool
from adbench.tools.requirements import Program

TAPENADE = Program("tapenade", variable="TAPENADE_HOME", inside="bin/tapenade")

TOOLS = (
    Tool(
        name="tapenade",
        title="Tapenade, source transformation of C",
        runner="baselines.tapenade.runner:TapenadeRunner",
        requires=("ziglang", TAPENADE),
        install="put tapenade on PATH, or set TAPENADE_HOME to its folder (bin/tapenade, ADFirstAidKit)",
    ),
)
