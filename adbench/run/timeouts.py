"""Cells that took too long, and the larger cases that need not be tried after them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from adbench.store import Row, Status
from adbench.workloads.base import Case, Workload


class Timeouts:
    """The time-outs of a run.

    A case is larger than another of its panel where no dimension is smaller and one is larger. Nothing is concluded
    between cases of which each is larger in something, or whose dimensions are unknown.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows: dict[tuple[str, str, str, str], list[Row]] = defaultdict(list)
        for row in rows:
            self.note(row)

    def note(self, row: Row) -> None:
        """Remember a row if it was tried and took too long."""
        if row.status is Status.TIMEOUT and not row.untried_after:
            self._rows[row.workload, row.panel, row.tool, row.device].append(row)

    def below(self, workload: Workload, case: Case, tool: str, device: str) -> Row | None:
        """The row of a smaller case that took this tool too long, if there is one."""
        rows = self._rows.get((workload.name, workload.panel(case), tool, device), ())
        return next((row for row in rows if is_larger(case.dimensions, row.dimensions)), None)


def is_larger(dimensions: Mapping[str, int], other: Mapping[str, int]) -> bool:
    """Whether no dimension is smaller than the other's and one is larger."""
    return (
        dimensions.keys() == other.keys()
        and dict(dimensions) != dict(other)
        and all(dimensions[name] >= size for name, size in other.items())
    )


def why_untried(row: Row) -> str:
    return f"not tried: the smaller case {row.case} took too long ({row.message})"
