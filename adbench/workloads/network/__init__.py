"""A small neural network: two hidden layers and a cross-entropy loss."""

from __future__ import annotations

from adbench.workloads.network.workload import Network

__all__ = ["WORKLOAD"]

WORKLOAD = Network()
