"""The benchmarks' loops over steps: values as the version in Python has them, gradients against differences."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import enzyme
from adbench.native.problem import NativeProblem
from adbench.workloads.base import Size
from benchmarks.step_loops import LOOPS, StepLoop


@pytest.mark.parametrize("loop", LOOPS)
def test_derivative(loop: str) -> None:
    workload = StepLoop(loop, steps=150)
    inputs = workload.generate(workload.cases(Size.SMALL)[0], 1)
    module = enzyme.compile(workload.native.folder / "step_loop.c", cflags=workload.flags)
    problem = NativeProblem(workload, inputs)
    for entry in ("adbench_primal", "adbench_derivative"):
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(module[entry].address)(problem.address)
    np.testing.assert_allclose(problem.objective, workload.objective(inputs), rtol=1e-12)
    direction = np.random.default_rng(2).normal(size=150)
    sides = [LOOPS[loop]((inputs["x"] + step * direction).tolist()) for step in (1e-6, -1e-6)]
    np.testing.assert_allclose(problem.jacobian["x"] @ direction, (sides[0] - sides[1]) / 2e-6, rtol=1e-7)
