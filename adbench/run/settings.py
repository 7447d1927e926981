"""What a run is asked to do."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adbench.measuring import RunPlan
from adbench.store import Row
from adbench.tools.base import Tool
from adbench.workloads.base import Case, Size, Workload

ROUNDS = 3
"""Each case is measured in this many rounds over all its tools, so that a slow minute hits them alike."""


@dataclass(frozen=True)
class Settings:
    """The options of ``run``, resolved."""

    workloads: tuple[Workload, ...]
    tools: tuple[Tool, ...]
    size: Size | None = None
    device: str = "cpu"
    out: Path = Path("results")
    plan: RunPlan = field(default_factory=RunPlan)
    timeout: float = 120.0
    seed: int = 1
    resume: bool = False
    data: Path | None = None
    try_all: bool = False
    """Try a case although a smaller one took the same tool too long."""
    most_cases: int | None = None
    """How many cases of each panel are run; None: all."""

    def cases(self, workload: Workload) -> list[Case]:
        """The cases of a workload: its data files if a folder was named, else the generated ones."""
        if self.data is not None:
            found = workload.data_cases(self.data, self.effective_size)
        else:
            found = workload.cases(self.effective_size or Size.SMALL)
        return found if self.most_cases is None else spread(workload, found, self.most_cases)

    @property
    def effective_size(self) -> Size | None:
        """The size class that limits the cases; None where data files are run whatever their size."""
        return self.size or (None if self.data is not None else Size.SMALL)

    def in_order(self, rows: Iterable[Row]) -> list[Row]:
        """Rows in the order of workloads, cases and tools, whatever order an interrupted run wrote them in."""
        places: dict[str, list[str]] = {
            workload.name: [case.name for case in self.cases(workload)] for workload in self.workloads
        }
        workloads, tools = list(places), [tool.name for tool in self.tools]

        def place(names: list[str], name: str) -> int:
            return names.index(name) if name in names else len(names)

        return sorted(
            rows,
            key=lambda row: (
                place(workloads, row.workload),
                place(places.get(row.workload, []), row.case),
                place(tools, row.tool),
            ),
        )

    def requires(self) -> list[str]:
        """What the tools import, so that its versions are recorded."""
        return list(dict.fromkeys(name for tool in self.tools for name in tool.requires if isinstance(name, str)))

    def record(self) -> dict[str, Any]:
        """The settings as the header of a results file states them."""
        return {
            "workloads": [workload.name for workload in self.workloads],
            "tools": [tool.name for tool in self.tools],
            "commands": {tool.name: shlex.join(tool.command) for tool in self.tools if tool.command},
            "size": self.effective_size and self.effective_size.value,
            "device": self.device,
            "min_runs": self.plan.min_runs,
            "min_seconds": self.plan.min_seconds,
            "max_seconds": self.plan.max_seconds,
            "rounds": ROUNDS,
            "timeout": self.timeout,
            "seed": self.seed,
            "data": None if self.data is None else str(self.data),
            "try_all": self.try_all,
            "most_cases": self.most_cases,
        }


def spread(workload: Workload, cases: list[Case], most: int) -> list[Case]:
    """At most so many cases of each panel, from the smallest to the largest at even steps; in their own order."""
    panels: dict[str, list[Case]] = {}
    for case in cases:
        panels.setdefault(workload.panel(case), []).append(case)
    chosen: set[str] = set()
    for members in panels.values():
        members.sort(key=lambda case: (workload.problem_size(case), math.prod(case.dimensions.values())))
        count = min(most, len(members))
        chosen |= {members[round(place * (len(members) - 1) / max(1, count - 1))].name for place in range(count)}
    return [case for case in cases if case.name in chosen]
