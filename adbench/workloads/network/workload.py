"""A small neural network: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


def layer_sizes(dimensions: Dimensions) -> list[tuple[int, int]]:
    """(inputs, outputs) of each layer."""
    hidden = dimensions["hidden"]
    return [(dimensions["inputs"], hidden), (hidden, hidden), (hidden, dimensions["classes"])]


def layers(x: Array, sizes: list[tuple[int, int]]) -> list[tuple[Array, Array]]:
    """The weight matrix (outputs, inputs) and the biases of each layer; x is an array of any framework."""
    found, start = [], 0
    for inputs, outputs in sizes:
        middle, end = start + inputs * outputs, start + (inputs + 1) * outputs
        found.append((x[start:middle].reshape(outputs, inputs), x[middle:end]))
        start = end
    return found


class Network(ScalarWorkload):
    """Mean cross-entropy of a network with two hidden layers of tanh; x holds weights and biases, layer after layer."""

    name = "network"
    title = "small neural network: two hidden layers, cross-entropy"
    integers = ("batch", "inputs", "hidden", "classes")
    arrays = ("data", "labels")
    sizes = by_size(
        small=[
            {"batch": 32, "inputs": 8, "hidden": 8, "classes": 3},
            {"batch": 64, "inputs": 16, "hidden": 16, "classes": 10},
        ],
        medium=[{"batch": 64, "inputs": 64, "hidden": 64, "classes": 10}],
        full=[{"batch": 64, "inputs": 784, "hidden": 128, "classes": 10}],
    )

    def case_name(self, dimensions: Dimensions) -> str:
        widths = [dimensions["inputs"], dimensions["hidden"], dimensions["hidden"], dimensions["classes"]]
        return "-".join(map(str, widths)) + f"_n{dimensions['batch']}"

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        parts = []
        for inputs, outputs in layer_sizes(dimensions):
            parts += [random.standard_normal(inputs * outputs) / np.sqrt(inputs), 0.1 * random.standard_normal(outputs)]
        return {
            "x": np.concatenate(parts),
            "data": random.standard_normal((dimensions["batch"], dimensions["inputs"])),
            "labels": random.integers(0, dimensions["classes"], dimensions["batch"]),
        }

    def objective(self, inputs: Inputs) -> Array:
        values = inputs["data"]
        first, second, last = layers(inputs["x"], layer_sizes(inputs))
        for weights, biases in (first, second):
            values = np.tanh(values @ weights.T + biases)
        scores = values @ last[0].T + last[1]
        largest = scores.real.max(axis=1, keepdims=True)
        normaliser = np.log(np.exp(scores - largest).sum(axis=1)) + largest[:, 0]
        labels = np.asarray(inputs["labels"], dtype=np.intp)
        return np.asarray((normaliser - scores[np.arange(len(labels)), labels]).mean())

    def problem_size(self, case: Case) -> int:
        return sum((inputs + 1) * outputs for inputs, outputs in layer_sizes(case.dimensions))
