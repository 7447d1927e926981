"""The benchmarks' loops over matrices: the derivative along the seed, against differences of the numpy version."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import enzyme
from adbench.native.problem import NativeProblem
from benchmarks.matrix_loops import LOOPS, MatrixLoop


@pytest.mark.thinned(3)
@pytest.mark.parametrize("loop", LOOPS)
def test_derivative(loop: str) -> None:
    workload = MatrixLoop(loop, rows=7)
    inputs = workload.generate(workload.cases("small")[0], 1)
    module = enzyme.compile(
        workload.native.folder / "matrix_loop.c", cflags=workload.flags, include_dirs=[workload.native.folder]
    )
    problem = NativeProblem(workload, inputs)
    for entry in ("adbench_primal", "adbench_derivative"):
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(module[entry].address)(problem.address)
        np.testing.assert_allclose(problem.objective, workload.objective(inputs), rtol=1e-12)
    for name in workload.parameters:
        random = np.random.default_rng(2).normal(size=np.shape(inputs[name]))
        moved = workload.objective({**inputs, name: inputs[name] + 1e-30j * random}).imag / 1e-30
        np.testing.assert_allclose(np.sum(problem.jacobian[name] * random), inputs["seed"] @ moved, rtol=1e-11)
