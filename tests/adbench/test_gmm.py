"""The GMM workload: C against numpy, the hand-written gradient against complex steps, cases and layout."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from adbench.checking import check_directions, compare
from adbench.native.build import Library, build_library
from adbench.native.problem import NativeProblem, struct_type
from adbench.native.timing import NativeTimer
from adbench.tools.native_runner import ENTRY_POINTS
from adbench.workloads import all_workloads, get_workload
from adbench.workloads.base import Function, Inputs, Size
from adbench.workloads.gmm.workload import make_case
from tests.adbench.fake_tool import gradient

WORKLOAD = get_workload("gmm")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("native")


@pytest.fixture(scope="module")
def manual(folder: Path) -> Library:
    source = WORKLOAD.native.source("manual")
    assert source is not None
    return build_library([source], folder / "manual.so")


@pytest.fixture(scope="module")
def timer(folder: Path) -> NativeTimer:
    return NativeTimer(folder)


def evaluate(timer: NativeTimer, library: Library, inputs: Inputs, function: Function) -> NativeProblem:
    problem = NativeProblem(WORKLOAD, inputs)
    for array in problem.jacobian.values():
        array.fill(3.0)
    timer.batch(library.address(ENTRY_POINTS[function]), problem.address, problem)(1, 1)
    return problem


def test_the_struct_is_laid_out_as_the_c_compiler_lays_it_out(manual: Library) -> None:
    assert manual.handle.adbench_problem_bytes() == ctypes.sizeof(struct_type(WORKLOAD.native.fields))


@pytest.mark.parametrize(("d", "k", "n", "m"), [(1, 1, 1, 0), (2, 5, 50, 3), (3, 1, 7, 0), (10, 25, 40, 2)])
def test_c_objective_equals_numpy(timer: NativeTimer, manual: Library, d: int, k: int, n: int, m: int) -> None:
    inputs = {**WORKLOAD.generate(make_case(d, k, n), seed=2), "m": m, "gamma": 0.7}
    value = evaluate(timer, manual, inputs, Function.OBJECTIVE).objective
    assert value == pytest.approx(float(WORKLOAD.objective(inputs)), rel=1e-12)


@pytest.mark.parametrize(("d", "k", "n", "m"), [(1, 1, 1, 0), (2, 5, 50, 3), (3, 1, 7, 0), (5, 4, 30, 2)])
def test_every_entry_of_the_manual_gradient(
    timer: NativeTimer, manual: Library, d: int, k: int, n: int, m: int
) -> None:
    inputs = {**WORKLOAD.generate(make_case(d, k, n), seed=3), "m": m, "gamma": 0.7}
    problem = evaluate(timer, manual, inputs, Function.JACOBIAN)
    exact = {name: np.array(values) for name, values in gradient(inputs).items()}
    verdict = compare(problem.jacobian, exact, 1e-12)
    assert verdict.correct, verdict.message
    assert problem.objective == pytest.approx(float(WORKLOAD.objective(inputs)), rel=1e-12)


@pytest.mark.parametrize(("d", "k", "n"), [(32, 10, 1_000), (64, 25, 500), (128, 5, 500)])
def test_manual_gradient_at_benchmark_sizes(timer: NativeTimer, manual: Library, d: int, k: int, n: int) -> None:
    inputs = WORKLOAD.generate(make_case(d, k, n), seed=4)
    problem = evaluate(timer, manual, inputs, Function.JACOBIAN)
    verdict = check_directions(WORKLOAD, inputs, problem.jacobian, 1e-12, seed=1)
    assert verdict.correct, verdict.message


def test_generator_is_seeded() -> None:
    case = make_case(2, 5, 10)
    first, second, other = (WORKLOAD.generate(case, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(first[key], second[key]) for key in first)
    assert not np.array_equal(first["x"], other["x"])


def test_cases_are_adbenchs() -> None:
    full = WORKLOAD.cases(Size.FULL)
    names = {case.name for case in full}
    assert len(full) == len(names) == 72
    assert {"d2_K5_n1000", "d128_K200_n10000"} <= names
    small, medium = ({case.name for case in WORKLOAD.cases(size)} for size in (Size.SMALL, Size.MEDIUM))
    assert small < medium < names
    assert "d10_K25_n1000" in small


def test_problem_size_is_the_number_of_parameters() -> None:
    case = make_case(3, 4, 5)
    inputs = WORKLOAD.generate(case, 1)
    assert WORKLOAD.problem_size(case) == sum(inputs[name].size for name in WORKLOAD.parameters)


def test_workloads_are_found_by_looking() -> None:
    assert all_workloads()["gmm"] is WORKLOAD
