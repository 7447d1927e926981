"""The HT objective in TensorFlow, vectorised over bones, vertices and points; its Jacobian by forward mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from adbench.workloads.ht.reference import FINGER_BONES, FINGERS, FIRST_BONE, SHARED, SMALLEST_ANGLE, THETA


def turn(axis: int, angle: Any) -> Any:
    """The 4 x 4 matrix that turns about coordinate axis 0 (x) or 2 (z)."""
    c, s = tf.cos(angle), tf.sin(angle)
    zero, one = tf.zeros_like(angle), tf.ones_like(angle)
    if axis == 0:
        rows = [one, zero, zero, zero, zero, c, -s, zero, zero, s, c, zero, zero, zero, zero, one]
    else:
        rows = [c, -s, zero, zero, s, c, zero, zero, zero, zero, one, zero, zero, zero, zero, one]
    return tf.reshape(tf.stack(rows), (4, 4))


def rotation(vector: Any) -> Any:
    """The rotation by the angle |vector| about it; none where the angle is tiny."""
    square = tf.reduce_sum(vector**2)
    turns = square >= SMALLEST_ANGLE**2
    angle = tf.sqrt(tf.where(turns, square, tf.ones_like(square)))
    axis = vector / angle
    zero = tf.zeros_like(angle)
    cross = tf.reshape(tf.stack([zero, -axis[2], axis[1], axis[2], zero, -axis[0], -axis[1], axis[0], zero]), (3, 3))
    turned = np.eye(3) + tf.sin(angle) * cross + (1.0 - tf.cos(angle)) * tf.matmul(cross, cross)
    return tf.where(turns, turned, np.eye(3))


def residuals(theta: Any, us: Any, data: dict[str, Any]) -> Any:
    """The residuals (n, 3)."""
    places: list[Any] = []
    for bone, parent in enumerate(data["parents"].tolist()):
        place = data["relatives"][bone]
        finger, joint = divmod(bone - FIRST_BONE, FINGER_BONES)
        if 0 <= finger < FINGERS and joint < 3:
            first = SHARED + 4 * finger
            if joint == 0:
                place = tf.matmul(place, tf.matmul(turn(2, theta[first + 1]), turn(0, theta[first])))
            else:
                place = tf.matmul(place, turn(0, theta[first + 1 + joint]))
        places.append(place if parent < 0 else tf.matmul(places[parent], place))
    transforms = tf.matmul(tf.stack(places), data["inverses"])
    moved = tf.matmul(transforms[:, :3], data["rest"])
    posed = tf.transpose(tf.reduce_sum(data["weights"][:, None, :] * moved, axis=0))
    if data["mirrored"]:
        posed = posed * np.array([-1.0, 1.0, 1.0])
    posed = tf.matmul(posed, tf.transpose(rotation(theta[:3]))) + theta[3:SHARED]
    which = data["correspondences"]
    if not data["complicated"]:
        return data["points"] - tf.gather(posed, which)
    u, v = us[:, :1], us[:, 1:]
    one, two, three = (tf.gather(posed, data["triangles"][which, corner]) for corner in range(3))
    return data["points"] - (u * one + v * two + (1.0 - u - v) * three)


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The residuals (n, 3)."""
    return residuals(parameters["theta"], parameters["us"], data)


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The columns (26, n, 3) of theta, and (2, n, 3) of the points' own parameters (none in the simple case)."""
    theta, us = parameters["theta"], parameters["us"]

    def along(parameter: Any, seed: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(parameter, seed) as forward:
            value = residuals(theta, us, data)
        return forward.jvp(value)

    seeds = tf.eye(THETA, dtype=tf.float64)
    columns = {"theta": tf.map_fn(lambda seed: along(theta, seed), seeds), "us": tf.zeros((2, 0, 3), tf.float64)}
    if data["complicated"]:
        own = tf.constant(np.tile(np.eye(2)[:, None, :], (1, us.shape[0], 1)))
        columns["us"] = tf.map_fn(lambda seed: along(us, seed), own)
    return columns
