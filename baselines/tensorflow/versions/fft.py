"""The Fourier transform in TensorFlow, by its own."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Weighted power of the transform."""
    x = tf.reshape(parameters["x"], (-1, 2))
    transform = tf.signal.fft(tf.complex(x[:, 0], x[:, 1]))
    power = tf.math.real(transform) ** 2 + tf.math.imag(transform) ** 2
    return 0.5 * tf.reduce_sum(data["weights"] * power) / data["n"]
