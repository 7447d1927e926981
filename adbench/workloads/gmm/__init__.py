"""GMM: log posterior of a Gaussian mixture with a Wishart prior, ADBench's first problem."""

from __future__ import annotations

from adbench.workloads.gmm.workload import GMM

__all__ = ["WORKLOAD"]

WORKLOAD = GMM()
