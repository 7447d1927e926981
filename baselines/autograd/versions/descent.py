"""Matrix descent in autograd, a loop in Python."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared residual after the descent."""
    n = data["n"]
    v, matrix = parameters["x"][:n], np.reshape(parameters["x"][n:], (n, n))
    for _ in range(data["steps"]):
        v = v - data["rate"] * np.dot(matrix.T, np.dot(matrix, v) - data["b"])
    return 0.5 * np.sum((np.dot(matrix, v) - data["b"]) ** 2)
