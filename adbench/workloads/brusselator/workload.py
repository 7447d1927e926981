"""The Brusselator: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size
from adbench.workloads.steps import runge_kutta

STEP = 0.01
RATES = (3.4, 1.0, 4e-4)
"""A, B and alpha."""
START = 0.1025
"""When the forcing starts: between two stages, so that rounding cannot decide."""


def forcing(n: int, t: float) -> Array:
    """5 inside the circle of radius 0.1 around (0.3, 0.6) from ``START`` on, else 0; shape (n, n)."""
    place = np.arange(n) / n
    inside = np.square(place - 0.3)[:, None] + np.square(place - 0.6)[None, :] <= 0.01
    return np.where(inside & (t >= START), 5.0, 0.0)


class Brusselator(ScalarWorkload):
    """Half the mean square of the last state; x is A, B, alpha and the first u and v, both (n, n)."""

    name = "brusselator"
    title = "Brusselator on a 2-D grid, reaction and diffusion, Runge-Kutta"
    integers = ("n", "steps")
    numbers = ("h",)
    sizes = by_size(
        small=[{"n": 8, "steps": 20}, {"n": 16, "steps": 20}],
        medium=[{"n": 32, "steps": 50}, {"n": 64, "steps": 50}],
        full=[{"n": 128, "steps": 100}, {"n": 256, "steps": 100}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        bump = np.power(np.arange(n) / n * (1.0 - np.arange(n) / n), 1.5)
        u = np.tile(22.0 * bump, (n, 1)) * (1.0 + 0.01 * random.standard_normal((n, n)))
        v = np.tile(27.0 * bump[:, None], (1, n)) * (1.0 + 0.01 * random.standard_normal((n, n)))
        return {"x": np.concatenate([RATES, u.ravel(), v.ravel()]), "h": STEP}

    def objective(self, inputs: Inputs) -> Array:
        n = int(inputs["n"])
        a, b, alpha = inputs["x"][:3]

        def spread(field: Array) -> Array:
            moved = [np.roll(field, shift, axis) for axis in (0, 1) for shift in (1, -1)]
            return np.asarray(alpha * n * n * (sum(moved) - 4.0 * field))

        def slope(t: float, state: Array) -> Array:
            u, v = state
            reaction = u * u * v
            return np.stack([b + reaction - (a + 1.0) * u + spread(u) + forcing(n, t), a * u - reaction + spread(v)])

        state = runge_kutta(slope, inputs["x"][3:].reshape(2, n, n), int(inputs["steps"]), float(inputs["h"]))
        return np.asarray(0.5 * (state * state).mean())

    def problem_size(self, case: Case) -> int:
        return 3 + 2 * case.dimensions["n"] ** 2
