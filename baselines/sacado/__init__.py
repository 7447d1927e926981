"""Sacado: operator overloading in C++ by templates, of Trilinos."""

from __future__ import annotations

from pathlib import Path

from adbench.tools.base import Tool
from adbench.tools.requirements import Headers

TOOLS = (
    Tool(
        name="sacado",
        title="Sacado, operator overloading: Rad for gradients, Fad for columns",
        runner="adbench.tools.overload_runner:OverloadRunner",
        requires=("ziglang", Headers("Sacado_trad.hpp", "SACADO_HOME", folder="trilinos")),
        install="apt-get install libtrilinos-sacado-dev libtrilinos-kokkos-dev g++, or set SACADO_HOME",
        options={"folder": str(Path(__file__).parent), "second": "yes"},
    ),
)
