"""The ablation: what differentiating after optimisation gains over differentiating before it, case by case."""

from __future__ import annotations

from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from adbench.figures.style import INK, add_caption, origin, save
from adbench.looks import LOOKS
from adbench.run.reporting import speedups
from adbench.statistics import bootstrap_geometric_mean
from adbench.store import Results
from adbench.tools.registry import ENZYME, ENZYME_PRE


def draw_ablation(results: Results, folder: Path) -> list[Path]:
    """Bars of enzyme-pre's time over enzyme's, and their geometric mean; nothing where no case has both."""
    ratios = speedups(results.rows, ENZYME, ENZYME_PRE)
    if not ratios:
        return []
    estimate = bootstrap_geometric_mean(list(ratios.values()))
    several = len({case.rpartition(" ")[2] for case in ratios}) > 1
    labels = [case if several else case.rpartition(" ")[0] for case in ratios]
    values = list(ratios.values())
    places = range(len(values))

    figure, axis = plt.subplots(figsize=(6.4, 1.5 + 0.21 * (len(values) + 1)), layout="constrained")
    axis.barh(places, [value - 1.0 for value in values], left=1.0, height=0.66, color=LOOKS[ENZYME].colour)
    mean_place = len(values) + 0.4
    axis.barh([mean_place], [estimate.value - 1.0], left=1.0, height=0.8, color=INK)
    axis.plot([estimate.low, estimate.high], [mean_place] * 2, color="#999999", linewidth=2.2, solid_capstyle="butt")
    for place, value in [*zip(places, values, strict=True), (mean_place, max(estimate.value, estimate.high))]:
        shown = estimate.value if place == mean_place else value
        axis.annotate(
            f"{shown:.2f}",
            (max(value, 1.0), place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
        )
    axis.set_yticks([*places, mean_place], [*labels, "geometric mean"], fontsize=7.5)
    axis.set_ylim(mean_place + 0.8, -0.8)
    axis.set_xscale("log")
    axis.axvline(1.0, color=INK, linewidth=0.8)
    axis.set_xlim(min(0.9, *(value * 0.93 for value in values)), max(1.25, *values, estimate.high) * 1.15)
    low, high = axis.get_xlim()
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0) if high / low < 12 else (1.0, 2.0, 5.0)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.grid(False, axis="y")
    axis.set_xlabel("speedup of enzyme over enzyme-pre (above 1: after optimisation is faster)")
    figure.suptitle("Differentiating after optimisation against before", x=0.01, ha="left", fontsize=10.5)
    text = (
        f"{estimate.value:.2f} times as fast by geometric mean, 95 % bootstrap interval {estimate.low:.2f} to"
        f" {estimate.high:.2f} (grey), {estimate.count} cases where both gradients are right. Minima of repeated runs."
        f" {origin(results)}"
    )
    add_caption(figure, text)
    rows: list[list[object]] = [[case, value] for case, value in ratios.items()]
    rows += [["geometric mean", estimate.value], ["low", estimate.low], ["high", estimate.high]]
    return [save(figure, folder, "ablation", ("case", "speedup"), rows)]
