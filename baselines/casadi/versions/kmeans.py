"""k-means in CasADi: the gradient, and forward mode over it."""

from __future__ import annotations

import functools
from typing import Any

import casadi as ca


def cost(x: Any, data: dict[str, Any]) -> Any:
    """The cost, one centroid after the other, each with all points."""
    points, d = data["points"], data["d"]
    centroids = [x[start : start + d].T for start in range(0, x.shape[0], d)]
    apart = (points - ca.repmat(centroid, points.shape[0], 1) for centroid in centroids)
    return ca.sum1(functools.reduce(ca.fmin, (ca.sum2(part**2) for part in apart)))


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Squared distances from the nearest centroid."""
    return cost(parameters["x"], data)


def jacobian(parameters: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The Newton direction: the gradient over the Hessian's product with ones, which is its diagonal."""
    x = parameters["x"]
    gradient = ca.gradient(cost(x, data), x)
    return {"x": gradient / ca.jtimes(gradient, x, ca.MX.ones(x.shape[0]))}


def shaped(results: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """A column as the vector it is."""
    return {"x": results["x"].ravel()}
