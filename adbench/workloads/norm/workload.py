"""Vector normalisation: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


class Norm(ScalarWorkload):
    """Sum of weights . x / |x|, the magnitude computed anew for each element."""

    name = "norm"
    title = "vector normalisation, magnitude inside the loop"
    integers = ("n",)
    arrays = ("weights",)
    sizes = by_size(
        small=[{"n": 64}, {"n": 1024}],
        medium=[{"n": 16}, {"n": 256}, {"n": 4096}],
        full=[{"n": 16384}, {"n": 65536}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        return {"x": random.standard_normal(n), "weights": random.standard_normal(n)}

    def objective(self, inputs: Inputs) -> Array:
        x = inputs["x"]
        return np.asarray((inputs["weights"] * x).sum() / np.sqrt((x * x).sum()))

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"]
