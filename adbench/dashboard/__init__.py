"""The dashboard: a static site made of stored runs alone. It opens from disk and asks no network for anything."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources
from pathlib import Path

from adbench.dashboard.cells import cell_pages, history_page, workload_pages
from adbench.dashboard.overview import overview, workload_list
from adbench.dashboard.page import Page, day
from adbench.dashboard.runs import compare_page, data_page, data_path, run_list, run_pages
from adbench.errors import UsageError
from adbench.history import History
from adbench.sources import Run
from adbench.store import encode

__all__ = ["build"]

ALERTS = "alerts.json"
ASSETS = ("style.css", "script.js")
COLUMNS = (
    "run commit time workload case tool device status problem_size primal_seconds derivative_seconds"
    " derivative_median_seconds ratio max_error peak_bytes tape_bytes compile_seconds"
    " message"
).split()


def build(history: History, out: Path) -> list[Path]:
    """Write the site; the pages' paths, the first one first. Files of an earlier build are replaced."""
    if not history.runs:
        raise UsageError("there is no run to show", hint="name folders with results.jsonl or pytest-benchmark's JSON")
    pages: list[Page] = [
        overview(history),
        workload_list(history),
        *workload_pages(history),
        history_page(history),
        *cell_pages(history),
        run_list(history),
        *run_pages(history),
        compare_page(history),
        data_page(history),
    ]
    runs = "1 run" if len(history.runs) == 1 else f"{len(history.runs):,} runs"
    footer = f"Made of {runs} and {len(history.cells):,} cells; the newest run began {day(history.runs[-1])} UTC."
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for page in pages:
        path = out / page.path
        path.parent.mkdir(exist_ok=True)
        path.write_text(page.render(footer), encoding="utf-8")
        written.append(path)
    for name in ASSETS:
        source = resources.files("adbench.dashboard").joinpath(name)
        (out / name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    write_data(history, out)
    write_alerts(history, out / ALERTS)
    return written


def write_alerts(history: History, path: Path) -> None:
    path.write_text(json.dumps(history.record(), indent=1) + "\n", encoding="utf-8")


def write_data(history: History, out: Path) -> None:
    """The raw data to download."""
    (out / "data").mkdir(exist_ok=True)
    for run in history.runs:
        (out / data_path(run)).write_text(lines_of(run), encoding="utf-8")
    with (out / "data" / "cells.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for run in history.runs:
            identity: Mapping[str, str] = {"run": run.name, "commit": run.commit, "time": run.time}
            for row in run.rows:
                writer.writerow([identity.get(name) or getattr(row, name, "") for name in COLUMNS])


def lines_of(run: Run) -> str:
    """A run as a results file of today's schema."""
    lines = [encode(header) for header in run.results.headers[-1:]]
    lines += [encode(asdict(row)) for row in run.rows]
    return "\n".join([*lines, ""])
