"""Statistics against naive versions and known cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adbench.statistics import bootstrap_geometric_mean, geometric_mean, minimum_and_median

POSITIVE = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=30)


@given(POSITIVE)
def test_geometric_mean_is_the_nth_root_of_the_product(values: list[float]) -> None:
    naive = 1.0
    for value in values:
        naive *= value ** (1.0 / len(values))
    assert geometric_mean(values) == pytest.approx(naive, rel=1e-9)


@given(POSITIVE)
def test_minimum_and_median_against_sorting(values: list[float]) -> None:
    ordered = sorted(values)
    middle = len(values) // 2
    median = ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    assert minimum_and_median(values) == (ordered[0], pytest.approx(median))


@pytest.mark.parametrize("values", [[], [1.0, 0.0], [-1.0]])
def test_geometric_mean_refuses_what_has_none(values: list[float]) -> None:
    with pytest.raises(ValueError, match="geometric mean"):
        geometric_mean(values)


def test_bootstrap_against_a_naive_bootstrap() -> None:
    values = list(np.random.default_rng(5).lognormal(1.0, 0.5, 12))
    estimate = bootstrap_geometric_mean(values, seed=3)
    random = np.random.default_rng(99)
    naive = sorted(geometric_mean([values[i] for i in random.integers(0, 12, 12)]) for _ in range(4000))
    assert estimate.value == pytest.approx(geometric_mean(values))
    assert estimate.low == pytest.approx(naive[100], rel=0.02)
    assert estimate.high == pytest.approx(naive[-101], rel=0.02)
    assert estimate.count == 12


def test_bootstrap_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(7)
    hits = 0
    for trial in range(200):
        values = list(random.lognormal(math.log(4.2), 0.3, 25))
        estimate = bootstrap_geometric_mean(values, seed=trial, resamples=600)
        hits += estimate.low <= 4.2 <= estimate.high
    assert 175 <= hits <= 200


def test_one_value_is_its_own_interval() -> None:
    estimate = bootstrap_geometric_mean([2.5])
    assert (estimate.value, estimate.low, estimate.high, estimate.count) == pytest.approx((2.5, 2.5, 2.5, 1))
