"""Base of tools that live in Python frameworks: timed around the framework's call, conversions outside."""

from __future__ import annotations

import importlib
import time
from abc import abstractmethod
from collections.abc import Callable
from types import ModuleType

from adbench.measuring import python_batch
from adbench.tools.base import Prepared, Runner, Unsupported
from adbench.workloads.base import Function, Inputs, Outputs, Workload


def find_module(name: str) -> ModuleType | None:
    """The module, or None where there is no such file; what it imports itself has to be there."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return None


class PythonRunner(Runner):
    """Base of framework tools.

    Its version of a workload is ``versions/WORKLOAD.py`` beside the tool's runner, or ``module`` in the workload's
    folder: a new tool brings versions of the workloads that are there, a new workload versions for the tools that are.
    """

    module: str
    workload: Workload
    version_module: ModuleType

    def define(self, workload: Workload) -> int:
        start = time.perf_counter_ns()
        beside = type(self).__module__.rpartition(".")[0]
        within = type(workload).__module__.rpartition(".")[0]
        found = find_module(f"{beside}.versions.{workload.name}") or find_module(f"{within}.{self.module}")
        if found is None:
            raise Unsupported(f"{self.tool.name} has no version of workload {workload.name}")
        self.version_module, self.workload = found, workload
        return time.perf_counter_ns() - start

    def conditions(self) -> dict[str, str]:
        return {"precision": "float64", "math": "the package's own", "cpu": "the package's own dispatch"}

    @abstractmethod
    def bind(self, function: Function, inputs: Inputs) -> tuple[Callable[[], object], Callable[[object], Outputs], int]:
        """A call that is timed, what turns its result into numpy outputs, and ns that compiling took."""

    def prepare(self, function: Function, inputs: Inputs) -> Prepared:
        call, convert, compile_ns = self.bind(function, inputs)
        start = time.perf_counter_ns()
        result = call()
        first_ns = time.perf_counter_ns() - start
        return Prepared(convert(result), python_batch(call), first_ns, compile_ns)
