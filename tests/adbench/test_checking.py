"""The error metric, and that the checks find what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from adbench.checking import check_directions, compare, directional_derivative, random_direction, scaled_errors
from adbench.workloads import get_workload
from adbench.workloads.base import Array, Inputs
from adbench.workloads.gmm.workload import make_case
from tests.adbench.fake_tool import gradient


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return get_workload("gmm").generate(make_case(3, 4, 20), seed=1)


@pytest.fixture(scope="module")
def exact(inputs: Inputs) -> dict[str, Array]:
    return {name: np.array(values) for name, values in gradient(inputs).items()}


def test_metric_is_absolute_near_zero_and_relative_far_from_it() -> None:
    errors = scaled_errors(np.array([1e-12, 1e6]), np.array([0.0, 1e6 + 1.0]))
    assert errors == pytest.approx([1e-12, 5e-7], rel=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_wrong(bad: float) -> None:
    verdict = compare({"a": np.array([1.0, bad])}, {"a": np.array([1.0, 2.0])}, 1e-3)
    assert not verdict.correct
    assert "a[1]" in verdict.place


def test_equal_infinities_are_wrong_too() -> None:
    assert not compare({"a": np.array([np.inf])}, {"a": np.array([np.inf])}, 1.0).correct


@pytest.mark.parametrize("actual", [{}, {"a": np.zeros((2, 1))}])
def test_missing_and_misshapen_arrays_are_wrong(actual: dict[str, Array]) -> None:
    assert not compare(actual, {"a": np.zeros(2)}, 1e-3).correct


def test_verdict_names_the_worst_place() -> None:
    verdict = compare({"a": np.array([[1.0, 5.0]])}, {"a": np.array([[1.0, 4.0]])}, 1e-3)
    assert verdict.place.startswith("a[0][1] (5, expected 4)")
    assert verdict.max_error == pytest.approx(1.0 / 9.0)
    assert "tolerance 1e-03" in verdict.message


def test_complex_step_agrees_with_central_differences(inputs: Inputs) -> None:
    workload = get_workload("gmm")
    direction = random_direction(workload, inputs, 5)
    step = 1e-6
    moved = [
        {**inputs, **{name: inputs[name] + sign * step * direction[name] for name in workload.parameters}}
        for sign in (1, -1)
    ]
    central = (workload.objective(moved[0]) - workload.objective(moved[1])) / (2 * step)
    assert directional_derivative(workload, inputs, direction) == pytest.approx(float(central), rel=1e-6)


def test_right_gradient_passes_directions(inputs: Inputs, exact: dict[str, Array]) -> None:
    assert check_directions(get_workload("gmm"), inputs, exact, 1e-12, seed=1).correct


@pytest.mark.parametrize("name", ["alphas", "means", "icf"])
def test_one_wrong_entry_fails_directions(inputs: Inputs, exact: dict[str, Array], name: str) -> None:
    wrong = {key: values.copy() for key, values in exact.items()}
    wrong[name].flat[-1] += 1e-6 * max(1.0, abs(wrong[name].flat[-1]))
    assert not check_directions(get_workload("gmm"), inputs, wrong, 1e-10, seed=1).correct
