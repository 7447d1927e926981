"""Gauss-Seidel relaxation in place: values are overwritten that the reverse sweep needs."""

from __future__ import annotations

from adbench.workloads.relax.workload import Relax

__all__ = ["WORKLOAD"]

WORKLOAD = Relax()
