"""ADBench's two figures: derivative time, and derivative over primal, against problem size, both axes logarithmic."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogFormatterSciNotation, LogLocator, NullFormatter

from adbench.figures.style import add_caption, origin, save
from adbench.looks import look_of
from adbench.store import Results, Row, Status
from adbench.workloads import all_workloads

COLUMNS = (
    "case",
    "panel",
    "problem_size",
    "tool",
    "primal_seconds",
    "derivative_seconds",
    "ratio",
    "max_error",
)
FAILURES = (Status.WRONG, Status.ERROR, Status.TIMEOUT)


@dataclass(frozen=True)
class Quantity:
    """What one of the figures shows."""

    name: str
    title: str
    label: str
    value: Callable[[Row], float | None]


QUANTITIES = (
    Quantity("absolute", "time of the derivative", "seconds", lambda row: row.derivative_seconds),
    Quantity(
        "relative",
        "derivative over objective, each tool's own",
        "derivative time / objective time",
        lambda row: row.ratio,
    ),
)


def draw_curves(results: Results, workload: str, folder: Path) -> list[Path]:
    """Absolute and relative time of one workload; nothing where no cell is ok."""
    mine = [row for row in results.rows if row.workload == workload]
    rows = [row for row in mine if row.status is Status.OK and row.derivative_seconds and row.problem_size]
    failed = [row for row in mine if row.status in FAILURES]
    return [_draw(results, rows, failed, quantity, folder) for quantity in QUANTITIES] if rows else []


def _draw(results: Results, rows: Sequence[Row], failed: Sequence[Row], quantity: Quantity, folder: Path) -> Path:
    workload = rows[0].workload
    panels = sorted({row.panel for row in rows}, key=lambda panel: (len(panel), panel))
    tools = list(dict.fromkeys(row.tool for row in sorted(rows, key=lambda row: _rank(row.tool, results))))
    figure, axes = plt.subplots(
        1,
        len(panels),
        figsize=(1.2 + 4.0 * max(len(panels), 1.25), 3.9),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for axis, panel in zip(axes[0], panels, strict=True):
        for tool in tools:
            _draw_tool(axis, [row for row in rows if row.panel == panel and row.tool == tool], tool, tools, quantity)
        _dress(axis, panel, size_label(workload))
    axes[0][0].set_ylabel(quantity.label)
    figure.suptitle(f"{workload.upper()}: {quantity.title}", x=0.01, ha="left", fontsize=10.5)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper")
    text = (
        f"Minimum over repeated runs, one point per size (the median case where several have it); {len(rows)} correct"
        f" cells. Every derivative was checked before it was timed. {_failures(failed)}{origin(results)}"
    )
    add_caption(figure, text)
    numbers = [[getattr(row, column) for column in COLUMNS] for row in sorted(rows, key=_order)]
    return save(figure, folder, f"{workload}_{quantity.name}", COLUMNS, numbers)


def _rank(tool: str, results: Results) -> int:
    """Tools in the order of the run."""
    names = results.headers[-1].get("settings", {}).get("tools", [])
    return names.index(tool) if tool in names else len(names)


def _order(row: Row) -> tuple[object, ...]:
    return (row.panel, row.problem_size, row.case, row.tool)


def _draw_tool(axis: Axes, rows: Sequence[Row], tool: str, tools: Sequence[str], quantity: Quantity) -> None:
    by_size: dict[int, list[float]] = {}
    for row in rows:
        number = quantity.value(row)
        if number and row.problem_size:
            by_size.setdefault(row.problem_size, []).append(number)
    sizes = sorted(by_size)
    medians = [statistics.median(by_size[size]) for size in sizes]
    look = look_of(tool, tools)
    axis.plot(
        sizes, medians, color=look.colour, linewidth=1.3, alpha=0.75, marker=look.marker, markersize=4.5, label=tool
    )


def size_label(workload: str) -> str:
    """What the problem size of a workload counts; results of one that is no longer here are drawn all the same."""
    known = all_workloads().get(workload)
    return known.size_label if known is not None else "problem size"


def _dress(axis: Axes, panel: str, label: str) -> None:
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_title(panel)
    axis.set_xlabel(label)
    low, high = axis.get_ylim()
    if high / low < 30:
        # Less than a decade and a half: label 1, 2 and 5 of each decade, or one tick would stand alone.
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    low, high = axis.get_xlim()
    if high / low < 100:  # as above; minor labels would run into one another
        axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        powers = LogFormatterSciNotation(minor_thresholds=(inf, inf))
        axis.xaxis.set_major_formatter(powers if high >= 10_000 else FuncFormatter(lambda number, _: f"{number:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.grid(True, which="major")
    axis.grid(False, which="minor")


def _failures(failed: Sequence[Row]) -> str:
    if not failed:
        return ""
    counts = Counter(f"{row.tool} {row.status.value}" for row in failed)
    return "Not shown: " + ", ".join(f"{name} in {count}" for name, count in sorted(counts.items())) + ". "
