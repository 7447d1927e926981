"""CasADi: symbolic graphs of matrix operations, differentiated by their rules."""

from __future__ import annotations

from adbench.tools.base import Tool

TOOLS = (
    Tool(
        name="casadi",
        title="CasADi, MX graphs in its virtual machine",
        runner="baselines.casadi.runner:CasadiRunner",
        requires=("casadi",),
        install="pip install casadi",
    ),
)
