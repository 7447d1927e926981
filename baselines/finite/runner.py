"""Runner of finite differences: the workload's objective and one generic loop over its parameters."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from adbench.measuring import Batch
from adbench.native.build import Library, build_library, compiler_version
from adbench.native.problem import NativeProblem
from adbench.tools.base import Unsupported
from adbench.tools.native_runner import ENTRY_POINTS, NativeRunner
from adbench.workloads.base import Function, Workload

SOURCE = Path(__file__).with_name("finite.c")


class Request(ctypes.Structure):
    """``struct finite_request`` of finite.c."""

    _fields_ = [
        ("objective", ctypes.c_void_p),
        ("problem", ctypes.c_void_p),
        ("value", ctypes.c_void_p),
        ("outputs", ctypes.c_int64),
        ("arrays", ctypes.c_int64),
        ("parameters", ctypes.c_void_p),
        ("sizes", ctypes.c_void_p),
        ("jacobian", ctypes.c_void_p),
        ("scratch", ctypes.c_void_p),
    ]


class FiniteRunner(NativeRunner):
    """Central differences of the objective that all compiled tools share."""

    library: Library

    def version(self) -> str:
        return compiler_version()

    def define(self, workload: Workload) -> int:
        source = workload.native.source("primal")
        if source is None:
            raise Unsupported(f"workload {workload.name} has no C objective")
        self.library = build_library([source, SOURCE], self.folder / f"{workload.name}.so")
        self.workload = workload
        return self.library.build_ns

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        objective = self.library.address(ENTRY_POINTS[Function.OBJECTIVE])
        if function is Function.OBJECTIVE:
            return self.timer.batch(objective, problem.address, problem)
        if function is Function.TANGENT:
            raise Unsupported("finite differences give whole gradients only")
        names = problem.workload.parameters
        parameters = np.array([problem.inputs[name].ctypes.data for name in names], dtype=np.uintp)
        jacobian = np.array([problem.jacobian[name].ctypes.data for name in names], dtype=np.uintp)
        sizes = np.array([problem.inputs[name].size for name in names], dtype=np.int64)
        scratch = np.zeros(problem.objective.size)
        request = Request(
            objective,
            problem.address,
            problem.objective.ctypes.data,
            problem.objective.size,
            len(names),
            parameters.ctypes.data,
            sizes.ctypes.data,
            jacobian.ctypes.data,
            scratch.ctypes.data,
        )
        owners = (problem, parameters, jacobian, sizes, scratch, request)
        return self.timer.batch(self.library.address("finite_differences"), ctypes.addressof(request), *owners)
