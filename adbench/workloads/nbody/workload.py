"""Gravitating bodies: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size

STEP = 0.001
SOFTENING = 0.01


class NBody(ScalarWorkload):
    """A weighted sum of the last places; x holds places and speeds, both (n, 3)."""

    name = "nbody"
    title = "n-body, softened gravity, symplectic Euler"
    size_label = "bodies times steps"
    integers = ("n", "steps")
    numbers = ("h",)
    arrays = ("masses", "weights")
    sizes = by_size(
        small=[{"n": 5, "steps": 200}, {"n": 20, "steps": 50}],
        medium=[{"n": 5, "steps": 10_000}, {"n": 100, "steps": 50}],
        full=[{"n": 500, "steps": 50}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        return {
            "x": random.standard_normal(6 * n),
            "masses": 0.5 + random.random(n),
            "weights": random.standard_normal(3 * n),
            "h": STEP,
        }

    def objective(self, inputs: Inputs) -> Array:
        place, speed = inputs["x"].reshape(2, -1, 3)
        h = float(inputs["h"])
        for _ in range(int(inputs["steps"])):
            apart = place[None, :, :] - place[:, None, :]
            square = (apart * apart).sum(axis=2) + SOFTENING
            speed = speed + h * np.einsum("j,ij,ijc->ic", inputs["masses"], square**-1.5, apart)
            place = place + h * speed
        return np.asarray((inputs["weights"] * place.ravel()).sum())

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"] * case.dimensions["steps"]
