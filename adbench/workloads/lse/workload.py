"""logsumexp: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


class LogSumExp(ScalarWorkload):
    """log(sum(exp(x)))."""

    name = "lse"
    title = "logsumexp"
    integers = ("n",)
    sizes = by_size(
        small=[{"n": 100}, {"n": 1000}],
        medium=[{"n": 10_000}, {"n": 100_000}],
        full=[{"n": 1_000_000}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        return {"x": 3.0 * random.standard_normal(dimensions["n"])}

    def objective(self, inputs: Inputs) -> Array:
        x = inputs["x"]
        largest = x.real.max()
        return np.asarray(np.log(np.exp(x - largest).sum()) + largest)

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"]
