"""Runner of tools that overload operators in C++: a header each, and the objectives that all compiled tools share."""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path
from typing import Any

from adbench.measuring import Batch
from adbench.native.build import FLAGS, NATIVE, Library, build_library, compiler_version, cpp_library
from adbench.native.problem import NativeProblem
from adbench.tools.base import Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.tools.requirements import Headers
from adbench.workloads.base import Function, Workload


class OverloadRunner(NativeRunner):
    """Compiles the workload's ``overload`` source with a tool's ``tool.hpp``, which ``native/overload.hpp`` describes.

    Options: ``folder`` has that header; ``second`` says that the tool takes second derivatives; ``flags`` are more
    flags that its authors advise.
    """

    library: Library

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._headers = [item for item in self.tool.requires if isinstance(item, Headers)]
        self._more = [flag for item in self._headers for flag in item.flags() or ()]
        self._flags = (*FLAGS, *self.tool.options.get("flags", "").split())

    def version(self) -> str:
        probe = self._build([NATIVE / "probe.cpp"], "probe", []).handle.adbench_tool_version
        probe.restype = ctypes.c_char_p
        told = " ".join([probe().decode(), *filter(None, (item.version() for item in self._headers))])
        return f"{told}, {compiler_version()}"

    def flags(self) -> str:
        return " ".join(self._flags)

    def _build(self, sources: list[Path], name: str, include: list[Path]) -> Library:
        folders = [Path(self.tool.options["folder"]), NATIVE, *include]
        more = [*self._more, *cpp_library()] if self._headers else ["-DADBENCH_NO_CPP_LIBRARY", "-fno-exceptions"]
        return build_library(sources, self.folder / f"{name}.so", self._flags, folders, more)

    def define(self, workload: Workload) -> int:
        source = workload.native.source("overload")
        if source is None and self.tool.options.get("second"):
            source = workload.native.source("second")
        if source is None:
            raise Unsupported(f"{self.tool.name} has no version of workload {workload.name}: it nests derivatives")
        self.library = self._build([source], workload.name, [workload.native.folder])
        self.workload = workload
        return self.library.build_ns

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        if function not in {Function.OBJECTIVE, Function.JACOBIAN}:
            raise Unsupported(f"{self.tool.name} computes whole derivatives only")
        batch = self.timer.batch(self.library.address(ENTRY_POINTS[function]), problem.address, problem)

        def run(inner: int, count: int) -> list[int]:
            # A long trace goes to files in the current folder.
            with contextlib.chdir(self.folder):
                return batch(inner, count)

        return run
