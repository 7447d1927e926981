"""The four ways to take a derivative inside of what is differentiated."""

from __future__ import annotations

from collections.abc import Mapping

NESTINGS = tuple({"outer": outer, "inner": inner} for outer in (1, 0) for inner in (1, 0))
"""1 is reverse mode and 0 forward mode."""


def nesting_name(dimensions: Mapping[str, int]) -> str:
    """Outer and inner mode as letters: "rf" is reverse mode over forward mode."""
    return "".join("fr"[dimensions[place]] for place in ("outer", "inner"))
