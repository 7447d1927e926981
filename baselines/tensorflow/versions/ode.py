"""GradBench's chain of products in TensorFlow, a loop in the graph."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from adbench.workloads.ode.workload import END
from adbench.workloads.steps import runge_kutta_step
from baselines.tensorflow.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The last component at the end."""
    x, steps = parameters["x"], data["s"]

    def slope(_: float, y: Any) -> Any:
        return x * tf.concat([tf.ones(1, tf.float64), y[:-1]], 0)

    return repeat(lambda y: runge_kutta_step(slope, 0.0, y, END / steps), tf.zeros_like(x), steps)[-1]
