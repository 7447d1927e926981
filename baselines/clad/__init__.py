"""Clad: a plugin of clang that differentiates C++ on its syntax tree."""

from __future__ import annotations

from adbench.tools.base import Tool
from adbench.tools.requirements import Headers, Program

CLANG = Program(variable="CLAD_CLANG")
PLUGIN = Program(variable="CLAD_PLUGIN", plugin=True)
HEADER = Headers("clad/Differentiator/Differentiator.h", "CLAD_HOME")

TOOLS = (
    Tool(
        name="clad",
        title="Clad, source transformation of C++ in clang",
        runner="baselines.clad.runner:CladRunner",
        requires=(CLANG, PLUGIN, HEADER),
        install="set CLAD_CLANG to a clang++, CLAD_PLUGIN to the clad.so built for it, and CLAD_HOME to Clad's folder"
        " (include/clad)",
    ),
)
