"""Gauss-Seidel relaxation: cases, inputs, and the objective in numpy."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Inputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size

KAPPA = 0.1


def diagonals(n: int) -> list[tuple[Array, Array]]:
    """Rows and columns, from 1, of each antidiagonal: what one of them needs lies on others, so it moves at once."""
    found = []
    for total in range(2, 2 * n + 1):
        rows = np.arange(max(1, total - n), min(n, total - 1) + 1)
        found.append((rows, total - rows))
    return found


class Relax(ScalarWorkload):
    """Half the mean square of u after the sweeps; x is the right-hand side f and the first u, both (n, n)."""

    name = "relax"
    title = "Gauss-Seidel relaxation in place, nonlinear"
    integers = ("n", "sweeps")
    numbers = ("kappa",)
    sizes = by_size(
        small=[{"n": 8, "sweeps": 20}, {"n": 16, "sweeps": 20}],
        medium=[{"n": 32, "sweeps": 50}, {"n": 128, "sweeps": 50}],
        full=[{"n": 512, "sweeps": 50}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        return {"x": random.standard_normal(2 * dimensions["n"] ** 2), "kappa": KAPPA}

    def objective(self, inputs: Inputs) -> Array:
        n, kappa = int(inputs["n"]), inputs["kappa"]
        f, u = np.pad(inputs["x"].reshape(2, n, n), ((0, 0), (1, 1), (1, 1)))
        places = diagonals(n)
        for _ in range(int(inputs["sweeps"])):
            # Row after row and antidiagonal after antidiagonal meet every neighbour in the same state.
            for i, j in places:
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                u[i, j] = 0.25 * (around + f[i, j] - kappa * u[i, j] ** 3)
        return np.asarray(0.5 * (u * u).sum() / (n * n))

    def problem_size(self, case: Case) -> int:
        return 2 * case.dimensions["n"] ** 2
