"""CoDiPack: operator overloading in C++ with expression templates and a tape of Jacobians."""

from __future__ import annotations

from pathlib import Path

from adbench.tools.base import Tool
from adbench.tools.requirements import Headers

TOOLS = (
    Tool(
        name="codipack",
        title="CoDiPack, operator overloading with expression templates",
        runner="adbench.tools.overload_runner:OverloadRunner",
        requires=("ziglang", Headers("codi.hpp", "CODIPACK_HOME", package="codipack")),
        install="set CODIPACK_HOME to CoDiPack's folder (include/codi.hpp)",
        options={"folder": str(Path(__file__).parent), "second": "yes"},
    ),
)
