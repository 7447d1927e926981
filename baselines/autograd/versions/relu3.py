"""The cubed rectifier in autograd."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Sum of weights . max(x, 0)^3."""
    return np.sum(data["weights"] * np.maximum(parameters["x"], 0.0) ** 3)
