"""The paper's main figure: relative speed of each tool on each benchmark, the published values beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullFormatter

from adbench.figures.style import INK, MUTED, add_caption, origin, save
from adbench.looks import look_of
from adbench.published import BENCHMARKS, SOURCE, SPEEDS
from adbench.statistics import bootstrap_geometric_mean, geometric_mean
from adbench.store import Results, Row, Status
from adbench.tools.registry import ENZYME, ENZYME_PRE

NOT_AD = frozenset({"manual", "finite", "complexstep"})
"""Tools that are references and no automatic differentiation."""
MEAN = "geometric mean"


def belongs(tool: str) -> bool:
    """Whether a tool is in the figure: AD in one way that is its own, on one thread.

    References, our engine's other modes and its ablations have figures and tables of their own.
    """
    other_mode = tool.startswith(f"{ENZYME}-") and tool != ENZYME_PRE
    return tool not in NOT_AD and not other_mode and not tool.endswith("-threads")


def relative_speeds(rows: Sequence[Row]) -> dict[str, dict[str, tuple[float, int]]]:
    """By tool and workload: geometric mean over cases of the fastest time over the tool's, and the number of cases."""
    best: dict[tuple[str, str, str], float] = {}
    right = [row for row in rows if row.status is Status.OK and row.derivative_seconds and belongs(row.tool)]
    for row in right:
        case = (row.workload, row.case, row.device)
        best[case] = min(best.get(case, math.inf), row.derivative_seconds or math.inf)
    speeds: dict[str, dict[str, list[float]]] = {}
    for row in right:
        speed = best[row.workload, row.case, row.device] / (row.derivative_seconds or math.inf)
        speeds.setdefault(row.tool, {}).setdefault(row.workload, []).append(speed)
    return {
        tool: {name: (geometric_mean(values), len(values)) for name, values in by_workload.items()}
        for tool, by_workload in speeds.items()
    }


def draw_relative(results: Results, folder: Path) -> list[Path]:
    """Our bars and the published marks; nothing where no benchmark of the paper has been measured."""
    speeds = relative_speeds([row for row in results.rows if row.workload in BENCHMARKS])
    if not speeds:
        return []
    tools = [*(tool for tool in SPEEDS if tool in speeds), *(tool for tool in speeds if tool not in SPEEDS)]
    tools += [tool for tool in SPEEDS if tool not in speeds]
    rows = numbers_of(tools, speeds)
    figure, axis = plt.subplots(figsize=(9.2, 3.9), layout="constrained")
    _draw_groups(axis, tools, speeds)
    axis.set_yscale("log")
    lowest = min(float(row[3]) for row in rows)
    axis.set_ylim(min(0.02, lowest) * 0.6, 1.7)
    axis.axhline(1.0, color=INK, linewidth=0.8)
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.grid(False, axis="x")
    axis.set_xticks(range(len(BENCHMARKS) + 1), [*BENCHMARKS.values(), "geometric\nmean"])
    axis.tick_params(axis="x", length=0)
    axis.set_ylabel("relative speed (fastest tool = 1)")
    figure.suptitle("Speed of each tool's derivative, relative to the fastest", x=0.01, ha="left", fontsize=10.5)
    means = {tool: value for name, tool, series, value, _ in rows if (name, series) == (MEAN, "measured")}
    handles: list[Patch | Line2D] = [
        Patch(**_fill(tool, tools), label=f"{tool} ({means[tool]:.2g})") for tool in tools if tool in speeds
    ]
    handles.append(Line2D([], [], marker="D", linestyle="", markersize=5, markerfacecolor="white",
                          markeredgecolor=INK, label="published"))  # fmt: skip
    handles += [
        Line2D([], [], marker="D", linestyle="", markersize=5, markerfacecolor="white",
               markeredgecolor=look_of(tool, tools).colour, label=f"{tool}, published only")
        for tool in tools
        if tool not in speeds
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside right upper")
    cells = sum(count for by_workload in speeds.values() for _, count in by_workload.values())
    text = (
        f"Bars: measured; fastest time over the tool's time in each case, geometric mean over the cases that the tool"
        f" got right, {cells} cells. References, other modes and several threads are left out. In brackets: the"
        " geometric mean over the benchmarks. Grey: its 95 % interval. Diamonds on or above a tool's bar: its"
        " published relative speeds,"
        f" of another machine and other compilers ({SOURCE}). enzyme-pre, the paper's Ref, differentiates before"
        f" optimisation. A gap: not measured. {origin(results)}"
    )
    add_caption(figure, text)
    return [save(figure, folder, "relative_speed", ("benchmark", "tool", "series", "relative_speed", "count"), rows)]


def numbers_of(
    tools: Sequence[str], speeds: Mapping[str, Mapping[str, tuple[float, int]]]
) -> list[tuple[str, str, str, float, int]]:
    """Everything the figure shows: (benchmark, tool, series, relative speed, how many cases or benchmarks)."""
    rows: list[tuple[str, str, str, float, int]] = []
    for tool in tools:
        mine, theirs = speeds.get(tool, {}), SPEEDS.get(tool, {})
        rows += [(name, tool, "measured", *mine[name]) for name in BENCHMARKS if name in mine]
        rows += [(name, tool, "published", theirs[name], 1) for name in BENCHMARKS if name in theirs]
        if mine:
            estimate = bootstrap_geometric_mean([speed for speed, _ in mine.values()])
            for name, value in (
                (MEAN, estimate.value),
                (f"{MEAN}, low", estimate.low),
                (f"{MEAN}, high", estimate.high),
            ):
                rows.append((name, tool, "measured", value, estimate.count))
        if theirs:
            rows.append((MEAN, tool, "published", geometric_mean(list(theirs.values())), len(theirs)))
    return rows


def _fill(tool: str, tools: Sequence[str]) -> dict[str, Any]:
    """How a tool's bars are filled: hatched where an earlier tool has the colour already."""
    colour = look_of(tool, tools).colour
    taken = any(look_of(each, tools).colour == colour for each in tools[: tools.index(tool)])
    return (
        {"facecolor": colour, "hatch": "//////", "edgecolor": "white", "linewidth": 0}
        if taken
        else {"facecolor": colour}
    )


def _draw_groups(axis: Axes, tools: Sequence[str], speeds: Mapping[str, Mapping[str, tuple[float, int]]]) -> None:
    rows = {(name, tool, series): value for name, tool, series, value, _ in numbers_of(tools, speeds)}
    width = 0.84 / len(tools)
    for place, name in enumerate([*BENCHMARKS, MEAN]):
        for index, tool in enumerate(tools):
            x = place - 0.42 + (index + 0.5) * width
            colour = look_of(tool, tools).colour
            measured, published = (rows.get((name, tool, series)) for series in ("measured", "published"))
            if measured is not None:
                axis.bar([x], [measured], width * 0.92, **_fill(tool, tools))
            if name == MEAN and measured is not None:
                ends = [rows[f"{MEAN}, {end}", tool, "measured"] for end in ("low", "high")]
                axis.plot([x, x], ends, color="#aaaaaa", linewidth=1.6, solid_capstyle="butt")
            if published is not None:
                axis.plot([x], [published], marker="D", markersize=4.2, markerfacecolor="white",
                          markeredgecolor=INK if tool in speeds else colour, markeredgewidth=1.2, zorder=3)  # fmt: skip
    axis.axvline(len(BENCHMARKS) - 0.5, color=MUTED, linewidth=0.6)
