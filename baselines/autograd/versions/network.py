"""A small neural network in autograd."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np
from autograd.scipy.special import logsumexp

from adbench.workloads.network.workload import layer_sizes, layers


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Mean cross-entropy over the batch."""
    values = data["data"]
    first, second, last = layers(parameters["x"], layer_sizes(data))
    for weights, biases in (first, second):
        values = np.tanh(np.dot(values, weights.T) + biases)
    scores = np.dot(values, last[0].T) + last[1]
    chosen = scores[np.arange(len(scores)), data["labels"]]
    return np.mean(logsumexp(scores, axis=1) - chosen)
