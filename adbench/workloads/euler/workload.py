"""Euler's method: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size

END = 1.0
"""The time that is integrated to."""


class Euler(ScalarWorkload):
    """Half the squared length of the last state of y' = A y; x is the first state and A, row after row."""

    name = "euler"
    title = "Euler's method, constant coefficients, fixed step"
    size_label = "components times steps"
    integers = ("n", "steps")
    numbers = ("h",)
    sizes = by_size(
        small=[{"n": 1, "steps": 10_000}, {"n": 8, "steps": 1000}],
        medium=[{"n": 1, "steps": 100_000}, {"n": 2, "steps": 10_000}, {"n": 32, "steps": 1000}],
        full=[{"n": 128, "steps": 1000}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n = dimensions["n"]
        coefficients = 0.5 * random.standard_normal((n, n)) / np.sqrt(n) - 1.2 * np.eye(n)
        x = np.concatenate([1.0 + random.random(n), coefficients.ravel()])
        return {"x": x, "h": END / dimensions["steps"]}

    def objective(self, inputs: Inputs) -> Array:
        n, steps = int(inputs["n"]), int(inputs["steps"])
        state, coefficients = inputs["x"][:n], inputs["x"][n:].reshape(n, n)
        if n == 1:
            factor, first = complex(1.0 + inputs["h"] * coefficients[0, 0]), complex(state[0])
            last = np.array([first * _power(factor, steps)])
            state = last if np.iscomplexobj(state) else last.real
        else:
            for _ in range(steps):
                state = state + inputs["h"] * (coefficients @ state)
        return np.asarray(0.5 * (state * state).sum())

    def problem_size(self, case: Case) -> int:
        return case.dimensions["n"] * case.dimensions["steps"]

    def panel(self, case: Case) -> str:
        return "one component" if case.dimensions["n"] == 1 else "systems"


def _power(factor: complex, exponent: int) -> complex:
    """factor^exponent by squaring: the product that Euler's method forms step by step, in closed form."""
    result = complex(1.0)
    while exponent:
        if exponent & 1:
            result *= factor
        factor *= factor
        exponent >>= 1
    return result
