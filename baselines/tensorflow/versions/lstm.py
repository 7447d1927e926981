"""The LSTM objective in TensorFlow: a loop in the graph over characters, vectorised over units."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """The loss."""
    main, extra = parameters["main_params"], parameters["extra_params"]
    state, sequence = data["state"], data["sequence"]
    layers, b = state.shape[0] // 2, sequence.shape[1]
    weights, biases = (tf.reshape(main[index::2], (layers, 4, b)) for index in (0, 1))

    def step(carried: tuple[Any, Any], x: Any) -> tuple[Any, Any]:
        before, cells_before = carried
        hidden, cells = [], []
        for layer in range(layers):
            gates = tf.stack([x, before[layer], x, before[layer]]) * weights[layer] + biases[layer]
            passed = tf.sigmoid(gates[:3])
            cells.append(cells_before[layer] * passed[0] + passed[1] * tf.tanh(gates[3]))
            x = passed[2] * tf.tanh(cells[layer])
            hidden.append(x)
        return tf.stack(hidden), tf.stack(cells)

    hidden, _ = tf.scan(step, sequence[:-1] * extra[0], (state[0::2], state[1::2]))
    y = hidden[:, -1] * extra[1] + extra[2]
    normaliser = tf.math.log(2.0 + tf.reduce_sum(tf.exp(y), axis=1, keepdims=True))
    return -tf.reduce_mean(sequence[1:] * (y - normaliser))
