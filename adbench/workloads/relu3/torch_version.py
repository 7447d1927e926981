"""The cubed rectifier in torch."""

from __future__ import annotations

from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Sum of weights . max(x, 0)^3."""
    x: torch.Tensor = inputs["x"]
    return (inputs["weights"] * torch.relu(x).pow(3)).sum()
