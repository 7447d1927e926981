"""A run from first to last cell: case by case, tools interleaved, every row on disk as soon as it is known."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from adbench.errors import BenchError
from adbench.process.client import ToolProcess
from adbench.process.messages import Exchange
from adbench.run.cell import CaseData, Cell
from adbench.run.pool import ToolPool
from adbench.run.settings import ROUNDS, Settings
from adbench.run.timeouts import Timeouts, why_untried
from adbench.store import ResultStore, Row, Status, now
from adbench.tools.base import Tool
from adbench.tools.registry import reference_tool
from adbench.workloads.base import Case, Workload


class Reporter(Protocol):
    """Who is told how the run goes."""

    def begin(self, cells: int, done: int) -> None: ...

    def at_work(self, case: str, tool: str, doing: str) -> None: ...

    def row(self, row: Row) -> None: ...

    def notice(self, text: str) -> None: ...


@dataclass(frozen=True)
class Plan:
    """The cells of a run that are still to do, case by case."""

    workload: Workload
    case: Case
    tools: tuple[Tool, ...]


def open_plans(settings: Settings, store: ResultStore) -> list[Plan]:
    """Every case with the tools that have no final row yet."""

    def is_open(workload: Workload, case: Case, tool: Tool) -> bool:
        key = (workload.name, case.name, tool.name, settings.device)
        return not store.done(key) or (settings.try_all and bool(store.rows[key].untried_after))

    plans = []
    for workload in settings.workloads:
        for case in settings.cases(workload):
            tools = tuple(tool for tool in settings.tools if is_open(workload, case, tool))
            if tools:
                plans.append(Plan(workload, case, tools))
    return plans


def cells_of(settings: Settings) -> int:
    return sum(len(settings.cases(workload)) for workload in settings.workloads) * len(settings.tools)


def run(
    settings: Settings, store: ResultStore, reporter: Reporter, start: Callable[[str], ToolProcess] = ToolProcess
) -> None:
    """Do every open cell. Faults of tools and of data files become rows; faults of the store end the run."""
    plans = open_plans(settings, store)
    total = cells_of(settings)
    for text in store.notices:
        reporter.notice(text)
    reporter.begin(total, total - sum(len(plan.tools) for plan in plans))
    timeouts = Timeouts() if settings.try_all else Timeouts(store.rows.values())
    with tempfile.TemporaryDirectory(prefix="adbench-") as folder, ToolPool(start, reporter.notice) as pool:
        for plan in plans:
            for row in run_case(settings, plan, pool, Path(folder), reporter, timeouts):
                store.append(row)
                reporter.row(row)
                if not settings.try_all:
                    timeouts.note(row)
            pool.remove_files()


def run_case(
    settings: Settings, plan: Plan, pool: ToolPool, folder: Path, reporter: Reporter, timeouts: Timeouts
) -> Iterator[Row]:
    """The rows of one case, each as soon as it is final."""
    runnable = []
    for tool in plan.tools:
        reason = reason_to_skip(tool, settings.device)
        if reason:
            yield plain_row(plan, tool, settings.device, Status.SKIPPED, reason)
        elif smaller := timeouts.below(plan.workload, plan.case, tool.name, settings.device):
            row = plain_row(plan, tool, settings.device, Status.TIMEOUT, why_untried(smaller))
            yield replace(row, untried_after=smaller.case)
        else:
            runnable.append(tool)
    if not runnable:
        return
    try:
        data = load_case(settings, plan, folder)
    except BenchError as error:
        for tool in runnable:
            yield plain_row(plan, tool, settings.device, Status.ERROR, str(error))
        return
    try:
        yield from measure_case(settings, data, runnable, pool, reporter)
    finally:
        for path in folder.glob("*.npy"):
            path.unlink(missing_ok=True)


def measure_case(
    settings: Settings, data: CaseData, tools: list[Tool], pool: ToolPool, reporter: Reporter
) -> Iterator[Row]:
    """Check every tool, then measure those that passed in interleaved rounds."""
    cells = [Cell(tool, data, settings.device, settings.timeout) for tool in tools]
    find_reference(cells, data, settings, pool, reporter)
    for cell in cells:
        if cell.verdict is None and cell.alive:
            reporter.at_work(data.case.name, cell.tool.name, "checking")
            cell.check(pool)
        if not cell.alive:
            yield cell.row()
    share = settings.plan.share(ROUNDS)
    for number in range(ROUNDS):
        for cell in cells:
            if cell.alive:
                reporter.at_work(data.case.name, cell.tool.name, f"measuring, round {number + 1} of {ROUNDS}")
                cell.measure(pool, share)
                if not cell.alive:
                    yield cell.row()
    yield from (cell.row() for cell in cells if cell.alive)


def find_reference(cells: list[Cell], data: CaseData, settings: Settings, pool: ToolPool, reporter: Reporter) -> None:
    """Take the reference tool's derivative as the reference if it passes the check by complex-step directions."""
    tool = reference_tool()
    if tool is None or reason_to_skip(tool, "cpu"):
        return
    cell = next((cell for cell in cells if cell.tool.name == tool.name), None)
    if cell is None:
        cell = Cell(tool, data, "cpu", settings.timeout)
    reporter.at_work(data.case.name, tool.name, "reference")
    derivative = cell.check(pool)
    if cell.alive:
        data.reference, data.reference_name = derivative, tool.name


def load_case(settings: Settings, plan: Plan, folder: Path) -> CaseData:
    inputs = plan.workload.inputs(plan.case, settings.seed)
    exchange = Exchange(folder, "case")
    message = exchange.loads(exchange.dumps(inputs))
    objective = plan.workload.objective(inputs)
    return CaseData(plan.workload, plan.case, inputs, message, objective, settings.seed)


def reason_to_skip(tool: Tool, device: str) -> str:
    """Why a tool cannot run here, with what to do about it; empty if it can."""
    if device not in tool.devices:
        return f"{tool.name} runs on {', '.join(tool.devices)} only, not on {device}"
    missing = tool.missing()
    if missing:
        return f"not installed ({', '.join(missing)}): {tool.install}"
    return ""


def plain_row(plan: Plan, tool: Tool, device: str, status: Status, message: str) -> Row:
    """A row without measurements."""
    return Row(
        workload=plan.workload.name,
        case=plan.case.name,
        tool=tool.name,
        device=device,
        status=status,
        message=message,
        dimensions=dict(plan.case.dimensions),
        problem_size=plan.workload.problem_size(plan.case),
        panel=plan.workload.panel(plan.case),
        data_file=None if plan.case.path is None else str(plan.case.path),
        time=now(),
    )
