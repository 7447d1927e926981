"""The command line: what measures here, what reads stored results in ``results_commands``."""

from __future__ import annotations

import contextlib
import datetime
import signal
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from adbench import results_commands
from adbench.errors import BenchError, UsageError
from adbench.measuring import RunPlan
from adbench.run.reporting import ConsoleReporter, speedup_line, summary_table
from adbench.run.session import run as run_session
from adbench.run.settings import Settings
from adbench.store import FILE_NAME, ResultStore, Row, Status, make_header, read_results
from adbench.terminal import EXIT_INTERRUPTED, EXIT_WRONG, console, fail
from adbench.tools.base import Tool
from adbench.tools.registry import ENZYME, all_tools, get_tool
from adbench.workloads import all_workloads, get_workload
from adbench.workloads.base import Size, Workload

RUNS = Path("adbench-results")
"""Where runs go that name no folder: one folder per start time."""

app = typer.Typer(
    help="Time, check and compare automatic differentiation tools on the workloads of their field.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Device(StrEnum):
    CPU = "cpu"
    CUDA = "cuda"


WorkloadOption = Annotated[
    list[str] | None, typer.Option("--workload", help="A workload to run; may be repeated. Default: all.")
]
ToolOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tool",
        help="A tool to run, or NAME='COMMAND ARGUMENTS', a program that speaks GradBench's protocol; may be repeated."
        " Default: all but those that `list` shows as on demand.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the generated inputs.")]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", exists=True, file_okay=False, help="Folder of ADBench data files to use as inputs."),
]
TimeoutOption = Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds that one cell may take.")]


def chosen_workloads(names: list[str] | None) -> tuple[Workload, ...]:
    return tuple(get_workload(name) for name in dict.fromkeys(names)) if names else tuple(all_workloads().values())


def chosen_tools(names: list[str] | None) -> tuple[Tool, ...]:
    if not names:
        return tuple(tool for tool in all_tools().values() if not tool.on_demand)
    tools: dict[str, Tool] = {}
    for name in names:
        tool = _chosen_tool(name)
        if tools.setdefault(tool.name, tool) != tool:
            raise UsageError(f"two tools are named {tool.name!r}")
    return tuple(tools.values())


def _chosen_tool(text: str) -> Tool:
    name, foreign, command = text.partition("=")
    if not foreign:
        return get_tool(text)
    from adbench.gradbench.client import gradbench_tool

    if name in all_tools():
        raise UsageError(f"{name!r} is one of the harness's own tools", hint="give the command another name")
    return gradbench_tool(name, command)


def newest_run() -> Path | None:
    """The run under ``RUNS`` whose results are newest."""
    found = sorted(RUNS.glob(f"*/{FILE_NAME}"), key=lambda path: path.stat().st_mtime)
    return found[-1].parent if found else None


def output_folder(out: Path | None, resume: bool) -> Path:
    if out is not None:
        return out
    newest = newest_run() if resume else None
    return newest or RUNS / datetime.datetime.now().strftime("%Y%m%d-%H%M%S")


@contextlib.contextmanager
def terminated_as_interrupt() -> Iterator[None]:
    """Let SIGTERM end a run as Ctrl-C does: tools ended, rows kept."""

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


@app.command()
def run(
    workload: WorkloadOption = None,
    tool: ToolOption = None,
    size: Annotated[Size | None, typer.Option("--size", help="Which cases. Default: small.")] = None,
    device: Annotated[Device, typer.Option("--device")] = Device.CPU,
    out: Annotated[Path | None, typer.Option("--out", file_okay=False, help="Folder of results.")] = None,
    min_seconds: Annotated[float, typer.Option("--min-seconds", min=0.0, help="Least time measured.")] = 0.5,
    min_runs: Annotated[int, typer.Option("--min-runs", min=1, help="Least number of samples.")] = 5,
    timeout: TimeoutOption = 120.0,
    seed: SeedOption = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the results in the folder.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show only what is wrong, and the last line.")] = False,
    data: DataOption = None,
    try_all: Annotated[
        bool, typer.Option("--try-all", help="Try cases also where a smaller one took the same tool too long.")
    ] = False,
    most_cases: Annotated[
        int | None,
        typer.Option("--cases", min=1, help="At most so many cases of each panel, spread over its sizes."),
    ] = None,
) -> None:
    """Measure: every tool on every case, checked before it is timed. Exit status 0 only if nothing was wrong."""
    screen = console()
    plan = RunPlan(min_runs, min_seconds, max(10.0 * min_seconds, 1.0))
    try:
        settings = Settings(
            chosen_workloads(workload),
            chosen_tools(tool),
            size,
            device.value,
            output_folder(out, resume),
            plan,
            timeout,
            seed,
            resume,
            data,
            try_all,
            most_cases,
        )
        if data is not None and not any(settings.cases(chosen) for chosen in settings.workloads):
            read = ", ".join(chosen.data_pattern for chosen in settings.workloads if chosen.data_pattern) or "none"
            raise UsageError("no data file of these workloads and sizes", where=str(data), hint=f"files read: {read}")
        with (
            ResultStore(settings.out, make_header(settings.record(), settings.requires()), resume) as store,
            terminated_as_interrupt(),
        ):
            try:
                with ConsoleReporter(screen, quiet) as reporter:
                    run_session(settings, store, reporter)
            except KeyboardInterrupt:
                again = f"python -m adbench run --out {settings.out} --resume"
                fail(f"interrupted; {len(store.rows)} rows are kept. Go on with: {again}", EXIT_INTERRUPTED)
            rows = settings.in_order(store.rows.values())
    except BenchError as error:
        fail(error)
    finish(screen, settings.out, rows, quiet)


def finish(screen: Console, out: Path, rows: list[Row], quiet: bool) -> None:
    """Show the summary, draw the figures, and end with the exit status that the rows deserve."""
    if not quiet:
        screen.print()
        screen.print(summary_table(rows))
        draw(screen, out, out / "figures")
        screen.print(f"results: {out / FILE_NAME}", soft_wrap=True)
    if all(row.status is Status.SKIPPED for row in rows):
        reasons = sorted({f"{row.tool}: {row.message}" for row in rows})
        screen.print("nothing was measured; every cell was skipped", *reasons, sep="\n  ", soft_wrap=True)
    screen.print(speedup_line(rows), soft_wrap=True)
    bad = sum(row.status in {Status.WRONG, Status.ERROR} for row in rows)
    if bad:
        fail(f"{bad} of {len(rows)} cells are wrong or failed", EXIT_WRONG)


def draw(screen: Console, source: Path, target: Path) -> None:
    """Draw the figures of a run; what cannot be drawn is said, and harms nothing."""
    from adbench.figures import draw_all  # matplotlib takes a second to import

    try:
        for path in draw_all(read_results(source), target):
            screen.print(f"drawn: {path}", soft_wrap=True)
    except (BenchError, OSError) as error:
        screen.print(f"no figures: {error}", markup=False, soft_wrap=True)


@app.command("list")
def list_command() -> None:
    """Show workloads, their cases by size, and tools."""
    from adbench.doctor import tools_table, workloads_table

    screen = console()
    screen.print(workloads_table())
    screen.print(tools_table())


@app.command()
def doctor() -> None:
    """Show which tools are here, whether they start, and how to get the others."""
    from adbench.doctor import examine

    if not examine(console()):
        raise typer.Exit(EXIT_WRONG)


@app.command()
def verify(
    workload: WorkloadOption = None,
    tool: ToolOption = None,
    size: Annotated[Size | None, typer.Option("--size", help="Which cases. Default: small.")] = None,
    timeout: TimeoutOption = 120.0,
    seed: SeedOption = 1,
    data: DataOption = None,
) -> None:
    """Check derivatives, time nothing: gradients against references, reverse against forward mode and differences."""
    from adbench.verify import verify_all

    try:
        settings = Settings(chosen_workloads(workload), chosen_tools(tool), size, timeout=timeout, seed=seed, data=data)
        correct = verify_all(settings, console())
    except BenchError as error:
        fail(error)
    if not correct:
        raise typer.Exit(EXIT_WRONG)


@app.command()
def figures(
    results: Annotated[
        Path | None,
        typer.Argument(help="A results file or its folder. Default: the newest run."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", file_okay=False, help="Folder of the figures.")] = None,
) -> None:
    """Draw every figure from stored results: PNG, SVG, and the numbers as CSV."""
    from adbench.figures import draw_all

    source = results or newest_run()
    if source is None:
        fail("there are no results under adbench-results/; run `python -m adbench run` first, or name a results file")
    target = out or (source if source.is_dir() else source.parent) / "figures"
    screen = console()
    try:
        loaded = read_results(source)
        for notice in loaded.notices:
            screen.print(f"note: {notice}", style="yellow", soft_wrap=True)
        for path in draw_all(loaded, target):
            screen.print(f"drawn: {path}", soft_wrap=True)
    except BenchError as error:
        fail(error)
    except OSError as error:
        fail(f"cannot write figures to {target}: {error.strerror}")


app.command("compare")(results_commands.compare)
app.command("import")(results_commands.import_file)
app.command("dashboard")(results_commands.dashboard)
app.command("published")(results_commands.published)


@app.command("tool")
def tool_command(
    name: Annotated[str, typer.Argument(help="Which of the harness's tools answers.")] = ENZYME,
) -> None:
    """Be a GradBench tool: answer an eval's messages on standard input, one line of JSON each."""
    from adbench.gradbench.server import serve
    from adbench.process.server import private_output

    try:
        chosen = get_tool(name)
    except BenchError as error:
        fail(error)
    serve(chosen, sys.stdin, private_output())


@app.command("tool-process", hidden=True)
def tool_process(name: str) -> None:
    """Serve one tool over standard input and output; started by the harness."""
    from adbench.process.server import main

    sys.exit(main(name))
