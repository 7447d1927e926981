"""Gravitating bodies in TensorFlow: all pairs at once, a loop in the graph over steps."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from adbench.workloads.nbody.workload import SOFTENING
from baselines.tensorflow.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """A weighted sum of the last places."""
    h, masses = data["h"], data["masses"]

    def step(state: Any) -> Any:
        place, speed = state[0], state[1]
        apart = place[None, :, :] - place[:, None, :]
        square = tf.reduce_sum(apart * apart, axis=2) + SOFTENING
        speed = speed + h * tf.einsum("ij,ijc->ic", masses * square**-1.5, apart)
        return tf.stack([place + h * speed, speed])

    last = repeat(step, tf.reshape(parameters["x"], (2, -1, 3)), data["steps"])
    return tf.reduce_sum(data["weights"] * tf.reshape(last[0], [-1]))
