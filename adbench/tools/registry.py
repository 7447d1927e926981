"""Every tool the harness knows: our engine's, and those that packages under ``baselines`` list as ``TOOLS``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from adbench.errors import UsageError
from adbench.tools.base import Tool
from enzyme.support.config import switches

ENZYME = "enzyme"
ENZYME_PRE = "enzyme-pre"

ENZYME_FORWARD = "enzyme-forward"
ENZYME_VECTOR = "enzyme-vector"
ENZYME_RELAXED = "enzyme-relaxed"


def _ours(name: str, title: str, runner: str = "EnzymeRunner", on_demand: bool = False, **options: str) -> Tool:
    return Tool(
        name=name,
        title=title,
        runner=f"adbench.tools.enzyme_runner:{runner}",
        requires=("enzyme", "llvmlite"),
        install="pip install .",
        options={"pipeline": "post", **options},
        on_demand=on_demand,
    )


def ours() -> list[Tool]:
    """This engine: after optimisation and before, in forward mode, and without each of its optimisations."""
    return [
        _ours(ENZYME, "this engine, differentiating optimised IR"),
        _ours(ENZYME_PRE, "this engine, differentiating before optimisation (Ref)", pipeline="pre"),
        _ours(ENZYME_FORWARD, "this engine's forward mode, a tangent for each column", "ForwardRunner", on_demand=True),
        _ours(ENZYME_VECTOR, "this engine's forward mode, eight tangents at a time", on_demand=True, style="vector"),
        _ours(ENZYME_RELAXED, "this engine, relaxed math", on_demand=True, math="relaxed"),
        *(
            _ours(
                f"{ENZYME}-no-{switch.replace('_', '-')}", f"this engine without {switch}", on_demand=True, off=switch
            )
            for switch in switches()
        ),
    ]


ORDER = (ENZYME, ENZYME_PRE, ENZYME_FORWARD, ENZYME_VECTOR, ENZYME_RELAXED, "original", "manual")
"""Tools named here come first, in this order; others follow by name."""


@cache
def all_tools() -> dict[str, Tool]:
    """Every tool by name. Importing a baseline's package is cheap: its runner is imported in its own process only."""
    baselines = importlib.import_module("baselines")
    found = {tool.name: tool for tool in ours()}
    for info in pkgutil.iter_modules(baselines.__path__):
        if info.ispkg:
            tools: tuple[Tool, ...] = getattr(importlib.import_module(f"baselines.{info.name}"), "TOOLS", ())
            found |= {tool.name: tool for tool in tools}
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
