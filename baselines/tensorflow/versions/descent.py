"""Matrix descent in TensorFlow, a loop in the graph."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from baselines.tensorflow.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the squared residual after the descent."""
    n, b, rate = data["n"], data["b"], data["rate"]
    v, matrix = parameters["x"][:n], tf.reshape(parameters["x"][n:], (n, n))

    def residual(v: Any) -> Any:
        return tf.linalg.matvec(matrix, v) - b

    last = repeat(lambda v: v - rate * tf.linalg.matvec(matrix, residual(v), transpose_a=True), v, data["steps"])
    return 0.5 * tf.reduce_sum(residual(last) ** 2)
