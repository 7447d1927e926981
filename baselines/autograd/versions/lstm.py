"""The LSTM objective in autograd: a loop over characters and layers, vectorised over units."""

from __future__ import annotations

from typing import Any

import autograd.numpy as np


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The loss."""
    main, extra, sequence = parameters["main_params"], parameters["extra_params"], data["sequence"]
    layers, b = len(data["state"]) // 2, sequence.shape[1]
    # Taken apart once: each time something is taken out of an array, the way back makes an array of that size.
    weights, biases = ([np.reshape(main[2 * layer + part], (4, b)) for layer in range(layers)] for part in (0, 1))
    scale = extra[0]
    hidden, cells = (list(data["state"][index::2]) for index in (0, 1))
    predicted = []
    for character in sequence[:-1]:
        x = character * scale
        for layer in range(layers):
            gates = np.stack([x, hidden[layer], x, hidden[layer]]) * weights[layer] + biases[layer]
            passed = 1.0 / (1.0 + np.exp(-gates[:3]))
            cells[layer] = cells[layer] * passed[0] + passed[1] * np.tanh(gates[3])
            x = hidden[layer] = passed[2] * np.tanh(cells[layer])
        predicted.append(x)
    y = np.stack(predicted) * extra[1] + extra[2]
    normaliser = np.log(2.0 + np.sum(np.exp(y), axis=1, keepdims=True))
    return -np.mean(sequence[1:] * (y - normaliser))
