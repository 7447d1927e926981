"""The classical Runge-Kutta method in TensorFlow, a loop in the graph."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from adbench.workloads.steps import runge_kutta_step
from baselines.tensorflow.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of the last state."""
    n, h = data["n"], data["h"]
    state, forcing = parameters["x"][:n], parameters["x"][n:]

    def slope(_: float, y: Any) -> Any:
        return (tf.roll(y, -1, 0) - tf.roll(y, 2, 0)) * tf.roll(y, 1, 0) - y + forcing

    last = repeat(lambda y: runge_kutta_step(slope, 0.0, y, h), state, data["steps"])
    return 0.5 * tf.reduce_mean(last**2)
