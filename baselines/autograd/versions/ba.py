"""The BA objective in autograd, vectorised over observations; its blocks by one reverse sweep for each residual."""

from __future__ import annotations

from typing import Any

import autograd
import autograd.numpy as np


def rotate(rotation: Any, points: Any) -> Any:
    """Points (p, 3) turned by axis times angle (p, 3)."""
    square = np.sum(rotation**2, axis=1, keepdims=True)
    turns = square > 0.0
    # The root is taken of ones where nothing turns, so that its derivative is finite there.
    angle = np.sqrt(np.where(turns, square, 1.0))
    axis = rotation / angle
    cosine, sine = np.where(turns, np.cos(angle), 1.0), np.where(turns, np.sin(angle), angle)
    along = np.sum(axis * points, axis=1, keepdims=True)
    crossed = axis[:, [1, 2, 0]] * points[:, [2, 0, 1]] - axis[:, [2, 0, 1]] * points[:, [1, 2, 0]]
    return points * cosine + crossed * sine + axis * along * (1.0 - cosine)


def residuals(blocks: Any, features: Any) -> Any:
    """Residuals (p, 2) of observations, each with its 15 numbers: camera (11), point (3) and weight."""
    camera, point, weight = blocks[:, :11], blocks[:, 11:14], blocks[:, 14:]
    seen = rotate(camera[:, :3], point - camera[:, 3:6])
    image = seen[:, :2] / seen[:, 2:]
    square = np.sum(image**2, axis=1, keepdims=True)
    distortion = 1.0 + camera[:, 9:10] * square + camera[:, 10:] * square**2
    return weight * (image * distortion * camera[:, 6:7] + camera[:, 7:9] - features)


def gathered(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """What each observation sees (p, 15)."""
    obs = data["obs"]
    return np.concatenate((parameters["cams"][obs[:, 0]], parameters["X"][obs[:, 1]], parameters["w"][:, None]), axis=1)


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The 2 p residuals and the p errors of weights."""
    errors = residuals(gathered(parameters, data), data["feats"])
    return np.concatenate((np.reshape(errors, -1), 1.0 - parameters["w"] ** 2))


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The blocks (p, 2, 15) of the residuals, and the diagonal (p,) of the errors of weights.

    No residual depends on another observation's numbers: the gradient of a sum over observations has all rows.
    """
    features = data["feats"]
    rows = [autograd.grad(lambda blocks, side=side: np.sum(residuals(blocks, features)[:, side])) for side in (0, 1)]
    blocks = gathered(parameters, data)
    diagonal = autograd.grad(lambda w: np.sum(1.0 - w**2))(parameters["w"])
    return {"reprojection": np.stack([row(blocks) for row in rows], axis=1), "weight": diagonal}
