"""The LSTM objective in plain numpy: shares no code with the C source, and accepts complex parameters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from adbench.workloads.base import Array, Inputs


def sigmoid(x: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


def lstm_objective(inputs: Inputs) -> Array:
    """The loss, a 0-d array."""
    main, extra, start, sequence = (
        np.asarray(inputs[name]) for name in ("main_params", "extra_params", "state", "sequence")
    )
    layers, b = len(start) // 2, sequence.shape[1]
    weights, biases = (main[index::2].reshape(layers, 4, b) for index in (0, 1))
    kind = np.result_type(main, extra)
    hidden, cells = (start[index::2].astype(kind) for index in (0, 1))
    total = np.zeros((), dtype=kind)
    for character, following in pairwise(sequence):
        x = character * extra[0]
        for layer in range(layers):
            seen = np.stack([x, hidden[layer], x, hidden[layer]])
            gates = seen * weights[layer] + biases[layer]
            forget, enter, leave = sigmoid(gates[:3])
            cells[layer] = cells[layer] * forget + enter * np.tanh(gates[3])
            x = hidden[layer] = leave * np.tanh(cells[layer])
        predicted = x * extra[1] + extra[2]
        normaliser = np.log(2.0 + np.exp(predicted).sum())
        total = total + (following * (predicted - normaliser)).sum()
    return np.asarray(-total / ((len(sequence) - 1) * b))
