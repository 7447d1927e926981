"""The fast Fourier transform, recursive and iterative."""

from __future__ import annotations

from adbench.workloads.fft.workload import Fft

__all__ = ["WORKLOAD"]

WORKLOAD = Fft()
