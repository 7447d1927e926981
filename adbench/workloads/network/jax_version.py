"""A small neural network in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp

from adbench.workloads.network.workload import layer_sizes, layers


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> jax.Array:
    """Mean cross-entropy over the batch."""
    values = data["data"]
    first, second, last = layers(parameters["x"], layer_sizes(data))
    for weights, biases in (first, second):
        values = jnp.tanh(values @ weights.T + biases)
    scores = values @ last[0].T + last[1]
    chosen = jnp.take_along_axis(scores, data["labels"][:, None], axis=1)[:, 0]
    return jnp.mean(logsumexp(scores, axis=1) - chosen)
