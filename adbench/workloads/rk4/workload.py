"""The classical Runge-Kutta method: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size
from adbench.workloads.steps import runge_kutta

STEP = 0.005


class RungeKutta(ScalarWorkload):
    """Half the mean square of the last state of Lorenz's system; x is the first state and the forcing."""

    name = "rk4"
    title = "classical Runge-Kutta method, fixed step"
    size_label = "components times steps"
    integers = ("n", "steps")
    numbers = ("h",)
    sizes = by_size(
        small=[{"n": 8, "steps": 200}, {"n": 40, "steps": 200}],
        medium=[{"n": 40, "steps": 1000}, {"n": 400, "steps": 200}],
        full=[{"n": 4000, "steps": 200}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        return {"x": np.concatenate([random.standard_normal(n), 4.0 + random.random(n)]), "h": STEP}

    def objective(self, inputs: Inputs) -> Array:
        n = int(inputs["n"])
        state, forcing = inputs["x"][:n], inputs["x"][n:]

        def slope(_: float, y: Array) -> Array:
            return np.asarray((np.roll(y, -1) - np.roll(y, 2)) * np.roll(y, 1) - y + forcing)

        state = runge_kutta(slope, state, int(inputs["steps"]), float(inputs["h"]))
        return np.asarray(0.5 * (state * state).sum() / n)

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"] * case.dimensions["steps"]
