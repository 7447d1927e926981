"""Pages of workloads (curves over problem size) and of cells (history)."""

from __future__ import annotations

from collections.abc import Sequence

from adbench.dashboard import charts
from adbench.dashboard.html import Content, Markup, link, number, table, tag
from adbench.dashboard.overview import is_engine, newest_rows, tool_order
from adbench.dashboard.page import (
    SIGNS,
    Page,
    cell_name,
    cell_path,
    change,
    day,
    outcome,
    run_link,
    workload_path,
)
from adbench.history import BAD, CellHistory, History, Point
from adbench.looks import look_of
from adbench.run.reporting import seconds
from adbench.store import Row, Status
from adbench.workloads import all_workloads

QUANTITIES = (("Time of the derivative", True), ("Derivative over objective, each tool's own", False))


def workload_pages(history: History) -> list[Page]:
    rows = newest_rows(history)
    names = dict.fromkeys(key[0] for key in history.cells)
    return [workload_page(history, name, [row for row in rows if row.workload == name]) for name in names]


def workload_page(history: History, name: str, rows: Sequence[Row]) -> Page:
    known = all_workloads().get(name)
    path = workload_path(name)
    title = f"{name}: {known.title}" if known else name
    if not rows:
        return Page(path, title, tag("p", "No result on the machine of the newest run."))
    if all(is_engine(row) for row in rows):
        return Page(path, title, engine_table(history, rows))
    tools = tool_order(row.tool for row in rows)
    body: list[Content] = [tag("p", newest_note(history), class_="note"), tool_legend(tools)]
    x_label = known.size_label if known else "problem size"
    panels = sorted({row.panel for row in rows}, key=lambda panel: (len(panel), panel))
    for panel in panels:
        mine = [row for row in rows if row.panel == panel]
        if any(row.problem_size for row in mine):
            for heading, time in (
                ("Time of the derivative", True),
                ("Derivative over objective, each tool's own", False),
            ):
                heading += f": {panel}" if panel else ""
                drawn = [curve_of(tool, tools, mine, time) for tool in tools]
                body += [tag("h2", heading), charts.curves(drawn, x_label, time, f"{name}: {heading}")]
    cases = list(dict.fromkeys(row.case for row in rows))
    by_cell = {(row.case, row.tool): row for row in rows}
    lines = []
    for case in cases:
        cells: list[Content] = [tag("th", case, scope="row")]
        cells += [outcome(by_cell[case, tool], "../") if (case, tool) in by_cell else tag("td", "") for tool in tools]
        lines.append(cells)
    body += [
        tag("h2", "All cells"),
        tag("p", "Least time of one derivative. Each number leads to its history.", class_="note"),
        table(["case", *tools], lines, class_="numbers"),
    ]
    return Page(path, title, body)


def newest_note(history: History) -> str:
    newest = history.runs[-1]
    return (
        f"Newest results on {newest.machine.get('cpu')}; minima over repeated runs, each checked before it was timed."
    )


def tool_legend(tools: Sequence[str]) -> Markup:
    items = []
    for tool in tools:
        look = look_of(tool, tools)
        style = f"--light:{look.colour};--dark:{look.dark}"
        line = tag("path", d="M1 8L27 8", class_="curve")
        sign = tag(
            "svg", line, charts.marker(look.marker, 14, 8), viewBox="0 0 28 16", class_="tool", aria_hidden="true"
        )
        items.append(tag("li", sign, tool, style=style))
    return tag("ul", items, class_="tools")


def curve_of(tool: str, tools: Sequence[str], rows: Sequence[Row], time: bool) -> charts.Curve:
    """The least value at each size, and the sizes at which nothing was right."""
    points: dict[int, tuple[float, str]] = {}
    failures: dict[int, str] = {}
    for row in rows:
        if row.tool != tool or not row.problem_size:
            continue
        value = row.derivative_seconds if time else row.ratio
        if row.status is Status.OK and value:
            words = seconds(value) if time else f"{value:.2f}"
            if row.problem_size not in points or value < points[row.problem_size][0]:
                points[row.problem_size] = value, f"{tool}, {row.case}: {words}"
        elif row.status in BAD:
            failures[row.problem_size] = f"{tool}, {row.case}: {row.status.value}. {row.message}"
    return charts.Curve(
        tool,
        look_of(tool, tools),
        [(size, *points[size]) for size in sorted(points)],
        [(size, words) for size, words in sorted(failures.items()) if size not in points],
    )


def engine_table(history: History, rows: Sequence[Row]) -> Markup:
    lines = [cell_line(history, history.cells[row.key], "../", row.case) for row in rows]
    return table(["benchmark", "history", "newest", "change", "steps"], lines, class_="sortable")


def cell_line(history: History, cell: CellHistory, root: str, name: str) -> list[Content]:
    """A cell in a table: its name, a small history, its newest time, the change since the run before, its steps."""
    stretch = cell.current
    points = stretch.points if stretch else ()
    alarm = any(alert.key == cell.key for alert in history.alerts)
    ratio, noise = last_change(points, stretch.band.high / stretch.band.level if stretch and stretch.band else None)
    steps = stretch.steps if stretch else ()
    newest = outcome(cell.newest.row, root, cell.newest.seconds)
    return [
        tag("th", link(root + cell_path(cell.key), name), scope="row"),
        tag("td", charts.spark([point.seconds for point in points], alarm)),
        newest,
        number(change(ratio, noise), ratio),
        number(", ".join(f"{step.ratio - 1:+.1%}" for step in steps[-3:]) or "-", len(steps)),
    ]


def last_change(points: Sequence[Point], noise: float | None) -> tuple[float | None, bool]:
    """The newest value over the one before it, and whether noise explains that."""
    if len(points) < 2 or not points[-1].seconds or not points[-2].seconds:
        return None, True
    ratio = points[-1].seconds / points[-2].seconds
    return ratio, noise is None or 1 / noise <= ratio <= noise


def history_page(history: History) -> Page:
    alarmed = {alert.key for alert in history.alerts}
    order = sorted(history.cells.values(), key=lambda cell: cell.key not in alarmed)
    lines = [cell_line(history, cell, "", cell_name(cell.key)) for cell in order]
    body: list[Content] = [
        tag(
            "p",
            "Every cell over the runs on the machine of its newest one; cells with an alarm first. The change is that"
            " since the run before; it is coloured where noise of the cell's own past does not explain it.",
            class_="note",
        ),
        tag(
            "p",
            tag("label", "Show cells that contain ", tag("input", type="search", id="filter", data_for="cells")),
            tag("span", "", id="filtered", role="status"),
            class_="tools-line",
        ),
        table(["cell", "history", "newest", "change", "steps"], lines, class_="sortable", id="cells"),
    ]
    return Page("history.html", "History", body)


def cell_pages(history: History) -> list[Page]:
    return [cell_page(history, cell) for cell in history.cells.values()]


def cell_page(history: History, cell: CellHistory) -> Page:
    stretch = cell.current
    alarm = next((alert for alert in history.alerts if alert.key == cell.key), None)
    levels = {point.run: level for one in cell.stretches for point, level in zip(one.points, one.levels, strict=True)}
    dots = [
        charts.Dot(
            point.seconds,
            f"{history.runs[point.run].title}, {day(history.runs[point.run])}: "
            + (seconds(point.seconds) if point.seconds else f"{point.row.status.value}. {point.row.message}"),
            levels.get(point.run),
            point.machine,
            alarm is not None and point.run >= alarm.since,
        )
        for point in cell.points
        if point.row.status is not Status.SKIPPED
    ]
    name = cell_name(cell.key)
    band = (stretch.band.low, stretch.band.high) if stretch and stretch.band else None
    ends = [day(history.runs[cell.points[index].run])[:10] for index in (0, -1)]
    body: list[Content] = []
    if alarm is not None:
        words = alarm.message if alarm.ratio is None else f"{alarm.ratio - 1:+.1%}"
        body.append(tag("p", f"Regression: {words} since ", run_link(history.runs[alarm.since], "../"), class_="alert"))
    body += [
        tag(
            "p",
            f"{history.statistic.value.capitalize()} over the samples of each run. Line: the level between steps;"
            " shaded: what noise explains, from the values of the newest level; ✗: not right.",
            class_="note",
        ),
        charts.history(dots, band, ends[0], ends[1], f"history of {name}"),
        tag("p", link(f"../{workload_path(cell.key[0])}", f"All of {cell.key[0]}")),
        tag("h2", "Runs, newest first"),
        table(["run", "begun (UTC)", "time", "to the run before", "samples", "what"], cell_lines(history, cell)),
    ]
    return Page(cell_path(cell.key), name, body)


def cell_lines(history: History, cell: CellHistory) -> list[list[Content]]:
    lines: list[list[Content]] = []
    starts = {one.points[step.index].run: step for one in cell.stretches for step in one.steps}
    before: dict[int, float] = {}
    for point in cell.points:
        run = history.runs[point.run]
        ratio = point.seconds / before[point.machine] if point.seconds and point.machine in before else None
        notes = []
        if point.run in starts:
            notes.append(f"step of {starts[point.run].ratio - 1:+.1%}")
        if lines and point.machine != cell.points[len(lines) - 1].machine:
            notes.append("other machine")
        if point.row.message:
            notes.append(point.row.message)
        shown = seconds(point.seconds) if point.seconds else SIGNS.get(point.row.status, "-")
        samples = len(point.row.samples.get("derivative") or ())
        lines.append(
            [
                tag("th", run_link(run, "../"), scope="row"),
                day(run),
                number(tag("span", shown, class_="bad" if point.row.status in BAD else None)),
                number(change(ratio, noise=point.run not in starts)),
                number(samples or "-"),
                "; ".join(notes),
            ]
        )
        if point.seconds:
            before[point.machine] = point.seconds
    return lines[::-1]
