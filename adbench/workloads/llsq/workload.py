"""Polynomial least squares: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


class LeastSquares(ScalarWorkload):
    """Half the squared distance of a polynomial with m coefficients from the sign function at n points."""

    name = "llsq"
    title = "polynomial least squares"
    integers = ("n", "m")
    sizes = by_size(
        small=[{"n": 64, "m": 16}, {"n": 1024, "m": 32}],
        medium=[{"n": 1024, "m": 64}, {"n": 4096, "m": 64}, {"n": 4096, "m": 128}],
        full=[{"n": 16384, "m": 128}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        return {"x": random.standard_normal(dimensions["m"])}

    def objective(self, inputs: Inputs) -> Array:
        t = np.linspace(-1.0, 1.0, int(inputs["n"]))
        residual = np.sign(t) - np.vander(t, len(inputs["x"]), increasing=True) @ inputs["x"]
        return np.asarray(0.5 * (residual * residual).sum())

    def problem_size(self, case: Case) -> int:
        return case.dimensions["m"]
