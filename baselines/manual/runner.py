"""Runner of the hand-written derivatives."""

from __future__ import annotations

from adbench.measuring import Batch
from adbench.native.build import Library, build_library, compiler_version, has_vector_math
from adbench.native.problem import NativeProblem
from adbench.tools.base import Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.workloads.base import Function, Workload


class ManualRunner(NativeRunner):
    """Builds the workload's ``manual`` source and enters it directly."""

    library: Library

    def version(self) -> str:
        return compiler_version()

    def define(self, workload: Workload) -> int:
        source = workload.native.source("manual")
        if source is None:
            raise Unsupported(f"workload {workload.name} has no hand-written derivative")
        self.library = build_library(
            [source],
            self.folder / f"{workload.name}.so",
            flags=self.compiler_flags,
            include=[workload.native.folder],
            more=["-lmvec"] if self.relaxed and has_vector_math() else [],
        )
        self.workload = workload
        return self.library.build_ns

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        if function not in {Function.OBJECTIVE, Function.JACOBIAN}:
            raise Unsupported(f"there is no hand-written {function.value}")
        return self.timer.batch(self.library.address(ENTRY_POINTS[function]), problem.address, problem)
