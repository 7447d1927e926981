"""Polynomial least squares in TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared distance of the polynomial from the sign function."""
    x, n, m = parameters["x"], data["n"], data["m"]
    t = tf.linspace(tf.constant(-1.0, tf.float64), tf.constant(1.0, tf.float64), n)
    powers = tf.math.cumprod(tf.repeat(t[:, None], m, axis=1), axis=1, exclusive=True)
    residual = tf.sign(t) - tf.linalg.matvec(powers, x)
    return 0.5 * tf.reduce_sum(residual**2)
