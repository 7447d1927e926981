"""Adept: operator overloading in C++ with expression templates and a stack of derivative statements."""

from __future__ import annotations

from pathlib import Path

from adbench.tools.base import Tool
from adbench.tools.requirements import Headers

TOOLS = (
    Tool(
        name="adept",
        title="Adept, operator overloading with expression templates",
        runner="adbench.tools.overload_runner:OverloadRunner",
        requires=("ziglang", Headers("adept.h", "ADEPT_HOME", package="adept", libraries=("adept",))),
        install="set ADEPT_HOME to where Adept 2 is installed (include/adept.h, lib/libadept)",
        options={"folder": str(Path(__file__).parent)},
    ),
)
