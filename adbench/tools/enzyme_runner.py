"""Runner of this repository's engine, through its public API; imported only inside a tool's process."""

from __future__ import annotations

import time
from typing import Any

import enzyme
from adbench.measuring import Batch
from adbench.native.build import compiler_version
from adbench.native.problem import NativeProblem
from adbench.tools.base import Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.workloads.base import Function, Workload

PIPELINES = {
    "post": "-O2 without vectorisers, AD, -O3; CPU native",
    "pre": "front end's raw output, AD, -O2, -O3; CPU native",
}

STYLES = {Function.TANGENT: "tangent", Function.SOLUTION: "solution"}
"""Sources of functions that are not in the gradient's."""


class EnzymeRunner(NativeRunner):
    """Compiles the workload's sources that call ``__enzyme_*``; option ``pipeline`` is "post" or "pre"."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._modules: dict[str, Any] = {}

    def version(self) -> str:
        return f"enzyme {enzyme.__version__}, {compiler_version()}"

    def flags(self) -> str:
        return PIPELINES[self.tool.options["pipeline"]]

    def define(self, workload: Workload) -> int:
        self._modules.clear()
        self.workload = workload
        start = time.perf_counter_ns()
        module = self._module(Function.JACOBIAN)
        for function in (Function.OBJECTIVE, Function.JACOBIAN):
            # Asking for the address is what generates the code.
            _ = module[ENTRY_POINTS[function]].address
        # What was found in the engine's cache counts with the time it took to make.
        return time.perf_counter_ns() - start + int(1e9 * module.saved_seconds)

    def _module(self, function: Function) -> Any:
        """The compiled module that has the function's entry point, built when first asked for."""
        style = STYLES.get(function, "enzyme")
        if style not in self._modules:
            assert self.workload is not None
            source = self.workload.native.source(style)
            if source is None:
                raise Unsupported(f"workload {self.workload.name} has no source for {function.value}")
            self._modules[style] = enzyme.compile(
                source, pipeline=self.tool.options["pipeline"], include_dirs=[self.workload.native.folder]
            )
        return self._modules[style]

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        entry = self._module(function)[ENTRY_POINTS[function]]
        return self.timer.batch(entry.address, problem.address, problem, entry)
