"""Vector normalisation in TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Sum of weights . x / |x|."""
    x = parameters["x"]
    return tf.reduce_sum(data["weights"] * (x / tf.sqrt(tf.reduce_sum(x * x))))
