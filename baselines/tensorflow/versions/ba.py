"""The BA objective in TensorFlow, vectorised over observations; its blocks by one reverse sweep for each residual."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def rotate(rotation: Any, points: Any) -> Any:
    """Points (p, 3) turned by axis times angle (p, 3)."""
    square = tf.reduce_sum(rotation**2, axis=1, keepdims=True)
    turns = square > 0.0
    # The root is taken of ones where nothing turns, so that its derivative is finite there.
    angle = tf.sqrt(tf.where(turns, square, tf.ones_like(square)))
    axis = rotation / angle
    cosine, sine = tf.where(turns, tf.cos(angle), tf.ones_like(angle)), tf.where(turns, tf.sin(angle), angle)
    along = tf.reduce_sum(axis * points, axis=1, keepdims=True)
    return points * cosine + tf.linalg.cross(axis, points) * sine + axis * along * (1.0 - cosine)


def residuals(blocks: Any, features: Any) -> Any:
    """Residuals (p, 2) of observations, each with its 15 numbers: camera (11), point (3) and weight."""
    camera, point, weight = blocks[:, :11], blocks[:, 11:14], blocks[:, 14:]
    seen = rotate(camera[:, :3], point - camera[:, 3:6])
    image = seen[:, :2] / seen[:, 2:]
    square = tf.reduce_sum(image**2, axis=1, keepdims=True)
    distortion = 1.0 + camera[:, 9:10] * square + camera[:, 10:] * square**2
    return weight * (image * distortion * camera[:, 6:7] + camera[:, 7:9] - features)


def gathered(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """What each observation sees (p, 15)."""
    cameras, points = tf.gather(parameters["cams"], data["obs"][:, 0]), tf.gather(parameters["X"], data["obs"][:, 1])
    return tf.concat([cameras, points, parameters["w"][:, None]], 1)


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The 2 p residuals and the p errors of weights."""
    errors = residuals(gathered(parameters, data), data["feats"])
    return tf.concat([tf.reshape(errors, [-1]), 1.0 - parameters["w"] ** 2], 0)


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The blocks (p, 2, 15) of the residuals, and the diagonal (p,) of the errors of weights."""
    blocks, w = gathered(parameters, data), parameters["w"]
    with tf.GradientTape() as tape:
        tape.watch(blocks)
        errors = residuals(blocks, data["feats"])
    rows = tape.batch_jacobian(errors, blocks)
    with tf.GradientTape() as tape:
        tape.watch(w)
        value = 1.0 - w**2
    return {"reprojection": rows, "weight": tape.gradient(value, w)}
