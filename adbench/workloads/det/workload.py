"""A determinant by minors: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


class Determinant(ScalarWorkload):
    """The determinant of a matrix of ell rows, x row after row."""

    name = "det"
    title = "determinant by minors"
    integers = ("ell",)
    sizes = by_size(
        small=[{"ell": 5}, {"ell": 7}],
        medium=[{"ell": 6}, {"ell": 8}, {"ell": 9}],
        full=[{"ell": 10}, {"ell": 11}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        return {"x": random.standard_normal(dimensions["ell"] ** 2)}

    def objective(self, inputs: Inputs) -> Array:
        ell = int(inputs["ell"])
        return np.asarray(np.linalg.det(inputs["x"].reshape(ell, ell)))

    def problem_size(self, case: Case) -> int:
        return case.dimensions["ell"] ** 2
