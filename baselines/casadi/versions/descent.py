"""Matrix descent in CasADi, a fold."""

from __future__ import annotations

from typing import Any

import casadi as ca

from baselines.casadi.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared residual after the descent."""
    n, rate, b = data["n"], data["rate"], data["b"]
    v, transposed = parameters["x"][:n], ca.reshape(parameters["x"][n:], n, n)
    last = repeat(lambda v, a, b: v - rate * (a @ (a.T @ v - b)), v, data["steps"], transposed, b)
    return 0.5 * ca.sumsqr(transposed.T @ last - b)
