"""The workloads, found by looking: every package in this folder that defines ``WORKLOAD``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from adbench.errors import UsageError
from adbench.workloads.base import Workload


@cache
def all_workloads() -> dict[str, Workload]:
    """Every workload by name, in order of name."""
    found: dict[str, Workload] = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        if not info.ispkg:
            continue
        workload = getattr(importlib.import_module(f"{__name__}.{info.name}"), "WORKLOAD", None)
        if isinstance(workload, Workload):
            found[workload.name] = workload
    return found


def get_workload(name: str) -> Workload:
    workloads = all_workloads()
    if name not in workloads:
        raise UsageError(f"there is no workload {name!r}", hint=f"known workloads: {', '.join(workloads)}")
    return workloads[name]
