"""Runner of Clad: the shared objectives and a call of ``clad::gradient``, compiled by the clang that has the plugin."""

from __future__ import annotations

import subprocess
from pathlib import Path

from adbench.errors import BuildError
from adbench.measuring import Batch
from adbench.native.build import FLAGS, NATIVE, Library, build_library
from adbench.native.problem import NativeProblem
from adbench.tools.base import Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.workloads.base import Function, Workload
from adbench.workloads.scalar import ScalarWorkload
from baselines.clad import CLANG, HEADER, PLUGIN

HERE = Path(__file__).parent
CPP = ("-std=c++17", "-Wno-everything")


class CladRunner(NativeRunner):
    """Gradients of the scalar objectives, of GMM and of LSTM, with the flags of all compiled tools."""

    library: Library

    def version(self) -> str:
        done = subprocess.run([*self._clang(), "--version"], capture_output=True, text=True, check=False)
        return f"Clad in {done.stdout.splitlines()[0] if done.stdout else 'a clang that tells no version'}"

    def _clang(self) -> list[str]:
        path = CLANG.path()
        if path is None:
            raise BuildError("CLAD_CLANG names no program")
        return [str(path)]

    def define(self, workload: Workload) -> int:
        source = HERE / ("scalar.cpp" if isinstance(workload, ScalarWorkload) else f"{workload.name}.cpp")
        if not source.is_file() or workload.native.source("vector") is None:
            # What is not one gradient of the objective as it stands has no source in that style either.
            raise Unsupported(f"clad has no version of workload {workload.name}: it is no gradient")
        self.library = build_library(
            [source],
            self.folder / f"{workload.name}.so",
            (*FLAGS, *CPP),
            [workload.native.folder, NATIVE, NATIVE / "scalar"],
            [f"-fplugin={PLUGIN.path()}", *(HEADER.flags() or ())],
            self._clang(),
        )
        self.workload = workload
        return self.library.build_ns

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        if function not in {Function.OBJECTIVE, Function.JACOBIAN}:
            raise Unsupported("clad computes whole derivatives only")
        return self.timer.batch(self.library.address(ENTRY_POINTS[function]), problem.address, problem)
