"""A sum of squares in torch."""

from __future__ import annotations

from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """The sum of the squares of x."""
    x: torch.Tensor = inputs["x"]
    return x.square().sum()
