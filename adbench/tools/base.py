"""What a tool is to the harness, and what its runner must do inside the tool's process."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adbench.measuring import Batch
from adbench.tools.requirements import Requirement, missing
from adbench.workloads.base import Function, Inputs, Outputs, Workload


@dataclass(frozen=True)
class Tool:
    """One registered tool.

    ``runner`` is "package.module:Class", imported only inside the tool's process. ``tolerance`` bounds its scaled error
    against the reference. ``requires`` is what it stands on, importable packages by name, and ``install`` the command
    or variable that brings it. ``reference`` marks a tool whose derivative, once it passed the complex-step check,
    others are compared with.
    """

    name: str
    title: str
    runner: str
    tolerance: float = 1e-10
    requires: tuple[str | Requirement, ...] = ()
    install: str = ""
    devices: tuple[str, ...] = ("cpu",)
    reference: bool = False
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    command: tuple[str, ...] = ()
    """Of a tool that is no runner of ours but a program that speaks GradBench's protocol."""
    all_threads: bool = False
    """Computes on every core it is allowed; all others on one thread, pinned to one core."""
    on_demand: bool = False
    """Runs only where it is named: a variant that answers one question, not one of the field's tools."""

    def missing(self) -> list[str]:
        """What it requires and is not here."""
        return missing(self.requires)


class Unsupported(Exception):
    """A tool has no version of a workload or of a function; the cell is skipped with this message."""


@dataclass(frozen=True)
class Prepared:
    """A function bound to one input: called once for its outputs, which also warmed it up and took ``first_ns``.

    ``batch`` measures it again and again. ``tape`` runs it once more and gives the most bytes that its tapes took,
    where a tool can count them.
    """

    outputs: Outputs
    batch: Batch
    first_ns: int
    compile_ns: int = 0
    tape: Callable[[], int] | None = None


class Runner(ABC):
    """A tool at work in its own process."""

    def __init__(self, tool: Tool, folder: Path) -> None:
        self.tool = tool
        self.folder = folder
        """An empty folder for build products; it goes when the process ends."""

    @abstractmethod
    def version(self) -> str:
        """Versions of what derives and compiles, for the record."""

    def flags(self) -> str:
        """Compiler flags or settings that decide speed, for the record."""
        return ""

    def conditions(self) -> dict[str, str]:
        """What has to be equal for a fair comparison besides threads, for the record: math, CPU target, precision."""
        return {"precision": "float64"}

    @abstractmethod
    def define(self, workload: Workload) -> int:
        """Load or build this tool's version of the workload; nanoseconds that compiling took. May raise Unsupported."""

    @abstractmethod
    def prepare(self, function: Function, inputs: Inputs) -> Prepared:
        """Convert the inputs, call once, and hand back what measures further calls. May raise Unsupported."""

    def close(self) -> None:
        """Release what the runner holds."""
        return


def load_runner(tool: Tool, folder: Path) -> Runner:
    """The tool's runner; called inside the tool's process only."""
    module, _, name = tool.runner.partition(":")
    runner = getattr(importlib.import_module(module), name)(tool, folder)
    if not isinstance(runner, Runner):
        raise TypeError(f"{tool.runner} is not a Runner")
    return runner
