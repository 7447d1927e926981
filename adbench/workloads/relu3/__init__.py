"""The cubed rectifier, the first example of Moses and Churavy (2020): a branch and a power."""

from __future__ import annotations

from adbench.workloads.relu3.workload import Relu3

__all__ = ["WORKLOAD"]

WORKLOAD = Relu3()
