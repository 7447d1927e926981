"""The norm case: a derivative made after optimisation is O(n), one made before it O(n^2)."""

from __future__ import annotations

import math
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.ticker import NullFormatter

from adbench.figures.style import MUTED, add_caption, origin, save
from adbench.looks import look_of
from adbench.store import Results, Status
from adbench.tools.registry import ENZYME, ENZYME_PRE

NORM = "norm"


def slope(points: list[tuple[int, float]]) -> float | None:
    """The exponent p of time ~ n^p between the two largest sizes."""
    if len(points) < 2:
        return None
    (n, t), (m, u) = points[-2:]
    return math.log(u / t) / math.log(m / n)


def draw_norm(results: Results, folder: Path) -> list[Path]:
    """Time over n with guides n and n^2; nothing where the norm has not been run at two sizes by either pipeline."""
    times: dict[str, dict[int, float]] = {}
    for row in results.rows:
        if row.workload == NORM and row.status is Status.OK and row.derivative_seconds and row.problem_size:
            times.setdefault(row.tool, {})[row.problem_size] = row.derivative_seconds
    series = {tool: sorted(by_size.items()) for tool, by_size in times.items()}
    if not any(len(series.get(tool, [])) >= 2 for tool in (ENZYME, ENZYME_PRE)):
        return []
    figure, axis = plt.subplots(figsize=(7.4, 4.0), layout="constrained")
    tools = list(series)
    rows: list[tuple[object, ...]] = []
    for tool, points in series.items():
        look, exponent = look_of(tool, tools), slope(points)
        label = tool if exponent is None else f"{tool}: n$^{{{exponent:.2f}}}$"
        axis.plot(*zip(*points, strict=True), color=look.colour, marker=look.marker, markersize=4.5, label=label)
        rows += [(tool, size, time, "" if exponent is None else exponent) for size, time in points]
    for tool, power in ((ENZYME, 1), (ENZYME_PRE, 2)):
        if tool in series:
            (first, _), (last, end) = series[tool][0], series[tool][-1]
            guide = [end * (size / last) ** power * 1.5 for size in (first, last)]
            axis.plot([first, last], guide, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
            name = "O(n)" if power == 1 else "O(n²)"
            axis.annotate(name, (last, guide[1]), xytext=(4, 0), textcoords="offset points", va="center", color=MUTED)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel("n, the vector's length")
    axis.set_ylabel("seconds for one gradient")
    figure.suptitle(
        "Vector normalisation: the order of passes decides the order of growth", x=0.01, ha="left", fontsize=10.5
    )
    figure.legend(loc="outside right upper")
    text = (
        "A loop divides each element by the vector's norm. Optimisation moves the norm out of the loop; a gradient made"
        " after that is O(n), one made before keeps the norm inside and is O(n²). Exponents: between the two largest"
        f" sizes. Dashed: guides. Minima of repeated runs, {len(rows)} correct cells. {origin(results)}"
    )
    add_caption(figure, text)
    return [save(figure, folder, "norm_growth", ("tool", "n", "derivative_seconds", "exponent"), rows)]
