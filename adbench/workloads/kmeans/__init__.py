"""k-means clustering by Newton's method; GradBench's module `kmeans`."""

from __future__ import annotations

from adbench.workloads.kmeans.workload import KMeans

__all__ = ["WORKLOAD"]

WORKLOAD = KMeans()
