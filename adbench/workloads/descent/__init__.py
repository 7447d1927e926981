"""Gradient descent on a linear system, differentiated through its steps."""

from __future__ import annotations

from adbench.workloads.descent.workload import Descent

__all__ = ["WORKLOAD"]

WORKLOAD = Descent()
