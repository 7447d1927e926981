"""The HT objective in plain numpy: shares no code with the C source, and accepts complex parameters."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Inputs

FINGERS, FIRST_BONE, FINGER_BONES = 5, 2, 4
LEAST_BONES = FIRST_BONE + FINGERS * FINGER_BONES
SHARED = 6
"""Parameters of the whole hand: three of its rotation, three of its translation."""
THETA = SHARED + 4 * FINGERS
SMALLEST_ANGLE = 1e-4


def turn(axis: int, angle: Array) -> Array:
    """The 4 x 4 matrix that turns about coordinate axis 0 (x) or 2 (z)."""
    first, second = [other for other in range(3) if other != axis]
    matrix = np.eye(4, dtype=angle.dtype)
    matrix[first, first] = matrix[second, second] = np.cos(angle)
    matrix[second, first] = np.sin(angle)
    matrix[first, second] = -matrix[second, first]
    return matrix


def joint_turns(theta: Array) -> dict[int, Array]:
    """What the joints add to the bones that have one, by bone: 4 x 4 matrices."""
    turns = {}
    for finger in range(FINGERS):
        bone = FIRST_BONE + FINGER_BONES * finger
        spread_x, spread_z, middle, last = theta[SHARED + 4 * finger : SHARED + 4 * finger + 4]
        turns[bone] = turn(2, spread_z) @ turn(0, spread_x)
        turns[bone + 1] = turn(0, middle)
        turns[bone + 2] = turn(0, last)
    return turns


def rotation(vector: Array) -> Array:
    """The rotation by the angle |vector| about it, 3 x 3; none where the angle is tiny, as in ADBench."""
    angle = np.sqrt((vector * vector).sum())
    if angle.real < SMALLEST_ANGLE:
        return np.eye(3, dtype=vector.dtype)
    x, y, z = vector / angle
    cross = np.array([[0.0 * x, -z, y], [z, 0.0 * x, -x], [-y, x, 0.0 * x]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross))


def skin(inputs: Inputs) -> Array:
    """The posed vertices, shape (vertices, 3)."""
    theta = np.asarray(inputs["theta"])
    turns = joint_turns(theta)
    places: list[Array] = []
    for bone, parent in enumerate(inputs["parents"]):
        place = inputs["relatives"][bone]
        if bone in turns:
            place = place @ turns[bone]
        places.append(place if parent < 0 else places[parent] @ place)
    transforms = np.array(places) @ inputs["inverses"]
    blended = np.einsum("bv,bij->vij", inputs["weights"], transforms[:, :3])
    posed = np.einsum("vij,jv->vi", blended, inputs["rest"])
    if inputs["mirrored"]:
        posed = posed * np.array([-1.0, 1.0, 1.0])
    return np.asarray(posed @ rotation(theta[:3]).T + theta[3:SHARED])


def corresponding(inputs: Inputs) -> Array:
    """The place on the skin that corresponds to each point, shape (n, 3)."""
    posed = skin(inputs)
    if not inputs["complicated"]:
        return np.asarray(posed[inputs["correspondences"]])
    us = np.asarray(inputs["us"])
    shares = np.concatenate([us, 1.0 - us.sum(axis=1, keepdims=True)], axis=1)
    corners = posed[inputs["triangles"][inputs["correspondences"]]]
    return np.asarray(np.einsum("nc,nci->ni", shares, corners))


def ht_objective(inputs: Inputs) -> Array:
    """The residuals, point after point; shape (n, 3)."""
    return np.asarray(inputs["points"] - corresponding(inputs))
