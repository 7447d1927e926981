"""k-means in torch: reverse mode over reverse mode."""

from __future__ import annotations

from typing import Any

import torch


def cost(x: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
    apart = points[:, None, :] - x.reshape(-1, points.shape[1])[None, :, :]
    return apart.square().sum(2).min(1).values.sum()


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Squared distances from the nearest centroid."""
    return cost(inputs["x"], inputs["points"])


def jacobian(inputs: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The Newton direction: the gradient over the Hessian's product with ones, which is its diagonal."""
    x = inputs["x"].detach().requires_grad_()
    (gradient,) = torch.autograd.grad(cost(x, inputs["points"]), x, create_graph=True)
    (diagonal,) = torch.autograd.grad(gradient.sum(), x)
    return {"x": gradient.detach() / diagonal}
