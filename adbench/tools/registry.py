"""Every tool the harness knows: our engine's, and one per package under ``baselines`` that defines ``TOOL``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from adbench.errors import UsageError
from adbench.tools.base import Tool

ENZYME = "enzyme"
ENZYME_PRE = "enzyme-pre"

OURS = (
    Tool(
        name=ENZYME,
        title="this engine, differentiating optimised IR",
        runner="adbench.tools.enzyme_runner:EnzymeRunner",
        requires=("enzyme", "llvmlite"),
        install="pip install .",
        options={"pipeline": "post"},
    ),
    Tool(
        name=ENZYME_PRE,
        title="this engine, differentiating before optimisation (Ref)",
        runner="adbench.tools.enzyme_runner:EnzymeRunner",
        requires=("enzyme", "llvmlite"),
        install="pip install .",
        options={"pipeline": "pre"},
    ),
)

ORDER = (ENZYME, ENZYME_PRE, "manual", "finite", "pytorch", "jax")
"""Tools named here come first, in this order; others follow by name."""


@cache
def all_tools() -> dict[str, Tool]:
    """Every tool by name. Importing a baseline's package is cheap: its runner is imported in its own process only."""
    baselines = importlib.import_module("baselines")
    found = {tool.name: tool for tool in OURS}
    for info in pkgutil.iter_modules(baselines.__path__):
        if info.ispkg:
            tool = getattr(importlib.import_module(f"baselines.{info.name}"), "TOOL", None)
            if isinstance(tool, Tool):
                found[tool.name] = tool
    names = [name for name in ORDER if name in found] + sorted(set(found) - set(ORDER))
    return {name: found[name] for name in names}


def get_tool(name: str) -> Tool:
    tools = all_tools()
    if name not in tools:
        raise UsageError(f"there is no tool {name!r}", hint=f"known tools: {', '.join(tools)}")
    return tools[name]


def reference_tool() -> Tool | None:
    """The tool whose derivatives others are compared with."""
    return next((tool for tool in all_tools().values() if tool.reference), None)
