"""k-means in TensorFlow: reverse mode over reverse mode."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Squared distances from the nearest centroid."""
    points = data["points"]
    apart = points[:, None, :] - tf.reshape(parameters["x"], (-1, points.shape[1]))[None, :, :]
    return tf.reduce_sum(tf.reduce_min(tf.reduce_sum(apart**2, axis=2), axis=1))


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The Newton direction: the gradient over the Hessian's product with ones, which is its diagonal."""
    x = parameters["x"]
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = objective({"x": x}, data)
        gradient = inner.gradient(value, x)
        total = tf.reduce_sum(gradient)
    return {"x": gradient / outer.gradient(total, x)}
