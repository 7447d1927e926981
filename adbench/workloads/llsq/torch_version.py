"""Polynomial least squares in torch."""

from __future__ import annotations

from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Half the squared distance of the polynomial from the sign function."""
    x: torch.Tensor = inputs["x"]
    t = torch.linspace(-1.0, 1.0, int(inputs["n"]), dtype=x.dtype)
    residual = torch.sign(t) - torch.linalg.vander(t, N=len(x)) @ x
    return 0.5 * residual.square().sum()
