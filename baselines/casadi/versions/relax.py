"""Gauss-Seidel relaxation in CasADi: one sweep in scalars, folded over all."""

from __future__ import annotations

from typing import Any

import casadi as ca


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of u after the sweeps."""
    n, kappa = data["n"], data["kappa"]
    u, f = ca.SX.sym("u", n * n), ca.SX.sym("f", n * n)
    place = {(i, j): u[i * n + j] for i in range(n) for j in range(n)}
    for i in range(n):
        for j in range(n):
            around = sum(place.get(beside, 0.0) for beside in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)))
            place[i, j] = 0.25 * (around + f[i * n + j] - kappa * place[i, j] ** 3)
    sweep = ca.Function("sweep", [u, f], [ca.vertcat(*place.values())])
    half = n * n
    last = sweep.fold(data["sweeps"])(parameters["x"][half:], ca.repmat(parameters["x"][:half], 1, data["sweeps"]))
    return 0.5 * ca.sumsqr(last) / half
