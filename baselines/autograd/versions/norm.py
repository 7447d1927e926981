"""Vector normalisation in autograd."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Sum of weights . x / |x|."""
    x = parameters["x"]
    return np.sum(data["weights"] * (x / np.sqrt(np.sum(x * x))))
