"""What a tool is to the harness, and what its runner must do inside the tool's process."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from adbench.measuring import Batch
from adbench.workloads.base import Function, Inputs, Outputs, Workload


@dataclass(frozen=True)
class Tool:
    """One registered tool.

    ``runner`` is "package.module:Class", imported only inside the tool's process. ``tolerance`` bounds its scaled error
    against the reference. ``requires`` are the importable packages it stands on and ``install`` the command that brings
    them. ``reference`` marks a tool whose derivative, once it passed the complex-step check, others are compared with.
    """

    name: str
    title: str
    runner: str
    tolerance: float = 1e-10
    requires: tuple[str, ...] = ()
    install: str = ""
    devices: tuple[str, ...] = ("cpu",)
    reference: bool = False
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    command: tuple[str, ...] = ()
    """Of a tool that is no runner of ours but a program that speaks GradBench's protocol."""

    def missing(self) -> list[str]:
        """Required packages that are not installed here."""
        return [name for name in self.requires if find_spec(name) is None]


class Unsupported(Exception):
    """A tool has no version of a workload or of a function; the cell is skipped with this message."""


@dataclass(frozen=True)
class Prepared:
    """A function bound to one input: called once for its outputs, which also warmed it up and took ``first_ns``.

    ``batch`` measures it again and again.
    """

    outputs: Outputs
    batch: Batch
    first_ns: int
    compile_ns: int = 0


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
