"""The commands on stored results: ``compare``, ``import``, ``dashboard``."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from adbench.comparing import THRESHOLD, CellChange, Comparison, Verdict, compare_runs
from adbench.errors import BenchError, UsageError
from adbench.history import THRESHOLD as ALARM_THRESHOLD
from adbench.history import History, Statistic
from adbench.interleaving import measure_in_turn
from adbench.published import FAR, RATIOS, RELATIVE, Beside, beside
from adbench.run.reporting import number, seconds
from adbench.sources import RUN_FOLDERS, find_run, load_all, read_pytest_benchmark
from adbench.store import FILE_NAME, ResultStore
from adbench.terminal import EXIT_WRONG, console, fail
from adbench.workloads.base import Size

STYLES = {Verdict.FASTER: "green", Verdict.SLOWER: "bold red", Verdict.SAME: "", Verdict.UNKNOWN: "dim"}


def compare(
    before: Annotated[str, typer.Argument(metavar="A", help="A run's folder or file, or a commit that a run is of.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The same, for the run that is judged.")],
    threshold: Annotated[float, typer.Option(min=0.0, help="Changes smaller than this share are no news.")] = THRESHOLD,
    across_machines: Annotated[bool, typer.Option("--across-machines", help="Compare runs of two machines.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", dir_okay=False, help="Write the comparison to this file as well.")
    ] = None,
    interleave: Annotated[
        bool, typer.Option("--interleave", help="A and B are commits ('.': the working tree); run both in turn, now.")
    ] = False,
    rounds: Annotated[int, typer.Option(min=1, help="With --interleave: how often each is run.")] = 3,
    out: Annotated[Path | None, typer.Option("--out", file_okay=False, help="With --interleave: folder.")] = None,
    workload: Annotated[list[str] | None, typer.Option("--workload", help="With --interleave: as for run.")] = None,
    tool: Annotated[list[str] | None, typer.Option("--tool", help="With --interleave: as for run.")] = None,
    size: Annotated[Size | None, typer.Option("--size", help="With --interleave: as for run.")] = None,
    min_seconds: Annotated[float, typer.Option(min=0.0, help="With --interleave: as for run, per round.")] = 0.5,
) -> None:
    """Compare two runs, cell by cell. Exit status 1 if B is slower anywhere, or fails where A was right."""
    screen = console()
    try:
        if interleave:
            options = [f"--workload={name}" for name in workload or ()] + [f"--tool={name}" for name in tool or ()]
            options += [f"--size={size.value}"] if size else []
            options += [f"--min-seconds={min_seconds:g}"]
            folder = out or Path("adbench-results") / f"{datetime.datetime.now():%Y%m%d-%H%M%S}-turns"
            first, second = measure_in_turn((before, after), options, folder, rounds, screen.print)
            screen.print(f"results: {folder}", soft_wrap=True)
        else:
            if out or workload or tool or size:
                raise UsageError("--out, --workload, --tool and --size go with --interleave only")
            first, second = find_run(before), find_run(after)
        for run in (first, second):
            for notice in run.results.notices:
                screen.print(f"note: {notice}", style="yellow", soft_wrap=True)
        comparison = compare_runs(first, second, threshold, across_machines)
        if json_file is not None:
            json_file.write_text(json.dumps(comparison.record(), indent=1) + "\n", encoding="utf-8")
    except BenchError as error:
        fail(error)
    except OSError as error:
        fail(f"cannot write {error.filename}: {error.strerror}")
    show(screen, comparison, threshold)
    if comparison.worse:
        raise typer.Exit(EXIT_WRONG)


def show(screen: Console, comparison: Comparison, threshold: float) -> None:
    """The table of cells, worst first, and two lines that say it all."""
    if comparison.machines:
        text = f"warning: the runs are of different machines ({comparison.machines}); ratios mix code and machine"
        screen.print(Text(text, style="bold yellow"), soft_wrap=True)
    table = Table(title=f"A = {comparison.before.title}, B = {comparison.after.title}", title_justify="left")
    for heading in ("workload", "case", "tool"):
        table.add_column(heading)
    for heading in ("A", "B", "B / A", "95 % interval"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    table.add_column("why")
    for cell in sorted(comparison.cells, key=_worst_first):
        ratio, interval = "-", "-"
        if cell.ratio is not None:
            ratio, interval = f"{cell.ratio.value:.3f}", f"{cell.ratio.low:.3f} to {cell.ratio.high:.3f}"
        elif cell.minima is not None:
            ratio = f"({cell.minima:.3f})"
        verdict = Text(cell.verdict.value, style=STYLES[cell.verdict])
        if cell.broken:
            verdict = Text("broken", style="bold red")
        times = [seconds(row.derivative_median_seconds if row else None) for row in (cell.before, cell.after)]
        table.add_row(*cell.key[:3], *times, ratio, interval, verdict, Text(cell.why))
    screen.print(table)
    counts = ", ".join(f"{comparison.counts[verdict]} {verdict.value}" for verdict in Verdict)
    screen.print(f"{counts} (changes of {threshold:.0%} and less are no news)")
    if comparison.mean is not None:
        mean = comparison.mean
        cells = "cell" if mean.count == 1 else "cells"
        screen.print(
            f"B takes {mean.value:.3f} times as long as A (geometric mean;"
            f" 95 % interval {mean.low:.3f} to {mean.high:.3f}; {mean.count} {cells})",
            soft_wrap=True,
        )


def _worst_first(cell: CellChange) -> tuple[object, ...]:
    order = [Verdict.SLOWER, Verdict.UNKNOWN, Verdict.FASTER, Verdict.SAME]
    return (not cell.broken, order.index(cell.verdict), -(cell.ratio.value if cell.ratio else 0.0))


def import_file(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSON written by pytest-benchmark.")],
    out: Annotated[Path | None, typer.Option("--out", file_okay=False, help="Folder of the run that is made.")] = None,
) -> None:
    """Make a run of a pytest-benchmark file, so that it stands beside the others."""
    target = out or Path("adbench-results") / f"imported-{file.stem}"
    try:
        results = read_pytest_benchmark(file)
        with ResultStore(target, results.headers[0], resume=False) as store:
            for row in results.rows:
                store.append(row)
    except BenchError as error:
        fail(error)
    console().print(f"{len(results.rows)} benchmarks: {target / FILE_NAME}", soft_wrap=True)


def dashboard(
    results: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders and files of runs, or pytest-benchmark's. Default: results, adbench-results."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", file_okay=False, help="Folder of the site.")] = Path("dashboard"),
    statistic: Annotated[
        Statistic, typer.Option(help="Which number stands for a run's samples; auto: the less noisy one.")
    ] = Statistic.AUTO,
    threshold: Annotated[float, typer.Option(min=0.0, help="Smaller slowdowns raise no alarm.")] = ALARM_THRESHOLD,
    new_only: Annotated[
        bool, typer.Option("--new-only", help="Exit status 1 only for what the newest run showed first.")
    ] = False,
) -> None:
    """Make a static site of all stored runs, with an alert list. Exit status 1 if a cell is slower or fails."""
    from adbench.dashboard import ALERTS, build

    screen = console()
    try:
        paths = results or [folder for folder in RUN_FOLDERS if folder.is_dir()]
        missing = next((path for path in paths if not path.exists()), None)
        if missing is not None:
            raise UsageError("there is nothing here", where=str(missing))
        history = History(load_all(paths), statistic, threshold=threshold)
        first = build(history, out)[0]
    except BenchError as error:
        fail(error)
    except OSError as error:
        fail(f"cannot write the dashboard to {out}: {error.strerror}")
    for alert in history.alerts:
        since = history.runs[alert.since]
        words = " ".join(alert.key[:3])
        new = "new: " if alert.new else ""
        screen.print(
            Text(f"{new}{alert.kind}: {words}: {alert.message}, since {since.title}", style="red"), soft_wrap=True
        )
    screen.print(f"alerts: {out / ALERTS} ({len(history.alerts)})", soft_wrap=True)
    screen.print(f"dashboard: {first}", soft_wrap=True)
    if any(alert.new or not new_only for alert in history.alerts):
        raise typer.Exit(EXIT_WRONG)


def published(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's folder or file, or a commit that a run is of.")],
) -> None:
    """Show what a run measured beside published values, and which are not of one order of magnitude."""
    screen = console()
    try:
        found = beside(find_run(run).results.rows, (*RATIOS, *RELATIVE))
    except BenchError as error:
        fail(error)
    screen.print(published_table(found))
    far = [each for each in found if each.far]
    measured = sum(each.measured is not None for each in found)
    screen.print(f"{len(far)} of {measured} values that were measured are more than a factor {FAR:g} away")


def published_table(found: list[Beside]) -> Table:
    """One line per published value."""
    table = Table(title="beside published values", title_justify="left")
    for heading in ("quantity", "workload", "tool"):
        table.add_column(heading)
    for heading in ("published", "measured", "cells", "factor"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for each in found:
        value = each.published
        span = number(value.low, ".3g") + ("" if value.low == value.high else f" to {number(value.high, '.3g')}")
        note = Text(f"more than {FAR:g} times apart", style="bold yellow") if each.far else Text(each.why_not, "dim")
        cells = str(len(each.values)) if each.values else "-"
        measured, factor = number(each.measured, ".3g"), number(each.factor, ".2f")
        table.add_row(value.quantity, value.workload, value.tool, span, measured, cells, factor, note)
    return table
