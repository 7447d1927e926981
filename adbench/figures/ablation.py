"""The ablation: what differentiating after optimisation gains over differentiating before it, case by case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from adbench.figures.style import INK, MUTED, add_caption, origin, save
from adbench.looks import LOOKS
from adbench.published import POST_OVER_PRE
from adbench.run.reporting import speedups
from adbench.statistics import bootstrap_geometric_mean, geometric_mean
from adbench.store import Results
from adbench.tools.registry import ENZYME, ENZYME_PRE

MOST_BARS = 28
"""With more cases than these, a bar is a workload's geometric mean and its cases are dots."""


def draw_ablation(results: Results, folder: Path) -> list[Path]:
    """enzyme-pre's time over enzyme's, and its geometric mean beside the paper's; nothing where no case has both."""
    ratios = speedups(results.rows, ENZYME, ENZYME_PRE)
    if not ratios:
        return []
    estimate = bootstrap_geometric_mean(list(ratios.values()))
    groups = _groups(ratios)
    places = range(len(groups))
    means = [geometric_mean(values) for values in groups.values()]
    figure, axis = plt.subplots(figsize=(6.4, 1.5 + 0.21 * (len(groups) + 1)), layout="constrained")
    axis.barh(places, [value - 1.0 for value in means], left=1.0, height=0.66, color=LOOKS[ENZYME].colour)
    for place, values in enumerate(groups.values()):
        if len(values) > 1:
            axis.plot(values, [place] * len(values), "o", markersize=3, color="white", markeredgecolor=INK)
    mean_place = len(groups) + 0.4
    axis.barh([mean_place], [estimate.value - 1.0], left=1.0, height=0.8, color=INK)
    axis.plot([estimate.low, estimate.high], [mean_place] * 2, color="#999999", linewidth=2.2, solid_capstyle="butt")
    ends = [max(1.0, mean, *values) for mean, values in zip(means, groups.values(), strict=True)]
    marks = [(float(place), mean, end) for place, mean, end in zip(places, means, ends, strict=True)]
    for row, shown, end in [*marks, (mean_place, estimate.value, max(estimate.value, estimate.high))]:
        axis.annotate(f"{shown:.2f}", (end, row), xytext=(5, 0), textcoords="offset points", va="center", fontsize=7.5)
    axis.set_yticks([*places, mean_place], [*groups, "geometric mean"], fontsize=7.5)
    axis.set_ylim(mean_place + 0.8, -0.8)
    axis.set_xscale("log")
    axis.axvline(1.0, color=INK, linewidth=0.8)
    axis.axvline(POST_OVER_PRE, color=MUTED, linewidth=1.0, linestyle=(0, (4, 3)))
    axis.annotate(f"paper {POST_OVER_PRE}", (POST_OVER_PRE, -0.8), xytext=(3, 3), textcoords="offset points",
                  fontsize=7.5, color=MUTED)  # fmt: skip
    smallest = min(value for values in groups.values() for value in values)
    axis.set_xlim(min(0.9, smallest * 0.93), max(POST_OVER_PRE * 1.15, *ends, estimate.high) * 1.2)
    low, high = axis.get_xlim()
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0) if high / low < 12 else (1.0, 2.0, 5.0)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.grid(False, axis="y")
    axis.set_xlabel("speedup of enzyme over enzyme-pre (above 1: after optimisation is faster)")
    figure.suptitle("Differentiating after optimisation against before", x=0.01, ha="left", fontsize=10.5)
    dots = "" if len(groups) == len(ratios) else " Bars: geometric means of workloads; dots: their cases."
    text = (
        f"{estimate.value:.2f} times as fast by geometric mean, 95 % bootstrap interval {estimate.low:.2f} to"
        f" {estimate.high:.2f} (grey), {estimate.count} cases where both gradients are right.{dots} Dashed: the"
        f" geometric mean of the paper's seven benchmarks, {POST_OVER_PRE}, on another machine. Minima of repeated"
        f" runs. {origin(results)}"
    )
    add_caption(figure, text)
    rows: list[list[object]] = [[case, value] for case, value in ratios.items()]
    rows += [["geometric mean", estimate.value], ["low", estimate.low], ["high", estimate.high]]
    rows += [["paper", POST_OVER_PRE]]
    return [save(figure, folder, "ablation", ("case", "speedup"), rows)]


def _groups(ratios: Mapping[str, float]) -> dict[str, list[float]]:
    """Speedups by the label of their bar: cases, or workloads where there are too many cases."""
    several = len({case.rpartition(" ")[2] for case in ratios}) > 1
    if len(ratios) <= MOST_BARS:
        return {case if several else case.rpartition(" ")[0]: [value] for case, value in ratios.items()}
    groups: dict[str, list[float]] = {}
    for case, value in ratios.items():
        groups.setdefault(case.partition(" ")[0], []).append(value)
    return groups
