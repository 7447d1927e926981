"""The first page: what is new, and the matrix of workloads and tools; and the list of workloads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adbench.dashboard.html import Content, Markup, link, table, tag
from adbench.dashboard.page import Page, alert_list, day, run_link, workload_path
from adbench.history import BAD, History
from adbench.identity import machine_name
from adbench.run.reporting import speedup
from adbench.sources import PYTEST_BENCHMARK
from adbench.statistics import geometric_mean
from adbench.store import Row, Status
from adbench.tools.registry import ENZYME, ENZYME_PRE, all_tools
from adbench.workloads import all_workloads

DARKEST = 30.0
"""Times the best at which a cell has lost all its colour."""


@dataclass(frozen=True)
class Tile:
    """One workload and tool: the geometric mean of its times over the best of each case, and what failed."""

    ratio: float | None
    cases: int
    bad: Counter[Status]
    skipped: str


def newest_rows(history: History) -> list[Row]:
    """The newest row of each cell that the newest machine has measured; ratios never mix machines."""
    if not history.runs:
        return []
    machine = history.machines.index(history.runs[-1].machine_key)
    points = [[point for point in cell.points if point.machine == machine] for cell in history.cells.values()]
    return [mine[-1].row for mine in points if mine]


def is_engine(row: Row) -> bool:
    """Whether a row is one of the engine's own benchmarks rather than a tool on a workload."""
    return row.tool == PYTEST_BENCHMARK


def tool_order(names: Iterable[str]) -> list[str]:
    """Tools as the harness lists them, others by name after them."""
    known = list(all_tools())
    return sorted(set(names), key=lambda name: (known.index(name) if name in known else len(known), name))


def tiles(rows: Sequence[Row]) -> dict[tuple[str, str], Tile]:
    """The matrix: by workload and tool."""
    best: dict[tuple[str, str, str], float] = {}
    for row in rows:
        if row.status is Status.OK and row.derivative_seconds:
            case = (row.workload, row.case, row.device)
            best[case] = min(best.get(case, math.inf), row.derivative_seconds)
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.workload, row.tool), []).append(row)
    made = {}
    for key, members in groups.items():
        ratios = [
            row.derivative_seconds / best[row.workload, row.case, row.device]
            for row in members
            if row.status is Status.OK and row.derivative_seconds
        ]
        bad = Counter(row.status for row in members if row.status in BAD)
        skipped = next((row.message for row in members if row.status is Status.SKIPPED), "")
        made[key] = Tile(geometric_mean(ratios) if ratios else None, len(ratios), bad, skipped)
    return made


def ratio_words(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"


def tile_cell(tile: Tile | None, href: str) -> Markup:
    if tile is None:
        return tag("td", "", class_="tile none")
    failures = [f"{count} {status.value}" for status, count in tile.bad.items()]
    if tile.ratio is None and not failures:
        why = tile.skipped.splitlines()[0] if tile.skipped else ""
        return tag("td", tag("span", "not run", title=why or None), class_="tile none")
    parts: list[Content] = []
    if tile.ratio is not None:
        parts.append(tag("b", ratio_words(tile.ratio)))
    if failures:
        parts.append(tag("span", "✗ ", ", ".join(failures), class_="failures"))
    title = f"{tile.cases} right" + "".join(f", {failure}" for failure in failures)
    if tile.ratio is None:
        return tag("td", link(href, parts, title=title), class_="tile failed")
    return shaded("td", shade_of(tile.ratio), link(href, parts, title=title))


def matrix(rows: Sequence[Row], root: str) -> Markup:
    """Workloads by tools, without those that were skipped everywhere."""
    made = tiles(rows)
    tools = tool_order(row.tool for row in rows if row.status is not Status.SKIPPED)
    known = all_workloads()
    body = []
    for workload in dict.fromkeys(workload for workload, _ in made):
        href = root + workload_path(workload)
        title = known[workload].title if workload in known else None
        cells = [tile_cell(made.get((workload, tool)), href) for tool in tools]
        body.append([tag("th", link(href, workload, title=title), scope="row"), *cells])
    means: list[Content] = [tag("th", "geometric mean", scope="row")]
    for tool in tools:
        ratios = [tile.ratio for (_, name), tile in made.items() if name == tool and tile.ratio]
        words = f"{ratio_words(geometric_mean(ratios))}" if ratios else "-"
        means.append(tag("td", tag("b", words), tag("span", f" of {len(ratios)}", class_="quiet"), class_="tile"))
    return table(["workload", *tools], [*body, means], class_="matrix")


def shade_of(ratio: float) -> float:
    """How much colour a ratio has: all for the fastest, none at ``DARKEST`` times its time."""
    return max(0.0, 1.0 - math.log(ratio) / math.log(DARKEST))


def shaded(name: str, shade: float, *content: Content, class_: str = "tile") -> Markup:
    strong = " strong" if shade > 0.7 else ""
    return tag(name, *content, class_=class_ + strong, style=f"--shade:{shade:.0%}")


def legend() -> Markup:
    swatches = [shaded("span", shade_of(ratio), ratio_words(ratio)) for ratio in (1.0, 2.0, 5.0, 10.0, 30.0)]
    return tag("p", "fastest ", swatches, " slower", class_="legend")


def card(name: str, *content: Content) -> Markup:
    return tag("div", tag("dt", name), tag("dd", *content), class_="card")


def cards(history: History, rows: Sequence[Row]) -> Markup:
    newest = history.runs[-1]
    right = sum(row.status is Status.OK for row in rows)
    bad = sum(row.status in BAD for row in rows)
    made = [
        card("newest run", run_link(newest, ""), tag("small", day(newest), " UTC")),
        card("machine", machine_name(newest.machine)),
        card(
            "cells",
            f"{right:,} right",
            tag("small", f"{bad:,} failed, {len(rows) - right - bad:,} not run", class_="bad" if bad else None),
        ),
    ]
    gain = speedup(rows)
    if gain is not None:
        interval = f"95 % interval {gain.low:.2f} to {gain.high:.2f}, {gain.count} cases"
        made.append(card(f"{ENZYME} against {ENZYME_PRE}", f"{gain.value:.2f} times as fast", tag("small", interval)))
    return tag("dl", made, class_="cards")


def overview(history: History) -> Page:
    rows = newest_rows(history)
    tools = [row for row in rows if not is_engine(row)]
    body: list[Content] = [
        cards(history, tools),
        tag("h2", "Regressions", id="alerts"),
        alert_list(history, ""),
        tag(
            "p",
            f"A cell is listed when its level has risen by more than {history.threshold:.0%} and chance explains that"
            f" in fewer than {history.false_alarms:.0%} of histories of this size, or when it was right and is not any"
            " more. ",
            link("alerts.json", "The list as JSON"),
            ".",
            class_="note",
        ),
    ]
    if tools:
        body += [
            tag("h2", "Workloads and tools"),
            tag(
                "p",
                "Time of each tool's derivative over that of the fastest tool, geometric mean over the cases that it"
                " got right: 1 is the fastest. ✗ counts cases that were wrong, failed or took too long; they are in"
                " no mean. Newest results of each cell on this machine.",
                class_="note",
            ),
            legend(),
            matrix(tools, ""),
        ]
        absent = {row.tool for row in tools} - {row.tool for row in tools if row.status is not Status.SKIPPED}
        if absent:
            body.append(tag("p", f"Skipped everywhere: {', '.join(tool_order(absent))}.", class_="note"))
    engine = sorted({row.workload for row in rows if is_engine(row)})
    if engine:
        items = [tag("li", link(workload_path(name), name)) for name in engine]
        body += [tag("h2", "The engine's own benchmarks"), tag("ul", items)]
    return Page("index.html", "Overview", body)


def workload_list(history: History) -> Page:
    known = all_workloads()
    counts: Counter[str] = Counter(key[0] for key in history.cells)
    rows = [
        [
            tag("th", link(workload_path(name), name), scope="row"),
            known[name].title if name in known else "",
            tag("td", f"{count:,}", class_="number"),
        ]
        for name, count in counts.items()
    ]
    body = [
        tag("p", "Curves over problem size and all cells of each workload.", class_="note"),
        table(["workload", "what it is", "cells"], rows),
    ]
    return Page("workloads.html", "Workloads", body)
