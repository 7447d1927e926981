"""The Brusselator in CasADi: a fold over steps, each over whole grids."""

from __future__ import annotations

from typing import Any

import casadi as ca

from adbench.workloads.brusselator.workload import START, forcing
from adbench.workloads.steps import runge_kutta_step
from baselines.casadi.versions.steps import repeat


def objective(parameters: dict[str, Any], data: dict[str, Any]) -> Any:
    """Half the mean square of the last state."""
    n, x, h = data["n"], parameters["x"], data["h"]
    forward, back = [(i + 1) % n for i in range(n)], [(i - 1) % n for i in range(n)]
    circle = ca.DM(forcing(n, 1.0).T)

    def spread(u: Any) -> Any:
        return u[forward, :] + u[back, :] + u[:, forward] + u[:, back] - 4.0 * u

    def slope(rates: Any) -> Any:
        a, b, alpha = rates[0], rates[1], rates[2] * (n * n)

        def found(t: Any, state: Any) -> Any:
            u, v = state[:n, :], state[n:, :]
            reaction = u * u * v
            du = b + reaction - (a + 1.0) * u + alpha * spread(u) + ca.if_else(t >= START, circle, 0.0)
            return ca.vertcat(du, a * u - reaction + alpha * spread(v))

        return found

    def step(state: Any, rates: Any) -> Any:
        # The time goes with the state, in a row of its own.
        number, y = state[-1, 0], state[:-1, :]
        moved = runge_kutta_step(slope(rates), number * h, y, h)
        return ca.vertcat(moved, state[-1, :] + 1.0)

    # Rows of the grids are columns here; nothing but the circle tells the two apart.
    first = ca.vertcat(ca.reshape(x[3 : 3 + n * n], n, n), ca.reshape(x[3 + n * n :], n, n), ca.MX.zeros(1, n))
    return 0.5 * ca.sumsqr(repeat(step, first, data["steps"], x[:3])[:-1, :]) / (2 * n * n)
