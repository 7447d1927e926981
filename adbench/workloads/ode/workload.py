"""GradBench's chain of products: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size
from adbench.workloads.steps import runge_kutta

END = 2.0
"""The time that is integrated to."""


def solve(x: Array, steps: int) -> Array:
    """The whole state at the end."""

    def slope(_: float, y: Array) -> Array:
        return np.asarray(x * np.concatenate([[1.0], y[:-1]]))

    return np.asarray(runge_kutta(slope, np.zeros_like(x), steps, END / steps))


class Ode(ScalarWorkload):
    """The last component at time 2 of y_0' = x_0, y_i' = x_i y_{i-1}."""

    name = "ode"
    title = "chain of products by Runge-Kutta (GradBench's ode)"
    size_label = "components times steps"
    integers = ("n", "s")
    sizes = by_size(
        small=[{"n": 10, "s": 100}, {"n": 100, "s": 100}],
        medium=[{"n": 100, "s": 1000}, {"n": 1000, "s": 100}],
        full=[{"n": 1000, "s": 1000}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        # Near (i + 1) / 2, so that the solution's components, products over factorials, stay of order one.
        return {"x": (np.arange(n) + 1.0) / 2.0 * (0.9 + 0.2 * random.random(n))}

    def objective(self, inputs: Inputs) -> Array:
        return np.asarray(solve(inputs["x"], int(inputs["s"]))[-1])

    def solution_shape(self, inputs: Inputs) -> tuple[int, ...]:
        return (int(inputs["n"]),)

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"] * case.dimensions["s"]
