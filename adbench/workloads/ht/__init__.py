"""HT: hand tracking, an articulated and skinned hand model against measured points; ADBench's dense Jacobian."""

from __future__ import annotations

from adbench.workloads.ht.workload import HT

__all__ = ["WORKLOAD"]

WORKLOAD = HT()
