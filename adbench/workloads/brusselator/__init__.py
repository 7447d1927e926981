"""The Brusselator, reaction and diffusion on a periodic grid, by the Runge-Kutta method."""

from __future__ import annotations

from adbench.workloads.brusselator.workload import Brusselator

__all__ = ["WORKLOAD"]

WORKLOAD = Brusselator()
