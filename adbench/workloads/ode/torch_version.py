"""GradBench's chain of products in torch, a loop in Python."""

from __future__ import annotations

from typing import Any

import torch

from adbench.workloads.ode.workload import END
from adbench.workloads.steps import runge_kutta


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """The last component at the end."""
    x: torch.Tensor = inputs["x"]
    one, steps = torch.ones(1, dtype=x.dtype), int(inputs["s"])

    def slope(_: float, y: torch.Tensor) -> torch.Tensor:
        return x * torch.cat([one, y[:-1]])

    return runge_kutta(slope, torch.zeros_like(x), steps, END / steps)[-1]
