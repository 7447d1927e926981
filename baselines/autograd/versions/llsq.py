"""Polynomial least squares in autograd."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared distance of the polynomial from the sign function."""
    x = parameters["x"]
    t = np.linspace(-1.0, 1.0, data["n"])
    residual = np.sign(t) - np.dot(np.vander(t, len(x), increasing=True), x)
    return 0.5 * np.sum(residual**2)
