"""Matrix descent in torch, a loop in Python."""

from __future__ import annotations

from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Half the squared residual after the descent."""
    n = int(inputs["n"])
    v, matrix = inputs["x"][:n], inputs["x"][n:].reshape(n, n)
    for _ in range(int(inputs["steps"])):
        v = v - inputs["rate"] * (matrix.T @ (matrix @ v - inputs["b"]))
    return 0.5 * (matrix @ v - inputs["b"]).square().sum()
