"""A small neural network in TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from adbench.workloads.network.workload import layer_sizes


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Mean cross-entropy over the batch."""
    values, x, start, found = data["data"], parameters["x"], 0, []
    for inputs, outputs in layer_sizes(data):
        middle, end = start + inputs * outputs, start + (inputs + 1) * outputs
        found.append((tf.reshape(x[start:middle], (outputs, inputs)), x[middle:end]))
        start = end
    for weights, biases in found[:-1]:
        values = tf.tanh(tf.matmul(values, weights, transpose_b=True) + biases)
    scores = tf.matmul(values, found[-1][0], transpose_b=True) + found[-1][1]
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(data["labels"], scores))
