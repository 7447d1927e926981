"""A determinant by expansion in minors, GradBench's module `det`."""

from __future__ import annotations

from adbench.workloads.det.workload import Determinant

__all__ = ["WORKLOAD"]

WORKLOAD = Determinant()
