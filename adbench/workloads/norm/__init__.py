"""Vector normalisation with the magnitude inside the loop, the first figure of Moses and Churavy (2020)."""

from __future__ import annotations

from adbench.workloads.norm.workload import Norm

__all__ = ["WORKLOAD"]

WORKLOAD = Norm()
