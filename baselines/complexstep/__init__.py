"""Complex steps through the objective that all compiled tools share: no rival's code, exact to rounding."""

from __future__ import annotations

from pathlib import Path

from adbench.tools.base import Tool

TOOLS = (
    Tool(
        name="complexstep",
        title="complex steps in C++",
        runner="adbench.tools.overload_runner:OverloadRunner",
        requires=("ziglang",),
        install="pip install ziglang",
        options={"folder": str(Path(__file__).parent)},
    ),
)
