"""ADOL-C: operator overloading in C++ with a trace."""

from __future__ import annotations

from pathlib import Path

from adbench.tools.base import Tool
from adbench.tools.requirements import Headers

TOOLS = (
    Tool(
        name="adolc",
        title="ADOL-C, operator overloading with a trace",
        runner="adbench.tools.overload_runner:OverloadRunner",
        requires=("ziglang", Headers("adolc/adolc.h", "ADOLC_HOME", package="adolc", libraries=("adolc",))),
        install="apt-get install libadolc-dev g++, or set ADOLC_HOME",
        options={"folder": str(Path(__file__).parent), "second": "yes"},
    ),
)
