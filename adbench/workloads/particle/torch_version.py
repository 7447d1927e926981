"""The charged particle in torch: reverse mode over reverse mode."""

from __future__ import annotations

from typing import Any

import torch

from adbench.tools.base import Unsupported
from adbench.workloads.nestings import nesting_name


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """The square of the place where the particle crosses the axis; a graph of the forces is kept where w needs it."""
    if nesting_name(inputs) != "rr":
        raise Unsupported("pytorch nests reverse mode in reverse mode only")
    w, h = inputs["x"], float(inputs["h"])
    charges = torch.stack([torch.tensor([10.0, 10.0], dtype=w.dtype), torch.tensor([10.0, 0.0], dtype=w.dtype)])
    charges = charges - torch.outer(torch.tensor([1.0, 0.0], dtype=w.dtype), torch.cat([torch.zeros_like(w), w]))
    place = torch.tensor([0.0, 8.0], dtype=w.dtype)
    speed = torch.tensor([0.75, 0.0], dtype=w.dtype)
    while float(place[1].detach() + h * speed[1].detach()) > 0.0:
        with torch.enable_grad():
            here = place if place.requires_grad else place.detach().requires_grad_()
            potential = (here - charges).square().sum(1).rsqrt().sum()
            (push,) = torch.autograd.grad(potential, here, create_graph=w.requires_grad)
        place = place + h * speed
        speed = speed - h * push
    crossing = place[0] - place[1] / speed[1] * speed[0]
    return crossing.square()
