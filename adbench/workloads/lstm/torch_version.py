"""The LSTM objective in torch: a loop over characters and layers, vectorised over the units of a layer."""

from __future__ import annotations

from typing import Any

import torch


def objective(inputs: dict[str, Any]) -> torch.Tensor:
    """The loss from tensors ``main_params``, ``extra_params``, ``state`` and ``sequence``."""
    extra, sequence = inputs["extra_params"], inputs["sequence"]
    layers, b = inputs["state"].shape[0] // 2, sequence.shape[1]
    weights, biases = (inputs["main_params"][index::2].reshape(layers, 4, b) for index in (0, 1))
    hidden, cells = (list(inputs["state"][index::2]) for index in (0, 1))
    predicted = []
    for character in sequence[:-1] * extra[0]:
        x = character
        for layer in range(layers):
            gates = torch.stack([x, hidden[layer], x, hidden[layer]]) * weights[layer] + biases[layer]
            forget, enter, leave = torch.sigmoid(gates[:3])
            cells[layer] = cells[layer] * forget + enter * torch.tanh(gates[3])
            x = hidden[layer] = leave * torch.tanh(cells[layer])
        predicted.append(x)
    y = torch.stack(predicted) * extra[1] + extra[2]
    normaliser = torch.log(2.0 + y.exp().sum(1, keepdim=True))
    return -(sequence[1:] * (y - normaliser)).mean()
