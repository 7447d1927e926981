"""The cubed rectifier in CasADi."""

from __future__ import annotations

from typing import Any

import casadi as ca


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Sum of weights . max(x, 0)^3."""
    return ca.dot(data["weights"], ca.fmax(parameters["x"], 0.0) ** 3)
