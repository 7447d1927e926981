"""Euler's method in CasADi, a fold."""

from __future__ import annotations

from typing import Any

import casadi as ca

from baselines.casadi.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared length of the last state."""
    n, h = data["n"], data["h"]
    # Columns come first: the matrix is the transpose of what lies there row after row.
    state, transposed = parameters["x"][:n], ca.reshape(parameters["x"][n:], n, n)
    return 0.5 * ca.sumsqr(repeat(lambda y, a: y + h * (a.T @ y), state, data["steps"], transposed))
