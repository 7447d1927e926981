"""The figures, drawn from stored results alone: each as PNG, SVG and PDF, and its numbers as CSV."""

from __future__ import annotations

from pathlib import Path

from adbench.errors import BenchError
from adbench.figures.ablation import draw_ablation
from adbench.figures.curves import draw_curves
from adbench.figures.memory import draw_memory
from adbench.figures.norm import draw_norm
from adbench.figures.relative import draw_relative
from adbench.figures.style import figure_style
from adbench.store import Results, Status

__all__ = ["draw_all"]


def draw_all(results: Results, folder: Path) -> list[Path]:
    """Draw every figure that the results have data for; the paths of the PNGs."""
    if not any(row.status is Status.OK for row in results.rows):
        raise BenchError("the results have no cell with status ok, so there is nothing to draw")
    folder.mkdir(parents=True, exist_ok=True)
    drawn: list[Path] = []
    with figure_style():
        for workload in dict.fromkeys(row.workload for row in results.rows):
            drawn += draw_curves(results, workload, folder)
        for draw in (draw_relative, draw_ablation, draw_norm, draw_memory):
            drawn += draw(results, folder)
    return drawn
