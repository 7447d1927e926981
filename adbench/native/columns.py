"""Derivatives column by column: what the workload says of its columns, as the C structs of ``columns.h``."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from adbench.native.problem import NativeProblem
from adbench.workloads.base import Array, Columns


class ColumnsBlock(ctypes.Structure):
    """``struct columns``."""

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


class ColumnsRequest(ctypes.Structure):
    """``struct columns_request``."""

    _fields_ = [
        ("function", ctypes.c_void_p),
        ("problem", ctypes.c_void_p),
        ("blocks", ctypes.c_int64),
        ("columns", ctypes.c_void_p),
        ("originals", ctypes.c_void_p),
        ("above", ctypes.c_void_p),
    ]


def _block(problem: NativeProblem, columns: Columns, moved: Mapping[str, Array], values: Array) -> ColumnsBlock:
    start, stop, _ = columns.outputs.indices(values.size)
    size = moved[columns.parameter].size
    number = ctypes.sizeof(ctypes.c_double)
    return ColumnsBlock(
        moved[columns.parameter].ctypes.data,
        size,
        columns.moves if size else 0,
        columns.apart,
        values.ctypes.data + number * start,
        stop - start,
        problem.jacobian[columns.key].ctypes.data + number * columns.offset,
        columns.column_step,
        columns.row_step,
    )


def columns_request(
    problem: NativeProblem, function: int, moved: Mapping[str, Array], values: Array
) -> tuple[ColumnsRequest, tuple[object, ...]] | None:
    """A request that calls ``function(problem)``, moves the arrays ``moved``, reads ``values``, and what it points to.

    None where columns do not give the workload's derivative.
    """
    found = [_block(problem, columns, moved, values) for columns in problem.workload.columns(problem.inputs)]
    if not found:
        return None
    blocks = (ColumnsBlock * len(found))(*found)
    originals = np.zeros(max(moved[name].size for name in problem.workload.parameters))
    above = np.zeros(values.size)
    request = ColumnsRequest(
        function, problem.address, len(found), ctypes.addressof(blocks), originals.ctypes.data, above.ctypes.data
    )
    return request, (problem, moved, values, blocks, originals, above)
