"""Pages of runs: their list, one each with all that was recorded of it, the comparison of any two, and the data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from adbench.comparing import LEAST_SAMPLES, THRESHOLD, CellChange, Comparison, Verdict, compare_runs
from adbench.dashboard.html import Content, Markup, link, number, table, tag
from adbench.dashboard.page import Page, cell_name, cell_path, change, day, outcome, run_link, run_path, slug
from adbench.history import BAD, History
from adbench.identity import machine_name
from adbench.run.reporting import seconds
from adbench.sources import Run
from adbench.statistics import bootstrap_ratio
from adbench.store import Row, Status

COMPARED = 12
"""So many of the newest runs are compared with the run before them, and offered for comparison."""
MACHINE_WORDS = {
    "cpu": "processor",
    "architecture": "architecture",
    "cores": "cores",
    "affinity": "cores it may use",
    "memory_bytes": "memory",
    "governor": "frequency governor",
    "system": "system",
    "kernel": "kernel",
    "libc": "C library",
    "container": "container",
    "python": "Python",
    "cpu_flags": "processor features",
}


def run_list(history: History) -> Page:
    lines = []
    for position, run in enumerate(reversed(history.runs)):
        counts = Counter(row.status for row in run.rows)
        bad = sum(counts[status] for status in BAD)
        subject = (run.header.get("commit") or {}).get("subject") or ""
        index = len(history.runs) - 1 - position
        other = index > 0 and run.machine_key != history.runs[index - 1].machine_key
        lines.append(
            [
                tag("th", link(run_path(run), run.title), scope="row"),
                day(run),
                subject,
                tag("td", machine_name(run.machine), tag("b", " (other machine)") if other else ""),
                number(f"{counts[Status.OK]:,}", counts[Status.OK]),
                number(tag("span", f"{bad:,}", class_="bad" if bad else "quiet"), bad),
            ]
        )
    headings = ["run", "begun (UTC)", "change", "machine", "right", "failed"]
    return Page("runs.html", "Runs", table(headings, lines, class_="sortable"))


def predecessor(history: History, index: int) -> Run | None:
    """The run before on the same machine."""
    run = history.runs[index]
    return next((other for other in history.runs[:index][::-1] if other.machine_key == run.machine_key), None)


def run_pages(history: History) -> list[Page]:
    pages = []
    for index, run in enumerate(history.runs):
        before = predecessor(history, index) if index >= len(history.runs) - COMPARED else None
        comparison = compare_runs(before, run, resamples=500) if before is not None else None
        pages.append(run_page(run, comparison))
    return pages


def run_page(run: Run, comparison: Comparison | None) -> Page:
    commit = run.header.get("commit") or {}
    facts: list[tuple[str, Content]] = [
        ("run", run.name),
        ("begun", f"{day(run)} UTC"),
        ("commit", tag("code", commit.get("id") or "unknown")),
        ("its subject", commit.get("subject") or "unknown"),
        ("files changed since", "unknown" if commit.get("dirty") is None else "yes" if commit["dirty"] else "no"),
        ("command", tag("code", run.header.get("command") or "unknown")),
        ("load when it began", ", ".join(map(str, run.header.get("load") or ())) or "unknown"),
        ("schema version", run.header.get("written_as") or run.header.get("schema")),
    ]
    machine = [
        (words, _machine_value(key, run.machine.get(key))) for key, words in MACHINE_WORDS.items() if key in run.machine
    ]
    packages = [(name, version or "not installed") for name, version in (run.header.get("packages") or {}).items()]
    settings = [(name, _plain(value)) for name, value in (run.header.get("settings") or {}).items()]
    body: list[Content] = [tag("p", link(f"../{data_path(run)}", "Raw data of this run, all samples"))]
    for notice in run.results.notices:
        body.append(tag("p", f"Note: {notice}", class_="alert"))
    body += [pairs(facts), tag("h2", "Results"), results_table(run)]
    if comparison is not None:
        body += [tag("h2", "Against the run before it"), comparison_table(comparison)]
    body += [tag("h2", "Machine"), pairs(machine), tag("h2", "Packages"), pairs(packages)]
    body += [tag("h2", "Settings"), pairs(settings)]
    return Page(run_path(run), f"Run of {run.title}", body)


def pairs(facts: Sequence[tuple[str, Content]]) -> Markup:
    return tag("dl", [[tag("dt", name), tag("dd", value)] for name, value in facts], class_="facts")


def _machine_value(key: str, value: Any) -> Content:
    if value is None or value == "":
        return "unknown" if key != "container" else "none seen"
    if key == "memory_bytes":
        return f"{value / 2**30:.1f} GiB"
    if key == "cpu_flags":
        return tag("details", tag("summary", f"{len(value)}"), " ".join(value))
    return _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {item}" for key, item in value.items()) or "none"
    return "none" if value is None else str(value)


def results_table(run: Run) -> Markup:
    lines = []
    for row in run.rows:
        message = row.message.splitlines()[0] if row.message else ""
        lines.append(
            [
                tag("th", link(f"../{cell_path(row.key)}", cell_name(row.key)), scope="row"),
                outcome(row, "../"),
                number(f"{row.ratio:.2f}" if row.ratio else "-", row.ratio),
                number(f"{row.max_error:.1e}" if row.max_error is not None else "-", row.max_error),
                message,
            ]
        )
    return table(["cell", "derivative", "over objective", "error", "message"], lines, class_="sortable")


def comparison_table(comparison: Comparison) -> Markup:
    order = [Verdict.SLOWER, Verdict.FASTER, Verdict.UNKNOWN, Verdict.SAME]
    cells = sorted(comparison.cells, key=lambda cell: (not cell.broken, order.index(cell.verdict)))
    counts = ", ".join(f"{comparison.counts[verdict]:,} {verdict.value}" for verdict in Verdict)
    mean = comparison.mean
    words: list[Content] = ["Against ", run_link(comparison.before, "../"), f": {counts}."]
    if mean is not None:
        words.append(
            f" It takes {mean.value:.3f} times as long (geometric mean of {mean.count:,} cells,"
            f" 95 % interval {mean.low:.3f} to {mean.high:.3f})."
        )
    shown = [cell for cell in cells if cell.verdict is not Verdict.SAME or cell.broken]
    note = tag("p", *words, class_="note")
    if not shown:
        return tag("div", note)
    lines = [comparison_line(cell) for cell in shown]
    return tag("div", note, table(["cell", "before", "after", "change", "95 % interval", "verdict"], lines))


def comparison_line(cell: CellChange) -> list[Content]:
    ratio = cell.ratio.value if cell.ratio else cell.minima
    interval = f"{cell.ratio.low - 1:+.1%} to {cell.ratio.high - 1:+.1%}" if cell.ratio else "-"
    kind = {Verdict.SLOWER: "bad", Verdict.FASTER: "good"}.get(cell.verdict, "quiet")
    verdict = "broken" if cell.broken else cell.verdict.value
    return [
        tag("th", link(f"../{cell_path(cell.key)}", cell_name(cell.key)), scope="row"),
        *(number(seconds(row.derivative_median_seconds if row else None)) for row in (cell.before, cell.after)),
        number(change(ratio, noise=cell.verdict not in {Verdict.SLOWER, Verdict.FASTER})),
        number(interval),
        tag("td", tag("b", verdict, class_="bad" if cell.broken else kind), f" {cell.why}" if cell.why else ""),
    ]


def compare_page(history: History) -> Page:
    """Any two of the newest runs; ``script.js`` fills the table from the data in the page."""
    runs = history.runs[-COMPARED:][::-1]
    options = [tag("option", f"{day(run)}  {run.title}", value=index) for index, run in enumerate(runs)]
    keys = dict.fromkeys(row.key for run in runs for row in run.rows)
    data = {
        "threshold": THRESHOLD,
        "runs": [
            {
                "name": run.title,
                "machine": history.machines.index(run.machine_key),
                "cells": {"|".join(row.key): summary_of(row) for row in run.rows},
            }
            for run in runs
        ],
        "names": {"|".join(key): [cell_name(key), cell_path(key)] for key in keys},
    }
    # "<" is written as an escape, so that no text in the data can end the element.
    embedded = Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))
    selects = [
        tag("label", name, tag("select", options, id=key), class_="choice")
        for name, key in (("from (A) ", "before"), ("to (B) ", "after"))
    ]
    numbers = [tag("th", name, scope="col", class_="number") for name in ("A", "B", "change", "interval")]
    headings: list[Content] = ["cell", *numbers, "verdict"]
    body = [
        tag(
            "p",
            "Change of the median time from run A to run B, by cell. Its interval is made of the 95 % intervals of the"
            f" two medians. A verdict needs {LEAST_SAMPLES} samples on both sides, a change of more than"
            f" {THRESHOLD:.0%}, intervals that do not overlap, and minima that moved the same way.",
            class_="note",
        ),
        tag(
            "p",
            tag("code", "python -m adbench compare A B"),
            " does the same with tests of significance.",
            class_="note",
        ),
        tag("noscript", tag("p", "This page needs JavaScript; the pages of runs compare each with the run before it.")),
        tag("p", *selects, class_="tools-line"),
        tag("p", "", id="summary", role="status"),
        table(headings, [], id="compared", class_="sortable"),
        tag("script", embedded, type="application/json", id="runs-data"),
    ]
    return Page("compare.html", "Compare two runs", body)


def summary_of(row: Row) -> list[Any]:
    """[median, low, high, minimum, samples] of a right row, [status] of another."""
    if row.status is not Status.OK or not row.derivative_seconds:
        return [row.status.value]
    samples = row.samples.get("derivative") or []
    median = row.derivative_median_seconds or row.derivative_seconds
    if len(samples) < LEAST_SAMPLES:
        return [_digits(median), None, None, _digits(row.derivative_seconds), len(samples)]
    # The ratio to a constant: the interval of the median itself.
    interval = bootstrap_ratio(samples, [1e9], resamples=500)
    return [*map(_digits, (median, interval.low, interval.high, row.derivative_seconds)), len(samples)]


def _digits(value: float) -> float:
    return float(f"{value:.5g}")


def data_path(run: Run) -> str:
    return f"data/{slug(run.name)}.jsonl"


def data_page(history: History) -> Page:
    lines = [
        [tag("th", run_link(run, ""), scope="row"), day(run), link(data_path(run), data_path(run).rpartition("/")[2])]
        for run in reversed(history.runs)
    ]
    body = [
        tag(
            "p",
            "One file per run: JSON lines as ",
            tag("code", "python -m adbench run"),
            " wrote them, a header first (machine, packages, commit, settings), then one line per cell with all samples"
            " in nanoseconds. ",
            link("data/cells.csv", "cells.csv"),
            " has one line per cell and run; ",
            link("alerts.json", "alerts.json"),
            " the regressions.",
        ),
        table(["run", "begun (UTC)", "raw data"], lines),
    ]
    return Page("data.html", "Data", body)
