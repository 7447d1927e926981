"""The cubed rectifier in TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Sum of weights . max(x, 0)^3."""
    return tf.reduce_sum(data["weights"] * tf.nn.relu(parameters["x"]) ** 3)
