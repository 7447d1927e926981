"""The charged particle: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.nestings import NESTINGS, nesting_name
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size


class Particle(ScalarWorkload):
    """The square of the place where the particle crosses the axis; x is the control."""

    name = "particle"
    title = "charged particle: nested derivatives, all four nestings"
    size_label = "steps per unit of time"
    integers = ("outer", "inner")
    numbers = ("h",)
    sizes = by_size(
        small=[{**nesting, "rate": 10} for nesting in NESTINGS],
        medium=[{**nesting, "rate": 1000} for nesting in NESTINGS],
        full=[{**nesting, "rate": 100_000} for nesting in NESTINGS],
    )

    def case_name(self, dimensions: Dimensions) -> str:
        return f"{nesting_name(dimensions)}_rate{dimensions['rate']}"

    def panel(self, case: Case) -> str:
        return nesting_name(case.dimensions)

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        return {"x": 0.2 * random.random(1), "h": 1.0 / dimensions["rate"]}

    def objective(self, inputs: Inputs) -> Array:
        w, h = complex(inputs["x"][0]), float(inputs["h"])
        x, y, fast, down = 0j, 8 + 0j, 0.75 + 0j, 0j
        while (y + h * down).real > 0.0:
            first = ((x - 10.0) ** 2 + (y - 10.0 + w) ** 2) ** -1.5
            second = ((x - 10.0) ** 2 + y**2) ** -1.5
            push_x, push_y = (x - 10.0) * (first + second), (y - 10.0 + w) * first + y * second
            x, y = x + h * fast, y + h * down
            fast, down = fast + h * push_x, down + h * push_y
        value = (x - y / down * fast) ** 2
        return np.asarray(value if np.iscomplexobj(inputs["x"]) else value.real)

    def problem_size(self, case: Case) -> int:
        return case.dimensions["rate"]

    def solution_shape(self, inputs: Inputs) -> tuple[int, ...]:
        return (1,)
