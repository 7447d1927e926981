"""A saddle point by nested optimisation; GradBench's module `saddle`."""

from __future__ import annotations

from adbench.workloads.saddle.workload import Saddle

__all__ = ["WORKLOAD"]

WORKLOAD = Saddle()
