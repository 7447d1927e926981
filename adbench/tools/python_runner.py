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


class PythonRunner(Runner):
    """Base of framework tools; ``module`` names the file of a workload's folder that holds its version."""

    module: str
    workload: Workload
    version_module: ModuleType

    def define(self, workload: Workload) -> int:
        package = type(workload).__module__.rpartition(".")[0]
        start = time.perf_counter_ns()
        try:
            self.version_module = importlib.import_module(f"{package}.{self.module}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{self.module}":
                raise
            raise Unsupported(f"workload {workload.name} has no {self.module}.py") from None
        self.workload = workload
        return time.perf_counter_ns() - start

    @abstractmethod
    def bind(self, function: Function, inputs: Inputs) -> tuple[Callable[[], object], Callable[[object], Outputs], int]:
        """A call that is timed, what turns its result into numpy outputs, and ns that compiling took."""

    def prepare(self, function: Function, inputs: Inputs) -> Prepared:
        call, convert, compile_ns = self.bind(function, inputs)
        start = time.perf_counter_ns()
        result = call()
        first_ns = time.perf_counter_ns() - start
        return Prepared(convert(result), python_batch(call), first_ns, compile_ns)
