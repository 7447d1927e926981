"""A determinant in TensorFlow, by its own factorisation."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The determinant of x as a square matrix."""
    return tf.linalg.det(tf.reshape(parameters["x"], (data["ell"], data["ell"])))
