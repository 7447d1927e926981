"""Gauss-Seidel relaxation in TensorFlow, antidiagonal by antidiagonal, a loop in the graph over sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from adbench.workloads.relax.workload import diagonals
from baselines.tensorflow.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of u after the sweeps."""
    n, kappa = data["n"], data["kappa"]
    f, first = tf.unstack(tf.pad(tf.reshape(parameters["x"], (2, n, n)), [[0, 0], [1, 1], [1, 1]]))
    places = [np.stack(pair, axis=1) for pair in diagonals(n)]

    def sweep(u: Any) -> Any:
        for place in places:
            around = sum(tf.gather_nd(u, place + step) for step in ([-1, 0], [1, 0], [0, -1], [0, 1]))
            moved = 0.25 * (around + tf.gather_nd(f, place) - kappa * tf.gather_nd(u, place) ** 3)
            u = tf.tensor_scatter_nd_update(u, place, moved)
        return u

    return 0.5 * tf.reduce_sum(repeat(sweep, first, data["sweeps"]) ** 2) / (n * n)
