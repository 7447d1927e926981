"""BA: bundle adjustment, reprojection errors of points seen by cameras, ADBench's problem with a sparse Jacobian."""

from __future__ import annotations

from adbench.workloads.ba.workload import BA

__all__ = ["WORKLOAD"]

WORKLOAD = BA()
