"""The saddle point: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.nestings import NESTINGS, nesting_name
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size

SMALL = 1e-5


def ascend() -> tuple[float, float]:
    """Where gradient ascent from (1, 1) ends; the first player moves the values that it compares, not their order."""
    x = np.ones(2)
    step, successes = SMALL, 0
    while True:
        gradient = 2.0 * x
        if np.sqrt((gradient * gradient).sum()) <= SMALL:
            break
        if successes == 10:
            step, successes = 2.0 * step, 0
        moved = x - step * gradient
        if np.sqrt(((moved - x) ** 2).sum()) <= SMALL:
            break
        if (moved * moved).sum() < (x * x).sum():
            x, successes = moved, successes + 1
        else:
            step, successes = 0.5 * step, 0
    return float(x[0]), float(x[1])


class Saddle(ScalarWorkload):
    """The largest value over (x2, y2) of (x1^2 + y1^2) - (x2^2 + y2^2) by gradient ascent; x is (x1, y1)."""

    name = "saddle"
    title = "saddle point by nested optimisation, all four nestings"
    integers = ("outer", "inner")
    sizes = by_size(small=NESTINGS)

    def case_name(self, dimensions: Dimensions) -> str:
        return nesting_name(dimensions)

    def panel(self, case: Case) -> str:
        return nesting_name(case.dimensions)

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        return {"x": 0.5 + random.random(2)}

    def objective(self, inputs: Inputs) -> Array:
        x, second = inputs["x"], np.array(ascend())
        return np.asarray((x * x).sum() - (second * second).sum())

    def problem_size(self, case: Case) -> int:
        return 2

    def solution_shape(self, inputs: Inputs) -> tuple[int, ...]:
        return (4,)
