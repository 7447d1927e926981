"""How figures look: colours that colour-blind readers tell apart, a marker per tool, captions, saving."""

from __future__ import annotations

import contextlib
import csv
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt  # the backend is chosen before pyplot is imported
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from adbench.store import Results

INK = "#222222"
MUTED = "#666666"
GRID = "#dddddd"


@contextlib.contextmanager
def figure_style() -> Iterator[None]:
    """Matplotlib settings of all figures."""
    settings: Any = {
        "figure.dpi": 150,
        "font.size": 9,
        "axes.titlesize": 9,
        "axes.titlelocation": "left",
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": GRID,
        "grid.linewidth": 0.6,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "text.color": INK,
        "legend.frameon": False,
        "pdf.fonttype": 42,  # as text that can be searched
        "svg.hashsalt": "adbench",
        "savefig.facecolor": "white",
    }
    with plt.rc_context(settings):
        yield


def origin(results: Results) -> str:
    """Machine, commit and date, for captions."""
    header = results.headers[-1]
    machine, commit = header.get("machine", {}), header.get("commit", {})
    identity = str(commit.get("id") or "unknown")[:10] + (" with changes" if commit.get("dirty") else "")
    flags = next((row.flags for row in results.rows if row.tool == "manual" and row.flags), "")
    compiled = f" C: {flags}." if flags else ""
    return (
        f"{machine.get('cpu', 'unknown CPU')}, {machine.get('cores', '?')} cores, one thread;"
        f" commit {identity}; {str(header.get('time', ''))[:10]}.{compiled}"
    )


def add_caption(figure: Figure, text: str) -> None:
    """Put a caption under the axes, wrapped to the figure's width."""
    width = int(figure.get_figwidth() * 16.5)
    wrapped = textwrap.fill(text, width)
    lines = wrapped.count("\n") + 1
    inches = 0.13 * lines + 0.12
    figure.set_figheight(figure.get_figheight() + inches)
    share = inches / figure.get_figheight()
    layout = figure.get_layout_engine()
    if isinstance(layout, ConstrainedLayoutEngine):
        layout.set(rect=(0.0, share, 1.0, 1.0 - share))
    figure.text(0.01, 0.03 / figure.get_figheight(), wrapped, fontsize=7, color=MUTED, va="bottom", ha="left")


def save(figure: Figure, folder: Path, name: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """Write NAME.png, NAME.svg, NAME.pdf and NAME.csv; the PNG's path. The same numbers give the same bytes."""
    # Laid out once and not for each format, which takes longer than drawing.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    figure.savefig(folder / f"{name}.png")
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None})
    plt.close(figure)
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return folder / f"{name}.png"
