"""Vector normalisation in CasADi."""

from __future__ import annotations

from typing import Any

import casadi as ca


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Sum of weights . x / |x|."""
    x = parameters["x"]
    return ca.dot(data["weights"], x / ca.norm_2(x))
