"""Step detection against naive versions, on constant, stepped and noisy histories."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adbench.steps import (
    LEAST_SPREAD,
    Prior,
    best_cuts,
    deviations,
    difference_p,
    noise_band,
    noise_prior,
    pieces_of,
    steps_of,
)

SERIES = st.lists(st.floats(-5, 5), min_size=1, max_size=9)


def noisy(levels: list[tuple[int, float]], noise: float, seed: int) -> list[float]:
    random = np.random.default_rng(seed)
    flat = np.concatenate([np.full(count, level) for count, level in levels])
    return [float(v) for v in flat * np.exp(noise * random.standard_normal(flat.size))]


def deviation(values: list[float]) -> float:
    middle = statistics.median(values)
    return sum(abs(value - middle) for value in values)


@given(SERIES)
def test_deviations_are_the_sums_that_they_say(values: list[float]) -> None:
    found = deviations(values)
    for start, stop in itertools.combinations(range(len(values) + 1), 2):
        assert found[start, stop] == pytest.approx(deviation(values[start:stop]), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(SERIES)
def test_cuts_are_the_best_of_all_cuts(values: list[float]) -> None:
    for pieces, (cost, cuts) in enumerate(best_cuts(values), start=1):

        def price(chosen: tuple[int, ...]) -> float:
            ends = [0, *chosen, len(values)]
            return sum(deviation(values[a:b]) for a, b in itertools.pairwise(ends))

        naive = min(price(chosen) for chosen in itertools.combinations(range(1, len(values)), pieces - 1))
        assert cost == pytest.approx(naive, abs=1e-9)
        assert price(tuple(cuts)) == pytest.approx(naive, abs=1e-9)
        assert len(cuts) == pieces - 1


def test_a_clean_step_is_found_where_it_is() -> None:
    (step,) = steps_of([2.0] * 6 + [3.0] * 4)
    assert (step.index, step.before, step.after) == (6, pytest.approx(2.0), pytest.approx(3.0))
    assert step.ratio == pytest.approx(1.5)


def test_several_steps_are_found() -> None:
    values = noisy([(20, 1.0), (15, 1.2), (25, 0.9)], 0.02, seed=3)
    assert [step.index for step in steps_of(values)] == pytest.approx([20, 35], abs=1)
    assert [piece.level for piece in pieces_of(values)] == pytest.approx([1.0, 1.2, 0.9], rel=0.02)


def test_levels_do_not_follow_an_outlier() -> None:
    values = noisy([(30, 1.0)], 0.01, seed=4)
    values[11] *= 1.6
    assert pieces_of(values, 1e-6)[0].level == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0001, 1.0, 1.0002]])
def test_short_and_constant_histories_have_no_step(values: list[float]) -> None:
    assert steps_of(values) == []


def test_a_slowdown_in_the_last_run_alone_can_be_seen() -> None:
    values = noisy([(20, 1.0), (1, 2.0)], 0.02, seed=5)
    assert [step.index for step in steps_of(values)] == [20]


def test_noise_alone_makes_as_few_steps_as_promised() -> None:
    found = sum(bool(steps_of(noisy([(25, 1.0)], 0.03, seed=seed), 0.01)) for seed in range(300))
    assert found <= 9


def test_a_history_of_zeros_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        pieces_of([1.0, 0.0])


def test_student_against_the_textbook() -> None:
    # Two samples of Student's sleep data (1908): t = 1.8608 with 18 degrees of freedom, p = 0.0792.
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    assert difference_p(first, second) == pytest.approx(0.0792, abs=1e-4)
    assert difference_p(first, []) == 1.0
    # A prior that is worth nothing changes nothing; one that is certain gives the normal distribution.
    assert difference_p(first, second, Prior(1.0, 0.0)) == pytest.approx(0.0792, abs=1e-4)
    distance = 1.58 / math.sqrt(3.6 * 2 / 10)
    normal = math.erfc(distance / math.sqrt(2))
    assert difference_p(first, second, Prior(3.6, math.inf)) == pytest.approx(normal, rel=1e-9)


def test_cells_alike_share_their_noise_and_cells_unlike_do_not() -> None:
    alike = noise_prior([noisy([(20, 1.0)], 0.03, seed) for seed in range(60)])
    unlike = noise_prior([noisy([(20, 1.0)], 0.003 * 1.08**seed, seed) for seed in range(60)])
    assert alike is not None
    assert unlike is not None
    assert alike.variance == pytest.approx(0.03**2, rel=0.1)
    assert alike.freedom > 50 > 5 > unlike.freedom
    assert noise_prior([[1.0, 1.1, 1.0]] * 2) is None


def test_a_band_is_three_deviations_wide_and_ignores_an_outlier() -> None:
    values = noisy([(400, 2.0)], 0.01, seed=7)
    for changed in (values, [*values[:-1], 9.0]):
        band = noise_band(changed)
        assert band is not None
        assert band.level == pytest.approx(2.0, rel=0.002)
        assert band.high / band.level == pytest.approx(1.03, abs=0.004)
        assert band.level / band.low == pytest.approx(1.03, abs=0.004)
    assert noise_band([1.0, 1.0]) is None
    constant = noise_band([1.0] * 5)
    assert constant is not None
    assert constant.high == pytest.approx(math.exp(3 * LEAST_SPREAD))
