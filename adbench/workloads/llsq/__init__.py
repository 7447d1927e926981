"""Polynomial least squares, GradBench's module `llsq`."""

from __future__ import annotations

from adbench.workloads.llsq.workload import LeastSquares

__all__ = ["WORKLOAD"]

WORKLOAD = LeastSquares()
