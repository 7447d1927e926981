"""CppAD: operator overloading in C++ with a recording of operations."""

from __future__ import annotations

from pathlib import Path

from adbench.tools.base import Tool
from adbench.tools.requirements import Headers

TOOLS = (
    Tool(
        name="cppad",
        title="CppAD, operator overloading with a recording",
        runner="adbench.tools.overload_runner:OverloadRunner",
        requires=("ziglang", Headers("cppad/cppad.hpp", "CPPAD_HOME", package="cppad", libraries=("cppad_lib",))),
        install="set CPPAD_HOME to where CppAD is installed (include/cppad/cppad.hpp, lib/libcppad_lib)",
        options={"folder": str(Path(__file__).parent), "second": "yes", "flags": "-DNDEBUG"},
    ),
)
