"""The Brusselator in TensorFlow, a loop in the graph over whole grids."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from adbench.workloads.brusselator.workload import START, forcing
from adbench.workloads.steps import runge_kutta_step
from baselines.tensorflow.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of the last state."""
    n, x, h = data["n"], parameters["x"], data["h"]
    a, b, alpha = x[0], x[1], x[2]
    late, early = tf.constant(forcing(n, 1.0)), tf.constant(forcing(n, 0.0))

    def slope(t: Any, state: Any) -> Any:
        moved = tf.roll(state, 1, 1) + tf.roll(state, -1, 1) + tf.roll(state, 1, 2) + tf.roll(state, -1, 2)
        u, v = state[0], state[1]
        reaction = u * u * v
        source = tf.where(t >= START, late, early)
        local = tf.stack([b + reaction - (a + 1.0) * u + source, a * u - reaction])
        return local + alpha * (n * n) * (moved - 4.0 * state)

    def step(state: tuple[Any, Any]) -> tuple[Any, Any]:
        number, y = state
        return number + 1.0, runge_kutta_step(slope, number * h, y, h)

    first = (tf.constant(0.0, tf.float64), tf.reshape(x[3:], (2, n, n)))
    return 0.5 * tf.reduce_mean(repeat(step, first, data["steps"])[1] ** 2)
