"""The cubed rectifier: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


class Relu3(ScalarWorkload):
    """Sum of weights . max(x, 0)^3."""

    name = "relu3"
    title = "cubed rectifier: a branch and a power"
    integers = ("n",)
    arrays = ("weights",)
    sizes = by_size(
        small=[{"n": 100}, {"n": 1000}],
        medium=[{"n": 10_000}],
        full=[{"n": 1_000_000}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        return {"x": random.standard_normal(n), "weights": random.standard_normal(n)}

    def objective(self, inputs: Inputs) -> Array:
        x = inputs["x"]
        return np.asarray((inputs["weights"] * np.where(x.real > 0.0, x * x * x, 0.0)).sum())

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"]
