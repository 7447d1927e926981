"""Polynomial least squares in CasADi."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared distance of the polynomial from the sign function."""
    t = np.linspace(-1.0, 1.0, data["n"])
    residual = ca.DM(np.sign(t)) - ca.DM(np.vander(t, data["m"], increasing=True)) @ parameters["x"]
    return 0.5 * ca.sumsqr(residual)
