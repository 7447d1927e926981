"""Memory: the peak of each tool, what the derivative needs beyond its objective, and what its tapes take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, NullFormatter

from adbench.figures.style import add_caption, origin, save
from adbench.looks import look_of
from adbench.store import Results, Row, Status

RESOLUTION = 256 * 1024
"""Differences of resident memory below this are pages and caches of the process, not data."""


@dataclass(frozen=True)
class Quantity:
    name: str
    title: str
    label: str
    caption: str
    value: Callable[[Row], float | None]


def beyond_objective(row: Row) -> float | None:
    """Bytes of the derivative's peak above the objective's; None where they were not measured or are not resolved."""
    if row.peak_bytes is None or row.primal_peak_bytes is None:
        return None
    extra = row.peak_bytes - row.primal_peak_bytes
    return float(extra) if extra >= RESOLUTION else None


QUANTITIES = (
    Quantity(
        "memory",
        "Peak memory of each tool's process while it evaluates the derivative",
        "bytes, resident",
        "Interpreter and libraries included, which is why no number is small.",
        lambda row: row.peak_bytes,
    ),
    Quantity(
        "beyond",
        "Memory of the derivative beyond the objective's",
        "bytes beyond the objective's peak",
        "Tape, shadows and adjoints. A gap: not measured, or less than 256 KiB, which resident memory cannot show.",
        beyond_objective,
    ),
    Quantity(
        "tape",
        "Tapes of the tools that count them",
        "bytes at their largest",
        "Counted by the derivative itself, in a build for that. No dot: not counted, or no tape at all.",
        lambda row: row.tape_bytes,
    ),
)


def largest_cases(rows: Sequence[Row]) -> dict[str, str]:
    """The case of each workload with the greatest problem size that anything got right."""
    found: dict[str, tuple[int, str]] = {}
    for row in rows:
        if row.status is Status.OK:
            found[row.workload] = max(found.get(row.workload, (-1, "")), (row.problem_size or 0, row.case))
    return {workload: case for workload, (_, case) in found.items()}


def draw_memory(results: Results, folder: Path) -> list[Path]:
    """The figures, as far as there are numbers for them."""
    cases = largest_cases(results.rows)
    rows = [row for row in results.rows if row.status is Status.OK and cases.get(row.workload) == row.case]
    return [path for quantity in QUANTITIES for path in _draw(results, rows, quantity, folder)]


def _draw(results: Results, rows: Sequence[Row], quantity: Quantity, folder: Path) -> list[Path]:
    values = {(row.workload, row.tool): (row.case, quantity.value(row)) for row in rows}
    known = {key: (case, value) for key, (case, value) in values.items() if value}
    if not known:
        return []
    workloads = list(dict.fromkeys(workload for workload, _ in known))
    tools = list(dict.fromkeys(tool for _, tool in known))
    # Dots and not bars: one row holds any number of tools, and a logarithmic axis has no zero for bars to begin at.
    figure, axis = plt.subplots(figsize=(7.6, 1.3 + 0.3 * len(workloads)), layout="constrained")
    for tool in tools:
        places = [place for place, workload in enumerate(workloads) if (workload, tool) in known]
        amounts = [known[workloads[place], tool][1] or 0.0 for place in places]
        look = look_of(tool, tools)
        shift = 0.5 * (tools.index(tool) - (len(tools) - 1) / 2) / len(tools)  # equal amounts stay apart
        axis.plot(
            amounts,
            [place + shift for place in places],
            look.marker,
            color=look.colour,
            markersize=7,
            markeredgecolor="white",
            markeredgewidth=0.5,
            label=tool,
        )
    axis.set_yticks(range(len(workloads)), workloads)
    axis.set_ylim(len(workloads) - 0.4, -0.6)
    axis.set_xscale("log", base=2)
    low, high = axis.get_xlim()
    axis.set_xlim(2.0 ** math.floor(math.log2(low)), 2.0 ** math.ceil(math.log2(high)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: byte_words(value)))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel(quantity.label)
    figure.suptitle(quantity.title, x=0.01, ha="left", fontsize=10.5)
    figure.legend(loc="outside right upper")
    text = (
        f"Largest case of each workload, {len(known)} correct cells. {quantity.caption} The axis is"
        f" logarithmic. {origin(results)}"
    )
    add_caption(figure, text)
    table = [(workload, case, tool, round(value or 0.0)) for (workload, tool), (case, value) in known.items()]
    return [save(figure, folder, quantity.name, ("workload", "case", "tool", "bytes"), table)]


def byte_words(value: float) -> str:
    """A number of bytes with its binary unit."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g} B"
