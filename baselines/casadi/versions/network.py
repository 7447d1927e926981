"""A small neural network in CasADi."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from adbench.workloads.network.workload import layer_sizes


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Mean cross-entropy over the batch."""
    values, x, start, found = data["data"], parameters["x"], 0, []
    for inputs, outputs in layer_sizes(data):
        middle, end = start + inputs * outputs, start + (inputs + 1) * outputs
        found.append((ca.reshape(x[start:middle], inputs, outputs), x[middle:end].T))
        start = end
    batch = values.shape[0]
    for transposed, biases in found[:-1]:
        values = ca.tanh(values @ transposed + ca.repmat(biases, batch, 1))
    scores = values @ found[-1][0] + ca.repmat(found[-1][1], batch, 1)
    chosen = ca.DM(np.eye(scores.shape[1])[data["labels"]])
    normalisers = ca.log(ca.sum2(ca.exp(scores)))
    return (ca.sum1(normalisers) - ca.sum1(ca.sum2(chosen * scores))) / batch
