"""A charged particle steered onto a target, nested derivatives; GradBench's module `particle`."""

from __future__ import annotations

from adbench.workloads.particle.workload import Particle

__all__ = ["WORKLOAD"]

WORKLOAD = Particle()
