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
from adbench.workloads.base import Columns, Function, Workload

SOURCE = Path(__file__).with_name("finite.c")


class ColumnsRequest(ctypes.Structure):
    """``struct finite_columns`` of finite.c."""

    _fields_ = [
        ("parameter", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("moves", ctypes.c_int64),
        ("apart", ctypes.c_int64),
        ("value", ctypes.c_void_p),
        ("outputs", ctypes.c_int64),
        ("column", ctypes.c_void_p),
        ("column_step", ctypes.c_int64),
        ("row_step", ctypes.c_int64),
    ]


class Request(ctypes.Structure):
    """``struct finite_request`` of finite.c."""

    _fields_ = [
        ("objective", ctypes.c_void_p),
        ("problem", ctypes.c_void_p),
        ("blocks", ctypes.c_int64),
        ("columns", ctypes.c_void_p),
        ("originals", ctypes.c_void_p),
        ("above", ctypes.c_void_p),
    ]


def columns_request(problem: NativeProblem, columns: Columns) -> ColumnsRequest:
    """One block of columns with the addresses of its arrays."""
    start, stop, _ = columns.outputs.indices(problem.objective.size)
    size = problem.inputs[columns.parameter].size
    number = ctypes.sizeof(ctypes.c_double)
    return ColumnsRequest(
        problem.inputs[columns.parameter].ctypes.data,
        size,
        columns.moves if size else 0,
        columns.apart,
        problem.objective.ctypes.data + number * start,
        stop - start,
        problem.jacobian[columns.key].ctypes.data + number * columns.offset,
        columns.column_step,
        columns.row_step,
    )


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
            [source, SOURCE], self.folder / f"{workload.name}.so", include=workload.native.folder
        )
        self.workload = workload
        return self.library.build_ns

    def batch(self, function: Function, problem: NativeProblem) -> Batch:
        objective = self.library.address(ENTRY_POINTS[Function.OBJECTIVE])
        if function is Function.OBJECTIVE:
            return self.timer.batch(objective, problem.address, problem)
        if function is not Function.JACOBIAN:
            raise Unsupported("finite differences give whole derivatives only")
        found = [columns_request(problem, columns) for columns in problem.workload.columns(problem.inputs)]
        if not found:
            raise Unsupported(f"differences do not give the derivative of workload {problem.workload.name}")
        blocks = (ColumnsRequest * len(found))(*found)
        originals = np.zeros(max(problem.inputs[name].size for name in problem.workload.parameters))
        above = np.zeros(problem.objective.size)
        request = Request(
            objective,
            problem.address,
            len(blocks),
            ctypes.addressof(blocks),
            originals.ctypes.data,
            above.ctypes.data,
        )
        owners = (problem, blocks, originals, above, request)
        return self.timer.batch(self.library.address("finite_differences"), ctypes.addressof(request), *owners)
