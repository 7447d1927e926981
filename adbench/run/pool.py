"""The tool processes of a run: one per tool, started when first needed, started anew after a crash."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from adbench.errors import BenchError, ToolCrash
from adbench.gradbench.client import GradbenchProcess
from adbench.process.client import ToolProcess
from adbench.tools.base import Tool
from adbench.workloads.base import Workload


@dataclass
class LiveTool:
    """A running tool process and what it has told about itself."""

    process: ToolProcess
    version: str = ""
    flags: str = ""
    conditions: dict[str, str] = field(default_factory=dict)
    module: str | None = None
    compile_seconds: float = 0.0


class ToolPool:
    """Tool processes by tool name. A workload that a tool failed to define is not tried a second time."""

    def __init__(
        self, start: Callable[[str], ToolProcess] = ToolProcess, notice: Callable[[str], None] = lambda _: None
    ) -> None:
        self._start = start
        self._notice = notice
        self._live: dict[str, LiveTool] = {}
        self._refused: dict[tuple[str, str], BenchError] = {}
        self._crashes: Counter[tuple[str, str]] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, tool: Tool, workload: Workload, timeout: float) -> LiveTool:
        """The tool's process with the workload defined; raises what went wrong, now or at the first try."""
        if (tool.name, workload.name) in self._refused:
            raise self._refused[tool.name, workload.name]
        try:
            return self._get(tool, workload, timeout)
        except ToolCrash as error:
            # It may have been killed from outside: tried once more, with the next case.
            self._crashes[tool.name, workload.name] += 1
            if self._crashes[tool.name, workload.name] > 1:
                self._refused[tool.name, workload.name] = error
            raise
        except BenchError as error:
            self._refused[tool.name, workload.name] = error
            raise

    def _get(self, tool: Tool, workload: Workload, timeout: float) -> LiveTool:
        live = self._live.get(tool.name)
        if live is None or not live.process.alive:
            if live is not None:
                if not live.process.known_dead:
                    self._notice(f"{live.process.end}, between two evaluations; it is started anew")
                live.process.close()
            process = GradbenchProcess(tool) if tool.command else self._start(tool.name)
            live = self._live[tool.name] = LiveTool(process)
            answer = live.process.start(timeout)
            if answer.get("error"):
                raise BenchError(str(answer["error"]))
            live.version, live.flags = str(answer.get("version", "")), str(answer.get("flags", ""))
            live.conditions = dict(answer.get("conditions", {}))
        if live.module != workload.name:
            answer = live.process.define(workload.name, timeout)
            live.module = workload.name
            live.compile_seconds = sum(item["nanoseconds"] for item in answer.get("timings", [])) / 1e9
        return live

    def remove_files(self) -> None:
        for live in self._live.values():
            live.process.remove_files()

    def close(self) -> None:
        for live in self._live.values():
            with contextlib.suppress(OSError):
                live.process.close()
        self._live.clear()
