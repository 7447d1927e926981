"""The engine on the GMM workload: every optimisation level and both pipelines against the hand-written gradient."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import enzyme
from adbench.checking import compare, directional_derivative, random_direction
from adbench.native.build import build_library
from adbench.native.problem import NativeProblem
from adbench.native.timing import NativeTimer
from adbench.workloads import get_workload
from adbench.workloads.base import Inputs, Outputs
from adbench.workloads.gmm.workload import make_case

WORKLOAD = get_workload("gmm")
DIMENSIONS = ((1, 1, 1), (2, 5, 100), (10, 25, 50), (33, 3, 20))
SEED = 11


@pytest.fixture(scope="module")
def timer(tmp_path_factory: pytest.TempPathFactory) -> NativeTimer:
    return NativeTimer(tmp_path_factory.mktemp("timer"))


@pytest.fixture(scope="module")
def expected(timer: NativeTimer, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Inputs, Outputs]]:
    """Inputs and hand-written gradients of a few sizes."""
    source = WORKLOAD.native.source("manual")
    assert source is not None
    library = build_library([source], tmp_path_factory.mktemp("manual") / "manual.so")
    found = []
    for d, k, n in DIMENSIONS:
        inputs = {**WORKLOAD.generate(make_case(d, k, n), SEED), "m": 1, "gamma": 0.8}
        problem = NativeProblem(WORKLOAD, inputs)
        timer.batch(library.address("adbench_derivative"), problem.address, problem)(1, 1)
        found.append((inputs, problem.jacobian))
    return found


@pytest.mark.thinned(4)
@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_gradient_agrees_with_manual(
    timer: NativeTimer, expected: list[tuple[Inputs, Outputs]], pipeline: str, level: int
) -> None:
    module = enzyme.compile(WORKLOAD.native.folder / "enzyme_gradient.c", pipeline=pipeline, opt_level=level)
    entry = module["adbench_derivative"]
    for inputs, gradient in expected:
        problem = NativeProblem(WORKLOAD, inputs)
        for _ in range(2):  # the second call shows whether the first one's gradient was cleared
            timer.batch(entry.address, problem.address, problem, entry)(1, 1)
            verdict = compare(problem.jacobian, gradient, 1e-10)
            assert verdict.correct, verdict.message


@pytest.mark.parametrize("pipeline", ["post", "pre"])
def test_forward_mode_agrees_with_reverse(
    timer: NativeTimer, expected: list[tuple[Inputs, Outputs]], pipeline: str
) -> None:
    module = enzyme.compile(WORKLOAD.native.folder / "enzyme_tangent.c", pipeline=pipeline)
    entry = module["adbench_tangent"]
    for inputs, gradient in expected:
        problem = NativeProblem(WORKLOAD, inputs)
        direction = random_direction(WORKLOAD, inputs, SEED)
        problem.set_direction(direction)
        timer.batch(entry.address, problem.address, problem, entry)(1, 1)
        reverse = sum(float(np.sum(gradient[name] * direction[name])) for name in direction)
        exact = directional_derivative(WORKLOAD, inputs, direction)
        assert compare({"t": problem.tangent}, {"t": np.asarray(reverse)}, 1e-10).correct
        assert compare({"t": problem.tangent}, {"t": exact}, 1e-10).correct


def test_a_source_that_does_not_compile_says_where(tmp_path: Path) -> None:
    broken = tmp_path / "broken.c"
    broken.write_text("double f(double x) { return x * ; }\n", encoding="ascii")
    with pytest.raises(enzyme.CompileError, match=r"broken\.c:1:33"):
        enzyme.compile(broken)
