"""A small neural network in torch."""

from __future__ import annotations

from typing import Any

import torch

from adbench.workloads.network.workload import layer_sizes, layers


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """Mean cross-entropy over the batch."""
    values = inputs["data"]
    first, second, last = layers(inputs["x"], layer_sizes(inputs))
    for weights, biases in (first, second):
        values = torch.tanh(torch.nn.functional.linear(values, weights, biases))
    return torch.nn.functional.cross_entropy(torch.nn.functional.linear(values, *last), inputs["labels"].long())
