"""The classical Runge-Kutta method on Lorenz's system of 1996."""

from __future__ import annotations

from adbench.workloads.rk4.workload import RungeKutta

__all__ = ["WORKLOAD"]

WORKLOAD = RungeKutta()
