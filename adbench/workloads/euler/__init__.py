"""Euler's method on a linear system with constant coefficients."""

from __future__ import annotations

from adbench.workloads.euler.workload import Euler

__all__ = ["WORKLOAD"]

WORKLOAD = Euler()
