"""A determinant in CasADi, by its own."""

from __future__ import annotations

from typing import Any

import casadi as ca


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The determinant of x as a square matrix."""
    return ca.det(ca.reshape(parameters["x"], data["ell"], data["ell"]))
