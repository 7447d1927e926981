"""Pure statistics on lists of numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RESAMPLES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval and the number of observations under it."""

    value: float
    low: float
    high: float
    count: int


def minimum_and_median(samples: Sequence[float]) -> tuple[float, float]:
    """(minimum, median) of at least one sample."""
    return min(samples), statistics.median(samples)


def geometric_mean(values: Sequence[float]) -> float:
    """exp(mean(log(values))) of at least one positive value."""
    if not values:
        raise ValueError("the geometric mean of nothing")
    if min(values) <= 0.0:
        raise ValueError("the geometric mean needs positive values")
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def bootstrap_geometric_mean(values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
    """Geometric mean with the percentile-bootstrap 95 % interval over the values."""
    centre = geometric_mean(values)
    if len(values) == 1:
        return Estimate(centre, centre, centre, 1)
    logs = np.log(np.asarray(values, dtype=np.float64))
    random = np.random.default_rng(seed)
    means = np.empty(resamples)
    # In slices, so that memory stays small for any number of values.
    slice_size = max(1, 1_000_000 // len(values))
    for start in range(0, resamples, slice_size):
        stop = min(resamples, start + slice_size)
        picks = random.integers(0, len(values), size=(stop - start, len(values)))
        means[start:stop] = logs[picks].mean(axis=1)
    low, high = np.exp(np.percentile(means, [2.5, 97.5]))
    return Estimate(centre, float(low), float(high), len(values))


def bootstrap_ratio(
    numerator: Sequence[float], denominator: Sequence[float], seed: int = 0, resamples: int = 2000
) -> Estimate:
    """median(numerator) / median(denominator) with its percentile-bootstrap 95 % interval.

    Each side is resampled on its own. Medians and not minima: the bootstrap does not estimate the spread of an extreme
    value (Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, section 7.4). ``count``: the smaller side's.
    """
    if not numerator or not denominator:
        raise ValueError("a ratio of nothing")
    if min(*numerator, *denominator) <= 0.0:
        raise ValueError("a ratio of times needs positive times")
    random = np.random.default_rng(seed)
    top, bottom = (_resampled_medians(values, random, resamples) for values in (numerator, denominator))
    low, high = np.percentile(top / bottom, [2.5, 97.5])
    centre = statistics.median(numerator) / statistics.median(denominator)
    return Estimate(centre, float(low), float(high), min(len(numerator), len(denominator)))


def _resampled_medians(values: Sequence[float], random: np.random.Generator, resamples: int) -> npt.NDArray[np.float64]:
    """Medians of samples drawn with replacement.

    The median of n draws from sorted values is the value at the median of n random ranks, and order statistics of
    uniform ranks are Beta distributed; so two numbers are drawn instead of n.
    """
    ordered: npt.NDArray[np.float64] = np.sort(np.asarray(values, dtype=np.float64))
    count = len(ordered)
    lower, upper = (count + 1) // 2, count // 2 + 1
    first = random.beta(lower, count - lower + 1, size=resamples)
    if lower == upper:
        return np.asarray(ordered[np.minimum((first * count).astype(int), count - 1)])
    # The next order statistic above: the smallest of the count - lower draws that lie in (first, 1).
    second = first + (1.0 - first) * random.beta(1, count - lower, size=resamples)
    picks = [np.minimum((rank * count).astype(int), count - 1) for rank in (first, second)]
    return np.asarray((ordered[picks[0]] + ordered[picks[1]]) / 2.0)


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p-value of the hypothesis that neither sample tends to larger values (ties allowed)."""
    if not first or not second:
        raise ValueError("Mann-Whitney's test needs two samples")
    if min(first) == max(first) == min(second) == max(second):
        return 1.0
    from scipy import stats as scipy_stats  # takes a second to import, and tool processes import this module

    # The exact distribution where it is cheap and there are no ties; scipy chooses.
    return float(scipy_stats.mannwhitneyu(first, second, alternative="two-sided").pvalue)


def false_discovery(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number, so that of those below q a share of q is expected to be false alarms.

    Benjamini and Hochberg, *Controlling the false discovery rate*, 1995.
    """
    if not p_values:
        return []
    from scipy import stats as scipy_stats

    return [float(value) for value in scipy_stats.false_discovery_control(p_values)]
