"""Cells over many runs: their values on each machine, steps, what noise explains, and what deserves an alarm."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from adbench.sources import Run
from adbench.steps import Band, Prior, Step, noise_band, noise_prior, pieces_of, residual_variance, steps_of
from adbench.store import CellKey, Row, Status

FALSE_ALARMS = 0.05
"""The chance that a history without any change raises an alarm, over all its cells together."""
THRESHOLD = 0.02
"""Slowdowns smaller than this share raise no alarm, however sure they are."""

BAD = frozenset({Status.WRONG, Status.ERROR, Status.TIMEOUT})


class Statistic(StrEnum):
    """Which number stands for the samples of one run."""

    AUTO = "auto"
    MINIMUM = "minimum"
    MEDIAN = "median"


@dataclass(frozen=True)
class Point:
    """A cell in one run: ``run`` counts the runs from the oldest. ``seconds`` is None where it was not right."""

    run: int
    row: Row
    seconds: float | None
    machine: int


@dataclass(frozen=True)
class Stretch:
    """The right results of a cell on one machine, the levels they vary about and the steps between those."""

    points: tuple[Point, ...]
    steps: tuple[Step, ...]
    levels: tuple[float, ...]
    """Of each point."""
    band: Band | None
    """From the points of the newest level."""


@dataclass(frozen=True)
class CellHistory:
    """All that is known of one cell."""

    key: CellKey
    points: tuple[Point, ...]
    stretches: tuple[Stretch, ...]
    """One for each machine."""

    @property
    def newest(self) -> Point:
        return self.points[-1]

    def stretch_of(self, machine: int) -> Stretch | None:
        return next((one for one in self.stretches if one.points and one.points[0].machine == machine), None)

    @property
    def current(self) -> Stretch | None:
        """The stretch on the machine of the newest point."""
        return self.stretch_of(self.newest.machine)


@dataclass(frozen=True)
class Alert:
    """A cell that is slower than it was, or was right and is not. ``since`` is the first run of which that is true."""

    kind: str
    key: CellKey
    since: int
    previous: int
    before: float | None
    after: float | None
    p_value: float | None
    new: bool
    """Whether the newest run showed it first."""
    message: str

    @property
    def ratio(self) -> float | None:
        return self.after / self.before if self.before and self.after else None


class History:
    """Runs, oldest first, and what they say about each cell."""

    def __init__(
        self,
        runs: Sequence[Run],
        statistic: Statistic = Statistic.AUTO,
        false_alarms: float = FALSE_ALARMS,
        threshold: float = THRESHOLD,
    ) -> None:
        self.runs = tuple(runs)
        self.false_alarms = false_alarms
        self.threshold = threshold
        keys = [run.machine_key for run in runs]
        self.machines = list(dict.fromkeys(keys))
        self._machine_of = [self.machines.index(key) for key in keys]
        self._rows: dict[CellKey, list[tuple[int, Row]]] = {}
        for number, run in enumerate(self.runs):
            for row in run.rows:
                self._rows.setdefault(row.key, []).append((number, row))
        self.statistic = self._quieter() if statistic is Statistic.AUTO else statistic

    def _values(self, statistic: Statistic) -> list[list[float]]:
        """Every series of one cell on one machine."""
        result: list[list[float]] = []
        for rows in self._rows.values():
            by_machine: dict[int, list[float]] = {}
            for number, row in rows:
                value = seconds_of(row, statistic)
                if value is not None:
                    by_machine.setdefault(self._machine_of[number], []).append(value)
            result += by_machine.values()
        return result

    def _quieter(self) -> Statistic:
        """Minimum, unless medians vary clearly less from run to run: less noise shows smaller changes."""

        def noise(statistic: Statistic) -> float | None:
            known = [variance for variance, d in map(residual_variance, self._values(statistic)) if d >= 4]
            return statistics.median(known) if known else None

        least, median = noise(Statistic.MINIMUM), noise(Statistic.MEDIAN)
        quieter = least is not None and median is not None and median < 0.8 * least
        return Statistic.MEDIAN if quieter else Statistic.MINIMUM

    @cached_property
    def prior(self) -> Prior | None:
        return noise_prior(self._values(self.statistic))

    @property
    def significance(self) -> float:
        """What a step's p-value must be below: the chance of a false alarm, divided among the cells."""
        return self.false_alarms / max(1, len(self._rows))

    @cached_property
    def cells(self) -> dict[CellKey, CellHistory]:
        return {key: self._cell(key, rows) for key, rows in self._rows.items()}

    def _cell(self, key: CellKey, rows: Sequence[tuple[int, Row]]) -> CellHistory:
        points = tuple(
            Point(number, row, seconds_of(row, self.statistic), self._machine_of[number]) for number, row in rows
        )
        machines = dict.fromkeys(point.machine for point in points)
        return CellHistory(key, points, tuple(self._stretch([p for p in points if p.machine == m]) for m in machines))

    def _stretch(self, points: Sequence[Point]) -> Stretch:
        right = tuple(point for point in points if point.seconds is not None)
        values = [point.seconds for point in right if point.seconds is not None]
        pieces = pieces_of(values, self.significance, self.prior)
        levels = [piece.level for piece in pieces for _ in range(piece.start, piece.stop)]
        band = noise_band(values[pieces[-1].start :]) if pieces else None
        return Stretch(right, tuple(steps_of(values, self.significance, self.prior)), tuple(levels), band)

    @cached_property
    def alerts(self) -> list[Alert]:
        """What is worse now than it was, new ones first, then the greatest."""
        found = [alert for cell in self.cells.values() for alert in self._alerts_of(cell)]
        return sorted(found, key=lambda alert: (not alert.new, alert.kind, -(alert.ratio or 0.0)))

    def _alerts_of(self, cell: CellHistory) -> list[Alert]:
        newest = cell.newest
        if newest.row.status in BAD:
            right = [point for point in cell.points if point.row.status is Status.OK]
            if not right:
                return []
            after = [point for point in cell.points if point.run > right[-1].run and point.row.status in BAD]
            message = newest.row.message.splitlines()[0] if newest.row.message else ""
            first, last = after[0].run, len(self.runs) - 1
            text = f"{newest.row.status.value}: {message}" if message else newest.row.status.value
            return [Alert("broken", cell.key, first, right[-1].run, right[-1].seconds, None, None, first == last, text)]
        stretch = cell.current
        if stretch is None or not stretch.steps:
            return []
        step = stretch.steps[-1]
        if step.ratio <= 1.0 + self.threshold:
            return []
        values = [point.seconds for point in stretch.points if point.seconds is not None]
        before = steps_of(values[:-1], self.significance, self.prior)
        known = bool(before) and before[-1].ratio > 1.0 + self.threshold and before[-1].index >= step.index - 2
        since, previous = stretch.points[step.index].run, stretch.points[step.index - 1].run
        new = not known and stretch.points[-1].run == len(self.runs) - 1
        text = f"{step.ratio:.3f} times the time it took"
        return [Alert("slower", cell.key, since, previous, step.before, step.after, step.p_value, new, text)]

    def record(self) -> dict[str, Any]:
        """The alerts as JSON."""
        newest = self.runs[-1] if self.runs else None
        return {
            "kind": "alerts",
            "newest_run": newest and newest.name,
            "newest_commit": newest and newest.commit,
            "runs": len(self.runs),
            "cells": len(self.cells),
            "statistic": self.statistic.value,
            "false_alarms": self.false_alarms,
            "threshold": self.threshold,
            "alerts": [
                {
                    "kind": alert.kind,
                    **dict(zip(("workload", "case", "tool", "device"), alert.key, strict=True)),
                    "since_run": self.runs[alert.since].name,
                    "since_commit": self.runs[alert.since].commit,
                    "since_time": self.runs[alert.since].time,
                    "previous_commit": self.runs[alert.previous].commit,
                    "before_seconds": alert.before,
                    "after_seconds": alert.after,
                    "ratio": alert.ratio,
                    "p_value": alert.p_value,
                    "new": alert.new,
                    "message": alert.message,
                }
                for alert in self.alerts
            ],
        }


def seconds_of(row: Row, statistic: Statistic) -> float | None:
    """The time of the derivative, where it was right."""
    if row.status is not Status.OK:
        return None
    if statistic is Statistic.MEDIAN and row.derivative_median_seconds:
        return row.derivative_median_seconds
    return row.derivative_seconds or None
