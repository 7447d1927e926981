"""Runners of compiled tools: entry points by address, one timing loop, outputs read from the shared struct."""

from __future__ import annotations

import sys
from abc import abstractmethod
from pathlib import Path

from adbench.measuring import Batch
from adbench.native.build import FLAGS, relaxed_flags
from adbench.native.problem import NativeProblem
from adbench.native.timing import NativeTimer
from adbench.tools.base import Prepared, Runner, Tool, Unsupported
from adbench.workloads.base import Function, Inputs, Outputs, Workload

ENTRY_POINTS = {
    Function.OBJECTIVE: "adbench_primal",
    Function.JACOBIAN: "adbench_derivative",
    Function.TANGENT: "adbench_tangent",
    Function.SOLUTION: "adbench_solution",
}

CONDITIONS = {"precision": "float64", "math": "IEEE, multiply-add within an expression", "cpu": "native"}
"""Of all compiled tools, our engine among them."""
RELAXED = {**CONDITIONS, "math": "reassociated, contracted and approximated; infinities and NaN count"}
"""Of those whose option ``math`` is "relaxed"."""


class NativeRunner(Runner):
    """Base of compiled tools. A subclass builds in ``define`` and says in ``batch`` how an entry point is called."""

    def __init__(self, tool: Tool, folder: Path) -> None:
        super().__init__(tool, folder)
        self.timer = NativeTimer(folder)
        self.workload: Workload | None = None

    @property
    def relaxed(self) -> bool:
        """Whether floating-point operations may be reassociated, contracted and approximated."""
        return self.tool.options.get("math") == "relaxed"

    @property
    def compiler_flags(self) -> tuple[str, ...]:
        return (*FLAGS, *relaxed_flags()) if self.relaxed else FLAGS

    def flags(self) -> str:
        return " ".join(self.compiler_flags)

    def conditions(self) -> dict[str, str]:
        return RELAXED if self.relaxed else CONDITIONS

    @abstractmethod
    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        """What measures the function's entry point on this problem."""

    def prepare(self, function: Function, inputs: Inputs) -> Prepared:
        if self.workload is None:
            raise Unsupported("no workload has been defined")
        problem = NativeProblem(self.workload, inputs)
        if function is Function.TANGENT:
            problem.set_direction(inputs["direction"])
        batch = self.batch(function, problem)
        # Not zero, so that an entry point that forgets to clear or to write its outputs shows as wrong.
        for array in (problem.objective, problem.tangent, problem.solution, *problem.jacobian.values()):
            array.fill(7.25)
        first_ns = batch(1, 1)[0]
        return Prepared(native_outputs(function, problem), batch, first_ns)


def native_outputs(function: Function, problem: NativeProblem) -> Outputs:
    """Copies of what the entry point wrote."""
    if function is Function.JACOBIAN:
        return {name: values.copy() for name, values in problem.jacobian.items()}
    values = {
        Function.OBJECTIVE: problem.objective,
        Function.TANGENT: problem.tangent,
        Function.SOLUTION: problem.solution,
    }
    return {function.value: values[function].copy()}


def python_version() -> str:
    return ".".join(map(str, sys.version_info[:3]))
