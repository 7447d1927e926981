"""Matrix descent: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size

RATE = 0.2


class Descent(ScalarWorkload):
    """Half the squared residual after gradient descent; x is the first v and the matrix, row after row."""

    name = "descent"
    title = "matrix descent: the derivative through steps of gradient descent"
    integers = ("n", "steps")
    numbers = ("rate",)
    arrays = ("b",)
    sizes = by_size(
        small=[{"n": 10, "steps": 100}, {"n": 20, "steps": 100}],
        medium=[{"n": 100, "steps": 100}],
        full=[{"n": 500, "steps": 100}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        matrix = np.eye(n) + 0.3 * random.standard_normal((n, n)) / np.sqrt(n)
        x = np.concatenate([random.standard_normal(n), matrix.ravel()])
        return {"x": x, "b": random.standard_normal(n), "rate": RATE}

    def objective(self, inputs: Inputs) -> Array:
        n = int(inputs["n"])
        v, matrix = inputs["x"][:n], inputs["x"][n:].reshape(n, n)
        for _ in range(int(inputs["steps"])):
            v = v - inputs["rate"] * (matrix.T @ (matrix @ v - inputs["b"]))
        residual = matrix @ v - inputs["b"]
        return np.asarray(0.5 * (residual * residual).sum())

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"] * (case.dimensions["n"] + 1)
