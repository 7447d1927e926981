"""k-means: cases, inputs, the objective in numpy, and what its Newton direction is checked by."""

from __future__ import annotations

import numpy as np

from adbench.workloads.base import Array, Case, Columns, Inputs, Outputs
from adbench.workloads.scalar import Dimensions, ScalarWorkload, by_size

CHUNK = 1 << 12
"""Points taken at a time, so that memory stays small."""


def nearest(inputs: Inputs) -> Array:
    """The number of each point's nearest centroid."""
    points = inputs["points"]
    centroids = inputs["x"].real.reshape(-1, points.shape[1])
    parts = []
    for start in range(0, len(points), CHUNK):
        apart = points[start : start + CHUNK, None, :] - centroids[None, :, :]
        parts.append((apart * apart).sum(axis=2).argmin(axis=1))
    return np.concatenate(parts)


def hessian_diagonal(inputs: Inputs) -> Array:
    """Second derivatives of the cost by each coordinate: twice the number of the centroid's points."""
    d = inputs["points"].shape[1]
    counts = np.bincount(nearest(inputs), minlength=len(inputs["x"]) // d)
    return np.repeat(2.0 * counts, d)


class KMeans(ScalarWorkload):
    """Squared distances from the nearest centroid; the derivative is the Newton direction, shaped like x."""

    name = "kmeans"
    title = "k-means, Newton direction by forward over reverse mode"
    integers = ("n", "k", "d")
    arrays = ("points",)
    sizes = by_size(
        small=[{"n": 500, "k": 5, "d": 4}, {"n": 1000, "k": 10, "d": 8}],
        medium=[{"n": 10_000, "k": 10, "d": 64}, {"n": 50_000, "k": 10, "d": 8}],
        full=[{"n": 100_000, "k": 100, "d": 64}],
    )

    def make_inputs(self, dimensions: Dimensions, random: np.random.Generator) -> Inputs:
        n, k, d = (dimensions[name] for name in ("n", "k", "d"))
        points = random.standard_normal((n, d))
        # Near points of theirs, so that no cluster is empty.
        chosen = points[random.choice(n, k, replace=False)] + 1e-3 * random.standard_normal((k, d))
        return {"x": chosen.ravel(), "points": points}

    def objective(self, inputs: Inputs) -> Array:
        points = inputs["points"]
        apart = points - inputs["x"].reshape(-1, points.shape[1])[nearest(inputs)]
        return np.asarray((apart * apart).sum())

    def problem_size(self, case: Case) -> int:
        return case.dimensions["k"] * case.dimensions["d"]

    def jvp(self, inputs: Inputs, jacobian: Outputs, direction: Outputs) -> Array:
        """The gradient, which the Newton direction is once the Hessian is taken back, times a direction."""
        return np.asarray(float((jacobian["x"] * hessian_diagonal(inputs) * direction["x"]).sum()))

    def columns(self, inputs: Inputs) -> list[Columns]:
        """None: first differences give no Newton direction."""
        return []
