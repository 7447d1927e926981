"""The HT objective in autograd, vectorised over bones, vertices and points; its Jacobian by forward mode."""

from __future__ import annotations

from typing import Any

import autograd
import autograd.numpy as np

from adbench.workloads.ht.reference import FINGER_BONES, FINGERS, FIRST_BONE, SHARED, SMALLEST_ANGLE, THETA


def turn(axis: int, angle: Any) -> Any:
    """The 4 x 4 matrix that turns about coordinate axis 0 (x) or 2 (z)."""
    c, s = np.cos(angle), np.sin(angle)
    zero, one = 0.0 * angle, 1.0 + 0.0 * angle
    if axis == 0:
        rows = [one, zero, zero, zero, zero, c, -s, zero, zero, s, c, zero, zero, zero, zero, one]
    else:
        rows = [c, -s, zero, zero, s, c, zero, zero, zero, zero, one, zero, zero, zero, zero, one]
    return np.reshape(np.stack(rows), (4, 4))


def rotation(vector: Any) -> Any:
    """The rotation by the angle |vector| about it; none where the angle is tiny."""
    square = np.sum(vector**2)
    turns = square >= SMALLEST_ANGLE**2
    angle = np.sqrt(np.where(turns, square, 1.0))
    axis = vector / angle
    zero = 0.0 * angle
    cross = np.reshape(np.stack([zero, -axis[2], axis[1], axis[2], zero, -axis[0], -axis[1], axis[0], zero]), (3, 3))
    turned = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * np.matmul(cross, cross)
    return np.where(turns, turned, np.eye(3))


def residuals(theta: Any, us: Any, data: dict[str, Any]) -> Any:
    """The residuals (n, 3)."""
    places: list[Any] = []
    for bone, parent in enumerate(data["parents"].tolist()):
        place = data["relatives"][bone]
        finger, joint = divmod(bone - FIRST_BONE, FINGER_BONES)
        if 0 <= finger < FINGERS and joint < 3:
            first = SHARED + 4 * finger
            if joint == 0:
                place = np.matmul(place, np.matmul(turn(2, theta[first + 1]), turn(0, theta[first])))
            else:
                place = np.matmul(place, turn(0, theta[first + 1 + joint]))
        places.append(place if parent < 0 else np.matmul(places[parent], place))
    transforms = np.matmul(np.stack(places), data["inverses"])
    moved = np.matmul(transforms[:, :3], data["rest"])
    posed = np.transpose(np.sum(data["weights"][:, None, :] * moved, axis=0))
    if data["mirrored"]:
        posed = posed * np.array([-1.0, 1.0, 1.0])
    posed = np.matmul(posed, np.transpose(rotation(theta[:3]))) + theta[3:SHARED]
    which = data["correspondences"]
    if not data["complicated"]:
        return data["points"] - posed[which]
    u, v = us[:, :1], us[:, 1:]
    one, two, three = (posed[data["triangles"][which, corner]] for corner in range(3))
    return data["points"] - (u * one + v * two + (1.0 - u - v) * three)


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The residuals (n, 3)."""
    return residuals(parameters["theta"], parameters["us"], data)


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The columns (26, n, 3) of theta, and (2, n, 3) of the points' own parameters (none in the simple case)."""
    theta, us = parameters["theta"], parameters["us"]
    along = autograd.make_jvp(lambda theta: residuals(theta, us, data))(theta)
    columns = {"theta": np.stack([along(seed)[1] for seed in np.eye(THETA)]), "us": np.zeros((2, 0, 3))}
    if data["complicated"]:
        own = autograd.make_jvp(lambda us: residuals(theta, us, data))(us)
        columns["us"] = np.stack([own(np.tile(seed, (len(us), 1)))[1] for seed in np.eye(2)])
    return columns
