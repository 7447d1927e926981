"""Gravitating bodies, integrated step by step."""

from __future__ import annotations

from adbench.workloads.nbody.workload import NBody

__all__ = ["WORKLOAD"]

WORKLOAD = NBody()
