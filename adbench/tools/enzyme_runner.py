"""Runners of this repository's engine, through its public API; imported only inside a tool's process."""

from __future__ import annotations

import ctypes
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import enzyme
from adbench.measuring import Batch
from adbench.native.build import NATIVE, Library, build_library, compiler_version
from adbench.native.columns import columns_request
from adbench.native.problem import NativeProblem
from adbench.tools.base import Prepared, Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.workloads.base import Function, Inputs, Workload
from enzyme.support.config import config_from_environment, turned_off

PIPELINES = {
    "post": "-O2 without vectorisers, AD, -O3; CPU native",
    "pre": "front end's raw output, AD, -O2, -O3; CPU native",
}

STYLES = {Function.TANGENT: "tangent", Function.SOLUTION: "solution"}
"""Sources of functions that are not in the derivative's."""

COUNTING = """
{0} long enzyme_tape_now;
{0} long enzyme_tape_peak;
{0} long adbench_tape_bytes(void);
long adbench_tape_bytes(void) {{
  long most = enzyme_tape_peak;
  enzyme_tape_peak = enzyme_tape_now;
  return most;
}}
#include "{1}"
"""
"""Around a source: what gives the most bytes that tapes took since it was asked last."""


class EnzymeRunner(NativeRunner):
    """Compiles the workload's sources that call ``__enzyme_*``.

    Options: ``pipeline`` is "post" or "pre"; ``style`` names the sources of the derivative where they are not
    "enzyme"; ``off`` names an optimisation that is turned off; ``math`` is "relaxed" where the program and its
    derivative may be reassociated, contracted and approximated.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._modules: dict[str, Any] = {}
        self._style = self.tool.options.get("style", "enzyme")
        self._config = turned_off(config_from_environment(), self.tool.options.get("off", ""))
        if self.relaxed:
            self._config = replace(self._config, math="relaxed")

    def version(self) -> str:
        return f"enzyme {enzyme.__version__}, {compiler_version()}"

    def flags(self) -> str:
        off = self.tool.options.get("off")
        made = PIPELINES[self.tool.options["pipeline"]]
        return made + (f"; without {off}" if off else "") + ("; math relaxed" if self.relaxed else "")

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
        style = STYLES.get(function, self._style)
        if style not in self._modules:
            self._modules[style] = self._compile(self._source(style))
        return self._modules[style]

    def _source(self, style: str) -> Path:
        assert self.workload is not None
        native = self.workload.native
        # what is best where functions are not inlined first may be a source of its own
        source = native.source(f"{style}-{self.tool.options['pipeline']}") or native.source(style)
        if source is None:
            raise Unsupported(f"{self.tool.name} has no source for workload {self.workload.name}")
        return source

    def _compile(self, source: Path | str, **more: Any) -> Any:
        """The module of a file, or of a text in the language that ``more`` names."""
        assert self.workload is not None
        settings = {"pipeline": self.tool.options["pipeline"], "include_dirs": [self.workload.native.folder]}
        module = enzyme.compile(source, **{**settings, "config": self._config, **more})
        if module.pipeline != settings["pipeline"]:
            raise Unsupported(f"{self.workload.name} was differentiated by the pipeline {module.pipeline!r} alone")
        return module

    def prepare(self, function: Function, inputs: Inputs) -> Prepared:
        prepared = super().prepare(function, inputs)
        return replace(prepared, tape=lambda: self._tape(inputs)) if function is Function.JACOBIAN else prepared

    def _tape(self, inputs: Inputs) -> int:
        """The most bytes of tapes in one derivative, by a build of its own that counts them."""
        assert self.workload is not None
        if "" not in self._modules:
            source = self._source(self._style)
            text = COUNTING.format("extern" if source.suffix == ".c" else 'extern "C"', source.resolve())
            language = "c" if source.suffix == ".c" else "c++"
            config = replace(self._config, count_tape=True)
            self._modules[""] = self._compile(text, language=language, config=config)
        counting = self._modules[""]
        problem = NativeProblem(self.workload, inputs)
        ask = ctypes.CFUNCTYPE(ctypes.c_long)(counting["adbench_tape_bytes"].address)
        ask()
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(counting[ENTRY_POINTS[Function.JACOBIAN]].address)(problem.address)
        return int(ask())

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        entry = self._module(function)[ENTRY_POINTS[function]]
        return self.timer.batch(entry.address, problem.address, problem, entry)


class ForwardRunner(EnzymeRunner):
    """Whole derivatives by scalar forward mode: one tangent for each column."""

    library: Library

    def define(self, workload: Workload) -> int:
        self._modules.clear()
        self.workload = workload
        start = time.perf_counter_ns()
        module = self._module(Function.TANGENT)
        for function in (Function.OBJECTIVE, Function.TANGENT):
            _ = module[ENTRY_POINTS[function]].address
        nanoseconds = time.perf_counter_ns() - start
        self.library = build_library([NATIVE / "forward.c"], self.folder / "forward.so")
        return nanoseconds

    def _module(self, function: Function) -> Any:
        return super()._module(Function.SOLUTION if function is Function.SOLUTION else Function.TANGENT)

    def prepare(self, function: Function, inputs: Inputs) -> Prepared:
        return replace(super().prepare(function, inputs), tape=None)  # tangents have none

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        if function is not Function.JACOBIAN:
            return super().batch(function, problem)
        entry = self._module(Function.TANGENT)[ENTRY_POINTS[Function.TANGENT]]
        found = columns_request(problem, entry.address, problem.direction, problem.tangent)
        if found is None:
            raise Unsupported(f"tangents do not give the derivative of workload {problem.workload.name}")
        request, owners = found
        address = self.library.address("forward_columns")
        return self.timer.batch(address, ctypes.addressof(request), request, owners, entry)
