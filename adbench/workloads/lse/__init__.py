"""log(sum(exp(x))), GradBench's module `lse`."""

from __future__ import annotations

from adbench.workloads.lse.workload import LogSumExp

__all__ = ["WORKLOAD"]

WORKLOAD = LogSumExp()
