"""The BA objective in CasADi: a function of one observation, and its Jacobian, mapped over all."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np


def residuals() -> Any:
    """The function of one observation: its 15 numbers (camera, point, weight) and its feature to two residuals."""
    block, feature = ca.SX.sym("block", 15), ca.SX.sym("feature", 2)
    rotation, moved = block[:3], block[11:14] - block[3:6]
    square = ca.sumsqr(rotation)
    # The root is taken of one where nothing turns, so that its derivative is finite there.
    angle = ca.sqrt(ca.if_else(square > 0.0, square, 1.0))
    axis = rotation / angle
    cosine, sine = ca.if_else(square > 0.0, ca.cos(angle), 1.0), ca.if_else(square > 0.0, ca.sin(angle), angle)
    seen = moved * cosine + ca.cross(axis, moved) * sine + axis * ca.dot(axis, moved) * (1.0 - cosine)
    image = seen[:2] / seen[2]
    radius = ca.sumsqr(image)
    distortion = 1.0 + block[9] * radius + block[10] * radius**2
    error = block[14] * (image * distortion * block[6] + block[7:9] - feature)
    return ca.Function("residuals", [block, feature], [error, ca.jacobian(error, block).T], ["b", "f"], ["e", "j"])


def gathered(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """What each observation sees, 15 rows."""
    obs = data["obs"]
    cameras, points = parameters["cams"].T[:, obs[:, 0].tolist()], parameters["X"].T[:, obs[:, 1].tolist()]
    return ca.vertcat(cameras, points, parameters["w"].T)


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The 2 p residuals and the p errors of weights."""
    whole = residuals()
    alone = ca.Function("alone", whole.sx_in(), [whole(*whole.sx_in())[0]])
    errors = alone.map(len(data["obs"]))(gathered(parameters, data), data["feats"].T)
    return ca.vertcat(ca.vec(errors), 1.0 - parameters["w"] ** 2)


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The blocks of the residuals, 15 rows and two columns for each observation, and the weights' diagonal."""
    _, blocks = residuals().map(len(data["obs"]))(gathered(parameters, data), data["feats"].T)
    # No error of a weight depends on another weight: the gradient of their sum is the diagonal.
    return {"reprojection": blocks, "weight": ca.gradient(ca.sum1(1.0 - parameters["w"] ** 2), parameters["w"])}


def shaped(results: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """Blocks (p, 2, 15) and the diagonal (p,)."""
    blocks = np.ascontiguousarray(results["reprojection"].T).reshape(-1, 2, 15)
    return {"reprojection": blocks, "weight": results["weight"].ravel()}
