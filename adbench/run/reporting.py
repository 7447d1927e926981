"""What a run shows: rows as they come, and the summary at the end."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from adbench.statistics import Estimate, bootstrap_geometric_mean, geometric_mean
from adbench.store import Row, Status
from adbench.tools.registry import ENZYME, ENZYME_PRE

STYLES = {
    Status.OK: "green",
    Status.WRONG: "bold red",
    Status.ERROR: "red",
    Status.TIMEOUT: "yellow",
    Status.SKIPPED: "dim",
}
HEADINGS = f"{'case':<22} {'tool':<18} {'status':<8} {'primal':>9} {'derivative':>10} {'ratio':>7} {'error':>8}"


def seconds(value: float | None) -> str:
    """A time with three significant digits and its unit."""
    if value is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def number(value: float | None, form: str) -> str:
    return "-" if value is None or not math.isfinite(value) else format(value, form)


class ConsoleReporter:
    """Prints a line per row above a progress bar; with ``quiet`` only what went wrong."""

    def __init__(self, console: Console, quiet: bool) -> None:
        self.console = console
        self.quiet = quiet
        self._skips: set[tuple[str, str]] = set()
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._progress.add_task("starting")

    def __enter__(self) -> ConsoleReporter:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, cells: int, done: int) -> None:
        self._progress.update(self._task, total=cells, completed=done)
        if self.quiet:
            return
        if done:
            self.console.print(f"{done} of {cells} cells are there already")
        self.console.print(Text(HEADINGS, style="bold"), soft_wrap=True)

    def at_work(self, case: str, tool: str, doing: str) -> None:
        self._progress.update(self._task, description=f"{case} {tool}: {doing}")

    def notice(self, text: str) -> None:
        self.console.print(Text(f"note: {text}", style="yellow"), soft_wrap=True)

    def row(self, row: Row) -> None:
        self._progress.advance(self._task)
        if row.status is Status.SKIPPED:
            # One line per tool and reason, not per case.
            if self.quiet or (row.tool, row.message) in self._skips:
                return
            self._skips.add((row.tool, row.message))
        elif self.quiet and row.status is Status.OK:
            return
        line = Text(f"{row.workload + ' ' + row.case:<22} {row.tool:<18} ")
        line.append(f"{row.status.value:<8}", style=STYLES[row.status])
        line.append(
            f" {seconds(row.primal_seconds):>9} {seconds(row.derivative_seconds):>10}"
            f" {number(row.ratio, '.2f'):>7} {number(row.max_error, '.1e'):>8}"
        )
        if row.message:
            line.append("  " + row.message)
        self.console.print(line, soft_wrap=True)


def summary_table(rows: Iterable[Row]) -> Table:
    """One line per workload and tool: how many cells of each status, and the geometric mean of the ratios. What was
    skipped throughout is left out; tools that were skipped everywhere are named below."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.workload, row.tool), []).append(row)
    table = Table(title="derivative over primal", title_justify="left")
    for heading in ("workload", "tool", "cells"):
        table.add_column(heading)
    for heading in ("geometric mean", "smallest", "largest"):
        table.add_column(heading, justify="right")
    present = {tool for (_, tool), members in groups.items() if not _all_skipped(members)}
    absent = list(dict.fromkeys(tool for _, tool in groups if tool not in present))
    if absent:
        table.caption = f"skipped everywhere: {', '.join(absent)} (python -m adbench doctor)"
        table.caption_justify = "left"
    for (workload, tool), members in groups.items():
        if _all_skipped(members):
            continue
        counts = Counter(row.status for row in members)
        cells = Text(", ").join(
            Text(f"{counts[status]} {status.value}", style=STYLES[status]) for status in Status if counts[status]
        )
        ratios = [row.ratio for row in members if row.status is Status.OK and row.ratio]
        values = [number(f(ratios), ".2f") for f in (geometric_mean, min, max)] if ratios else ["-"] * 3
        table.add_row(workload, tool, cells, *values)
    return table


def _all_skipped(rows: Iterable[Row]) -> bool:
    return all(row.status is Status.SKIPPED for row in rows)


def speedups(rows: Sequence[Row], fast: str, slow: str) -> dict[str, float]:
    """How many times as fast ``fast`` is as ``slow``, for each case where both are right, by "workload case device"."""
    times: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.status is Status.OK and row.derivative_seconds and row.tool in {fast, slow}:
            times.setdefault(f"{row.workload} {row.case} {row.device}", {})[row.tool] = row.derivative_seconds
    return {case: both[slow] / both[fast] for case, both in times.items() if len(both) == 2}


def speedup(rows: Sequence[Row], fast: str = ENZYME, slow: str = ENZYME_PRE) -> Estimate | None:
    """Geometric mean of the speedups with its interval, or None where there is no common case."""
    values = list(speedups(rows, fast, slow).values())
    return bootstrap_geometric_mean(values) if values else None


def speedup_line(rows: Sequence[Row]) -> str:
    """The run's last line."""
    estimate = speedup(rows)
    if estimate is None:
        return f"{ENZYME} over {ENZYME_PRE}: no case where both are right"
    cases = "case" if estimate.count == 1 else "cases"
    return (
        f"{ENZYME} is {estimate.value:.2f} times as fast as {ENZYME_PRE} "
        f"(geometric mean; 95 % interval {estimate.low:.2f} to {estimate.high:.2f}; {estimate.count} {cases})"
    )
