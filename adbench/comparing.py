"""Two runs, cell by cell: ratio with interval, verdict, and what all cells together say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from adbench.errors import UsageError
from adbench.identity import machine_difference
from adbench.sources import Run
from adbench.statistics import Estimate, bootstrap_geometric_mean, bootstrap_ratio, false_discovery, mann_whitney
from adbench.store import CellKey, Row, Status

THRESHOLD = 0.05
"""Changes smaller than this are no news: layout of code and memory alone makes as much from one build to the next."""
SIGNIFICANCE = 0.01
LEAST_SAMPLES = 5


class Verdict(StrEnum):
    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class CellChange:
    """One cell of two runs. ``ratio`` is the median time after over before; above 1 is slower."""

    key: CellKey
    before: Row | None
    after: Row | None
    verdict: Verdict
    ratio: Estimate | None = None
    minima: float | None = None
    p_value: float | None = None
    why: str = ""

    @property
    def broken(self) -> bool:
        """Whether a cell that was right is wrong, fails or times out now. What is not installed here is no failure."""
        return (
            self.before is not None
            and self.before.status is Status.OK
            and self.after is not None
            and self.after.status not in {Status.OK, Status.SKIPPED}
        )


@dataclass(frozen=True)
class Comparison:
    """Everything that comparing two runs says."""

    before: Run
    after: Run
    cells: tuple[CellChange, ...]
    mean: Estimate | None
    machines: str
    """In what the machines differ; empty where the runs are of one machine."""

    @property
    def counts(self) -> Counter[Verdict]:
        return Counter(cell.verdict for cell in self.cells)

    @property
    def worse(self) -> list[CellChange]:
        """What makes the exit status 1."""
        return [cell for cell in self.cells if cell.verdict is Verdict.SLOWER or cell.broken]

    def record(self) -> dict[str, Any]:
        """All of it as JSON."""
        return {
            "before": {"run": self.before.name, "commit": self.before.commit, "file": str(self.before.path)},
            "after": {"run": self.after.name, "commit": self.after.commit, "file": str(self.after.path)},
            "machines_differ": self.machines or None,
            "geometric_mean": _record(self.mean),
            "counts": {verdict.value: self.counts[verdict] for verdict in Verdict},
            "cells": [
                {
                    **dict(zip(("workload", "case", "tool", "device"), cell.key, strict=True)),
                    "verdict": cell.verdict.value,
                    "broken": cell.broken,
                    "ratio": _record(cell.ratio),
                    "ratio_of_minima": cell.minima,
                    "p_value": cell.p_value,
                    "why": cell.why,
                }
                for cell in self.cells
            ],
        }


def _record(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "count": estimate.count}


def compare_runs(
    before: Run, after: Run, threshold: float = THRESHOLD, across_machines: bool = False, resamples: int = 2000
) -> Comparison:
    """Compare two runs; of two machines only where ``across_machines`` allows it."""
    machines = machine_difference(before.machine, after.machine)
    if machines and not across_machines:
        raise UsageError(
            "the two runs are of different machines",
            why=machines,
            hint="such times do not tell which code is faster; --across-machines compares them all the same",
        )
    rows = [{row.key: row for row in run.rows} for run in (before, after)]
    cells = [
        change_of(key, rows[0].get(key), rows[1].get(key), threshold, resamples)
        for key in dict.fromkeys([*rows[0], *rows[1]])
    ]
    cells = _discount(cells, threshold)
    ratios = [cell.ratio.value for cell in cells if cell.ratio is not None]
    mean = bootstrap_geometric_mean(ratios) if ratios else None
    return Comparison(before, after, tuple(cells), mean, machines)


def change_of(key: CellKey, before: Row | None, after: Row | None, threshold: float, resamples: int) -> CellChange:
    """One cell, with the p-value as it is; the verdict follows when all cells are known."""
    for side, row in (("before", before), ("after", after)):
        if row is None:
            return CellChange(key, before, after, Verdict.UNKNOWN, why=f"not in the run {side}")
        if row.status is not Status.OK:
            message = row.message.splitlines()[0] if row.message else ""
            why = f"{row.status.value} {side}" + (f": {message}" if message else "")
            return CellChange(key, before, after, Verdict.UNKNOWN, why=why)
    if before is None or after is None or not before.derivative_seconds or not after.derivative_seconds:
        return CellChange(key, before, after, Verdict.UNKNOWN, why="no times stored")
    minima = after.derivative_seconds / before.derivative_seconds
    old, new = (row.samples.get("derivative") or [] for row in (before, after))
    if min(len(old), len(new)) < LEAST_SAMPLES:
        why = f"{min(len(old), len(new))} samples; a verdict takes {LEAST_SAMPLES}"
        return CellChange(key, before, after, Verdict.UNKNOWN, minima=minima, why=why)
    ratio = bootstrap_ratio(new, old, resamples=resamples)
    return CellChange(key, before, after, Verdict.UNKNOWN, ratio, minima, mann_whitney(old, new))


def _discount(cells: Sequence[CellChange], threshold: float) -> list[CellChange]:
    """Verdicts, with p-values adjusted for the number of cells."""
    tested = [index for index, cell in enumerate(cells) if cell.p_value is not None]
    adjusted = false_discovery([cell.p_value for cell in cells if cell.p_value is not None])
    result = list(cells)
    for index, p_value in zip(tested, adjusted, strict=True):
        cell = cells[index]
        assert cell.ratio is not None and cell.minima is not None
        verdict, why = verdict_of(cell.ratio, cell.minima, p_value, threshold)
        result[index] = replace(cell, p_value=p_value, verdict=verdict, why=why)
    return result


def verdict_of(ratio: Estimate, minima: float, p_value: float, threshold: float) -> tuple[Verdict, str]:
    """The verdict on one cell, and the reason where there is none.

    A change counts where the medians differ by more than the threshold, the interval leaves out 1, Mann and Whitney's
    test agrees, and the minima moved the same way: a busy minute raises medians, not minima. The same are cells whose
    whole interval lies within the threshold.
    """
    limit = 1.0 + threshold
    significant = p_value < SIGNIFICANCE
    if ratio.value > limit and ratio.low > 1.0 and significant:
        if minima > 1.0 + threshold / 2:
            return Verdict.SLOWER, ""
        return Verdict.UNKNOWN, "the medians rose, the minima did not: the machine may have been busy"
    if ratio.value < 1.0 / limit and ratio.high < 1.0 and significant:
        if minima < 1.0 / (1.0 + threshold / 2):
            return Verdict.FASTER, ""
        return Verdict.UNKNOWN, "the medians fell, the minima did not: the machine may have been busy"
    if ratio.low >= 1.0 / limit and ratio.high <= limit:
        return Verdict.SAME, ""
    return Verdict.UNKNOWN, "too noisy for its number of samples"
