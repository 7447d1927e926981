"""The BA objective in torch, vectorised over observations; its blocks by reverse mode under ``vmap``."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def rotate(rotation: Tensor, points: Tensor) -> Tensor:
    """Points (..., 3) turned by axis times angle (..., 3)."""
    square = rotation.square().sum(-1, keepdim=True)
    turns = square > 0
    # The root is taken of ones where nothing turns, so that its derivative is finite there.
    angle = torch.where(turns, square, torch.ones_like(square)).sqrt()
    axis = rotation / angle
    cosine = torch.where(turns, angle.cos(), torch.ones_like(angle))
    sine = torch.where(turns, angle.sin(), angle)
    along = (axis * points).sum(-1, keepdim=True)
    return points * cosine + torch.linalg.cross(axis, points) * sine + axis * along * (1.0 - cosine)


def residuals(camera: Tensor, point: Tensor, weight: Tensor, feature: Tensor) -> Tensor:
    """Residuals (..., 2) of observations, each with its camera (..., 11), point (..., 3) and weight (...)."""
    seen = rotate(camera[..., :3], point - camera[..., 3:6])
    image = seen[..., :2] / seen[..., 2:]
    square = image.square().sum(-1, keepdim=True)
    distortion = 1.0 + camera[..., 9:10] * square + camera[..., 10:] * square.square()
    return weight[..., None] * (image * distortion * camera[..., 6:7] + camera[..., 7:9] - feature)


def gathered(inputs: dict[str, Any]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What each observation sees: cameras (p, 11), points (p, 3), weights (p,), features (p, 2)."""
    obs = inputs["obs"].long()
    return inputs["cams"][obs[:, 0]], inputs["X"][obs[:, 1]], inputs["w"], inputs["feats"]


def objective(inputs: dict[str, Any]) -> Tensor:
    """The 2 p residuals and the p errors of weights."""
    w = inputs["w"]
    return torch.cat([residuals(*gathered(inputs)).reshape(-1), 1.0 - w * w])


def jacobian(inputs: dict[str, Any]) -> dict[str, Tensor]:
    """The blocks (p, 2, 15) of the residuals, and the diagonal (p,) of the errors of weights."""
    camera, point, weight = torch.func.vmap(torch.func.jacrev(residuals, argnums=(0, 1, 2)))(*gathered(inputs))
    diagonal = torch.func.vmap(torch.func.grad(lambda w: 1.0 - w * w))(inputs["w"])
    return {"reprojection": torch.cat([camera, point, weight[..., None]], -1), "weight": diagonal}
