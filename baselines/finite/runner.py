"""Runner of finite differences: the workload's objective and one generic loop over its parameters."""

from __future__ import annotations

import ctypes
from pathlib import Path

from adbench.measuring import Batch
from adbench.native.build import NATIVE, Library, build_library, compiler_version
from adbench.native.columns import columns_request
from adbench.native.problem import NativeProblem
from adbench.tools.base import Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.workloads.base import Function, Workload

SOURCE = Path(__file__).with_name("finite.c")


class FiniteRunner(NativeRunner):
    """Central differences of the objective that all compiled tools share."""

    library: Library

    def version(self) -> str:
        return compiler_version()

    def define(self, workload: Workload) -> int:
        source = workload.native.source("primal")
        if source is None:
            raise Unsupported(f"workload {workload.name} has no C objective")
        self.library = build_library(
            [source, SOURCE], self.folder / f"{workload.name}.so", include=[workload.native.folder, NATIVE]
        )
        self.workload = workload
        return self.library.build_ns

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        objective = self.library.address(ENTRY_POINTS[Function.OBJECTIVE])
        if function is Function.OBJECTIVE:
            return self.timer.batch(objective, problem.address, problem)
        if function is not Function.JACOBIAN:
            raise Unsupported("finite differences give whole derivatives only")
        found = columns_request(problem, objective, problem.inputs, problem.objective)
        if found is None:
            raise Unsupported(f"differences do not give the derivative of workload {problem.workload.name}")
        request, owners = found
        address = self.library.address("finite_differences")
        return self.timer.batch(address, ctypes.addressof(request), request, owners)
