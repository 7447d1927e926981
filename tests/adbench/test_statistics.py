"""Statistics against naive versions and known cases."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adbench.statistics import (
    _resampled_medians,
    bootstrap_geometric_mean,
    bootstrap_ratio,
    false_discovery,
    geometric_mean,
    mann_whitney,
    minimum_and_median,
)

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


def naive_bootstrap(values: list[float], resamples: int, seed: int) -> list[float]:
    random = np.random.default_rng(seed)
    return [float(np.median(random.choice(values, len(values)))) for _ in range(resamples)]


@pytest.mark.parametrize("count", [1, 2, 5, 8, 31])
def test_medians_of_resamples_are_distributed_as_those_of_drawn_samples(count: int) -> None:
    values = list(np.random.default_rng(count).lognormal(size=count))
    quick = _resampled_medians(values, np.random.default_rng(1), 20_000)
    naive = naive_bootstrap(values, 4000, 2)
    for share in (2.5, 25.0, 50.0, 75.0, 97.5):
        inside = np.mean(quick <= np.percentile(naive, share) * (1 + 1e-12))
        assert inside >= share / 100 - 0.03


def test_the_interval_of_a_ratio_covers_it_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    covered = 0
    for trial in range(300):
        top, bottom = random.lognormal(math.log(1.3), 0.05, 30), random.lognormal(0.0, 0.05, 30)
        estimate = bootstrap_ratio(list(top), list(bottom), seed=trial, resamples=1000)
        covered += estimate.low <= 1.3 <= estimate.high
    # 95 %; three standard deviations of 300 trials are 3.8 %.
    assert 0.91 <= covered / 300 <= 0.99


def test_a_ratio_of_constants_is_exact() -> None:
    estimate = bootstrap_ratio([6.0, 6.0, 6.0], [2.0, 2.0])
    assert (estimate.value, estimate.low, estimate.high, estimate.count) == (3.0, 3.0, 3.0, 2)


@pytest.mark.parametrize("pair", [([], [1.0]), ([1.0], []), ([0.0], [1.0])])
def test_ratios_that_do_not_exist_are_refused(pair: tuple[list[float], list[float]]) -> None:
    with pytest.raises(ValueError, match="ratio"):
        bootstrap_ratio(*pair)


def naive_mann_whitney(first: list[float], second: list[float]) -> float:
    """Every way to split the pooled values, counted."""
    pooled = first + second

    def u(chosen: tuple[int, ...]) -> float:
        one = [pooled[i] for i in chosen]
        two = [pooled[i] for i in range(len(pooled)) if i not in chosen]
        return sum((a > b) + 0.5 * (a == b) for a in one for b in two)

    middle = len(first) * len(second) / 2
    distance = abs(u(tuple(range(len(first)))) - middle)
    splits = list(itertools.combinations(range(len(pooled)), len(first)))
    return sum(abs(u(split) - middle) >= distance - 1e-9 for split in splits) / len(splits)


@pytest.mark.parametrize("seed", range(6))
def test_mann_whitney_against_counting(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = list(random.normal(size=4)), list(random.normal(0.8, size=5))
    assert mann_whitney(first, second) == pytest.approx(naive_mann_whitney(first, second))


def test_mann_whitney_of_equal_constants_says_nothing() -> None:
    assert mann_whitney([2.0] * 5, [2.0] * 5) == 1.0
    with pytest.raises(ValueError, match="two samples"):
        mann_whitney([], [1.0])


def test_adjusted_p_values_against_their_definition() -> None:
    values = [0.01, 0.04, 0.03, 0.5]
    ordered = sorted(values)
    naive = [min(4 * p / (rank + 1) for rank, p in enumerate(ordered) if p >= value) for value in values]
    assert false_discovery(values) == pytest.approx(naive)
    assert false_discovery([]) == []
