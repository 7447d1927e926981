"""A chain of products integrated by the Runge-Kutta method, GradBench's module `ode`."""

from __future__ import annotations

from adbench.workloads.ode.workload import Ode

__all__ = ["WORKLOAD"]

WORKLOAD = Ode()
