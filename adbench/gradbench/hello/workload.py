"""The square of a number and its derivative."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


class Hello(ScalarWorkload):
    """x^2. Runs do not have it: there is nothing to measure."""

    name = "hello"
    title = "a square"
    integers = ("n",)
    sizes = by_size(small=[{"n": 1}])

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        return {"x": random.standard_normal(dimensions["n"])}

    def objective(self, inputs: Inputs) -> Array:
        return np.asarray((inputs["x"] * inputs["x"]).sum())

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"]
