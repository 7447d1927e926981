"""The workloads of one parameter array: C++ against numpy, manual and engine against complex steps, entry by entry."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import enzyme
from adbench.checking import COMPLEX_STEP, compare, random_direction
from adbench.native.build import Library, build_library
from adbench.native.problem import NativeProblem, struct_type
from adbench.native.timing import NativeTimer
from adbench.tools.native_runner import ENTRY_POINTS
from adbench.workloads import all_workloads
from adbench.workloads.base import Array, Function, Inputs, Outputs, Size
from adbench.workloads.kmeans.workload import hessian_diagonal
from adbench.workloads.nestings import NESTINGS
from adbench.workloads.scalar import ScalarWorkload

WORKLOADS = {name: workload for name, workload in all_workloads().items() if isinstance(workload, ScalarWorkload)}
TINY: dict[str, tuple[dict[str, int], ...]] = {
    "brusselator": ({"n": 2, "steps": 1}, {"n": 3, "steps": 12}),
    "descent": ({"n": 1, "steps": 1}, {"n": 3, "steps": 4}),
    "det": ({"ell": 1}, {"ell": 4}),
    "euler": ({"n": 1, "steps": 7}, {"n": 3, "steps": 5}),
    "fft": ({"n": 1, "recursive": 0}, *({"n": n, "recursive": flag} for n in (8, 32) for flag in (0, 1))),
    "kmeans": ({"n": 3, "k": 1, "d": 2}, {"n": 20, "k": 3, "d": 2}),
    "llsq": ({"n": 9, "m": 1}, {"n": 20, "m": 7}),
    "lse": ({"n": 1}, {"n": 13}),
    "nbody": ({"n": 1, "steps": 2}, {"n": 4, "steps": 6}),
    "network": (
        {"batch": 1, "inputs": 1, "hidden": 1, "classes": 1},
        {"batch": 5, "inputs": 3, "hidden": 4, "classes": 3},
    ),
    "norm": ({"n": 1}, {"n": 13}),
    "ode": ({"n": 1, "s": 2}, {"n": 5, "s": 3}),
    "particle": tuple({**nesting, "rate": 10} for nesting in NESTINGS),
    "relax": ({"n": 1, "sweeps": 2}, {"n": 4, "sweeps": 5}),
    "relu3": ({"n": 1}, {"n": 13}),
    "rk4": ({"n": 4, "steps": 1}, {"n": 6, "steps": 5}),
    "saddle": NESTINGS,
}
"""Dimensions small enough for a complex step in every parameter."""


@pytest.fixture(scope="module")
def timer(tmp_path_factory: pytest.TempPathFactory) -> NativeTimer:
    return NativeTimer(tmp_path_factory.mktemp("timer"))


@cache
def points(name: str) -> list[tuple[Inputs, float, Outputs]]:
    """Inputs of every tiny case, the objective's value and the exact derivative."""
    workload = WORKLOADS[name]
    found = []
    for dimensions in TINY[name]:
        inputs = workload.generate(workload.make_case(dimensions), seed=5)
        found.append((inputs, float(workload.objective(inputs)), derivative(workload, inputs)))
    return found


def derivative(workload: ScalarWorkload, inputs: Inputs) -> Outputs:
    """Every partial derivative by a complex step through the numpy objective."""
    x: Array = inputs["x"]
    gradient = np.zeros(x.size)
    for index in range(x.size):
        moved = x.astype(complex)
        moved[index] += 1j * COMPLEX_STEP
        gradient[index] = float(np.imag(workload.objective({**inputs, "x": moved})) / COMPLEX_STEP)
    if workload.name == "kmeans":
        # A Newton direction: the cost is a sum of squares, so its Hessian is known.
        gradient /= hessian_diagonal(inputs)
    return {"x": gradient}


def evaluate(timer: NativeTimer, workload: ScalarWorkload, inputs: Inputs, address: int) -> NativeProblem:
    problem = NativeProblem(workload, inputs)
    for array in (problem.objective, problem.tangent, *problem.jacobian.values()):
        array.fill(3.0)
    timer.batch(address, problem.address, problem)(2, 1)  # the second call shows whether the first one's was cleared
    return problem


def build(name: str, style: str, folder: Path) -> Library:
    native = WORKLOADS[name].native
    source = native.source(style)
    assert source is not None
    return build_library([source], folder / "built.so", include=[native.folder])


def test_every_workload_is_tested() -> None:
    assert TINY.keys() == WORKLOADS.keys()


@pytest.mark.parametrize("name", WORKLOADS)
def test_sizes_and_struct(name: str, tmp_path: Path) -> None:
    workload = WORKLOADS[name]
    library = build(name, "primal", tmp_path)
    assert library.handle.adbench_problem_bytes() == ctypes.sizeof(struct_type(workload.native.fields))
    small, medium, full = ([case.name for case in workload.cases(size)] for size in Size)
    assert len(set(full)) == len(full)
    assert 0 < len(small) <= len(medium) <= len(full)
    assert set(small) <= set(medium) <= set(full)
    for case in workload.cases(Size.SMALL):
        inputs = workload.generate(case, 1)
        counts_parameters = workload.size_label == ScalarWorkload.size_label
        assert workload.problem_size(case) == inputs["x"].size or not counts_parameters
        again, other = workload.generate(case, 1), workload.generate(case, 2)
        assert np.array_equal(inputs["x"], again["x"]) and not np.array_equal(inputs["x"], other["x"])


@pytest.mark.parametrize("name", WORKLOADS)
def test_objective_and_manual_derivative(name: str, timer: NativeTimer, tmp_path: Path) -> None:
    workload = WORKLOADS[name]
    manual = workload.native.source("manual") is not None
    library = build(name, "manual" if manual else "primal", tmp_path)
    for inputs, value, exact in points(name):
        primal = evaluate(timer, workload, inputs, library.address(ENTRY_POINTS[Function.OBJECTIVE]))
        assert primal.objective == pytest.approx(value, rel=1e-11, abs=1e-12)
        if manual:
            problem = evaluate(timer, workload, inputs, library.address(ENTRY_POINTS[Function.JACOBIAN]))
            verdict = compare(problem.jacobian, exact, 1e-11)
            assert verdict.correct, verdict.message
            assert problem.objective == pytest.approx(value, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("name", WORKLOADS)
def test_complex_steps_agree_with_differences_of_real_numbers(name: str) -> None:
    """Of fourth order, in the workload's own words: jvp knows what its derivative is."""
    workload = WORKLOADS[name]
    for inputs, _, exact in points(name):
        for index in range(inputs["x"].size):
            direction = np.zeros(inputs["x"].size)
            direction[index] = 1.0

            def along(step: float, inputs: Inputs = inputs, direction: Array = direction) -> float:
                return float(workload.objective({**inputs, "x": inputs["x"] + step * direction}))

            wide, narrow = ((along(h) - along(-h)) / (2.0 * h) for h in (1e-3, 5e-4))
            value = workload.jvp(inputs, exact, {"x": direction})
            assert value == pytest.approx((4.0 * narrow - wide) / 3.0, rel=1e-8, abs=1e-8)


LEVELS = [
    ("post", 2),
    *(
        pytest.param(pipeline, level, marks=pytest.mark.slow)
        for pipeline in ("post", "pre")
        for level in range(4)
        if (pipeline, level) != ("post", 2)
    ),
]


@pytest.mark.thinned(6)
@pytest.mark.parametrize(("pipeline", "level"), LEVELS)
@pytest.mark.parametrize("name", WORKLOADS)
def test_engine(name: str, pipeline: str, level: int, timer: NativeTimer) -> None:
    workload = WORKLOADS[name]
    native = workload.native
    modules = []
    for style in ("enzyme", "tangent"):
        source = native.source(style)
        assert source is not None
        modules.append(enzyme.compile(source, pipeline=pipeline, opt_level=level, include_dirs=[native.folder]))
    reverse, forward = modules
    for inputs, value, exact in points(name):
        entry = reverse[ENTRY_POINTS[Function.JACOBIAN]]
        verdict = compare(evaluate(timer, workload, inputs, entry.address).jacobian, exact, 1e-10)
        assert verdict.correct, verdict.message
        entry = reverse[ENTRY_POINTS[Function.OBJECTIVE]]
        assert evaluate(timer, workload, inputs, entry.address).objective == pytest.approx(value, rel=1e-11, abs=1e-12)
        problem = NativeProblem(workload, inputs)
        direction = random_direction(workload, inputs, 7)
        problem.set_direction(direction)
        entry = forward[ENTRY_POINTS[Function.TANGENT]]
        timer.batch(entry.address, problem.address, problem, entry)(1, 1)
        expected = workload.jvp(inputs, exact, direction)
        verdict = compare({"t": problem.tangent}, {"t": expected}, 1e-10)
        assert verdict.correct, verdict.message


@pytest.mark.parametrize("name", ["ode", "particle", "saddle"])
def test_solutions(name: str, timer: NativeTimer) -> None:
    workload = WORKLOADS[name]
    source = workload.native.source("solution")
    assert source is not None
    entry = enzyme.compile(source, include_dirs=[workload.native.folder])[ENTRY_POINTS[Function.SOLUTION]]
    for inputs, value, _ in points(name):
        found = evaluate(timer, workload, inputs, entry.address).solution
        if name == "ode":
            assert found[-1] == pytest.approx(value, rel=1e-11)
        elif name == "saddle":
            assert found == pytest.approx(np.zeros(4), abs=1e-4)
        else:
            # It steers through the origin.
            assert float(workload.objective({**inputs, "x": found})) < 1e-6 < value
