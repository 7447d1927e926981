"""A determinant in autograd, by its own factorisation."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The determinant of x as a square matrix."""
    return np.linalg.det(np.reshape(parameters["x"], (data["ell"], data["ell"])))
