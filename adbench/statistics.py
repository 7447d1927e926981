"""Pure statistics on lists of numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
