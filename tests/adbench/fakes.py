"""What the tests of runs share: fake tools, tiny data files, a reporter that remembers."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from adbench.measuring import RunPlan
from adbench.process.client import ToolProcess
from adbench.run.settings import Settings
from adbench.store import Row
from adbench.tools.base import Tool
from adbench.workloads import get_workload
from adbench.workloads.gmm.files import write_gmm
from adbench.workloads.gmm.workload import make_case

SCRIPT = Path(__file__).with_name("fake_tool.py")
QUICK = RunPlan(min_runs=2, min_seconds=0.001, max_seconds=0.5)


def fake(behaviour: str) -> Tool:
    return Tool(name=f"fake-{behaviour}", title="a fake", runner="nowhere:Nothing")


def start(name: str) -> ToolProcess:
    """Fake tools from the script beside this file, real ones as they are."""
    if name.startswith("fake-"):
        return ToolProcess(name, [sys.executable, str(SCRIPT), name.removeprefix("fake-")])
    return ToolProcess(name)


def write_cases(folder: Path, components: tuple[int, ...] = (1, 2)) -> Path:
    """One tiny data file for each number of components."""
    folder.mkdir(parents=True, exist_ok=True)
    workload = get_workload("gmm")
    for k in components:
        write_gmm(folder / f"gmm_d2_K{k}.txt", workload.generate(make_case(2, k, 8), seed=k))
    return folder


def settings(data: Path, out: Path, tools: tuple[Tool, ...], resume: bool = False, timeout: float = 20.0) -> Settings:
    return Settings(
        (get_workload("gmm"),), tools, out=out, plan=QUICK, timeout=timeout, seed=1, resume=resume, data=data
    )


@dataclass
class Memory:
    """A reporter that remembers."""

    rows: list[Row] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    done: int = 0

    def begin(self, cells: int, done: int) -> None:
        self.done = done

    def at_work(self, case: str, tool: str, doing: str) -> None:
        pass

    def row(self, row: Row) -> None:
        self.rows.append(row)

    def notice(self, text: str) -> None:
        self.notices.append(text)
