"""Euler's method in TensorFlow, a loop in the graph."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from baselines.tensorflow.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared length of the last state."""
    n, h = data["n"], data["h"]
    state, coefficients = parameters["x"][:n], tf.reshape(parameters["x"][n:], (n, n))
    last = repeat(lambda y: y + h * tf.linalg.matvec(coefficients, y), state, data["steps"])
    return 0.5 * tf.reduce_sum(last**2)
