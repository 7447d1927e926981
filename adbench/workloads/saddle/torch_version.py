"""The saddle point in torch: reverse mode over reverse mode."""

from __future__ import annotations

from typing import Any

import torch

from adbench.tools.base import Unsupported
from adbench.workloads.nestings import nesting_name
from adbench.workloads.saddle.workload import SMALL


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """The largest value by gradient ascent; a graph of the gradients is kept where x needs it."""
    if nesting_name(inputs) != "rr":
        raise Unsupported("pytorch nests reverse mode in reverse mode only")
    first = inputs["x"]

    def loss(second: torch.Tensor) -> torch.Tensor:
        return second.square().sum() - first.square().sum()

    def gradient(second: torch.Tensor) -> torch.Tensor:
        with torch.enable_grad():
            here = second if second.requires_grad else second.detach().requires_grad_()
            (result,) = torch.autograd.grad(loss(here), here, create_graph=first.requires_grad)
        return result

    x, step, successes = torch.ones_like(first), SMALL, 0
    value, slope = loss(x), gradient(x)
    while float(slope.norm()) > SMALL:
        if successes == 10:
            step, successes = 2.0 * step, 0
        moved = x - step * slope
        if float((x - moved).norm()) <= SMALL:
            break
        there = loss(moved)
        if float(there) < float(value):
            x, value, successes = moved, there, successes + 1
            slope = gradient(x)
        else:
            step, successes = 0.5 * step, 0
    return -loss(x)
