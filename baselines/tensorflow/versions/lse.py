"""logsumexp in TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """log(sum(exp(x)))."""
    return tf.reduce_logsumexp(parameters["x"])
