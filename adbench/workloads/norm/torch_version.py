"""Vector normalisation in torch."""

from __future__ import annotations

from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Sum of weights . x / |x|."""
    x: torch.Tensor = inputs["x"]
    return (inputs["weights"] * (x / x.square().sum().sqrt())).sum()
