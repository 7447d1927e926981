"""Steps in a history: the piecewise constant function under a noisy series, and how sure each of its steps is.

As asv does it (its ``step_detect``), the series is cut where the sum of absolute deviations from the medians of the
pieces falls by more than an information criterion charges for another piece (Friedrich, Kempe, Liebscher and Winkler,
*Complexity penalized M-estimation*, 2008, solve it by dynamic programming). Beyond that, each step is tested: of
two neighbouring pieces that do not differ significantly, one is made. Pure functions on lists of numbers.
"""

from __future__ import annotations

import bisect
import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MAX_PIECES = 20
LEAST_SPREAD = 1e-3
"""Noise is not taken to be smaller than this, relative to the value: clocks and code layout do not allow it."""
BAND = 3.0
"""Half the width of a noise band, in standard deviations."""


@dataclass(frozen=True)
class Piece:
    """``values[start:stop]`` of a series, and the level they vary about."""

    start: int
    stop: int
    level: float


@dataclass(frozen=True)
class Step:
    """A change of level; ``index`` is the first value after it. ``p_value`` allows for the places it could be at."""

    index: int
    before: float
    after: float
    p_value: float

    @property
    def ratio(self) -> float:
        """Above 1: slower."""
        return self.after / self.before


@dataclass(frozen=True)
class Prior:
    """What other cells tell about the noise of one: its variance (of logarithms), worth so many degrees of freedom."""

    variance: float
    freedom: float


@dataclass(frozen=True)
class Band:
    """What a cell's own past lets one expect: its level, and the range that noise explains."""

    low: float
    level: float
    high: float


def deviations(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """``result[i, j]``: sum of |v - median| over values[i:j], for i < j; elsewhere 0."""
    count = len(values)
    result = np.zeros((count + 1, count + 1))
    for start in range(count):
        ordered: list[float] = []
        cost = 0.0
        for stop in range(start, count):
            value = values[stop]
            size = len(ordered)
            if size:
                # Adding a value leaves a median between the two middle ones; only distances beyond them grow.
                low, high = ordered[(size - 1) // 2], ordered[size // 2]
                if value < low:
                    cost += low - value
                elif value > high:
                    cost += value - high
            bisect.insort(ordered, value)
            result[start, stop + 1] = cost
    return result


def best_cuts(values: Sequence[float], max_pieces: int = MAX_PIECES) -> list[tuple[float, list[int]]]:
    """For 1, 2, ... pieces: the least sum of absolute deviations, and where the cuts are that reach it."""
    count = len(values)
    cost = deviations(values)
    best = cost[0].copy()  # best[j]: the first j values in so many pieces
    origins: list[npt.NDArray[np.intp]] = []
    result: list[tuple[float, list[int]]] = [(float(best[count]), [])]
    for pieces in range(2, min(max_pieces, count) + 1):
        table = best[:, None] + cost
        table[np.tril_indices(count + 1)] = np.inf
        table[: pieces - 1, :] = np.inf
        origin = table.argmin(axis=0)
        best = table[origin, np.arange(count + 1)]
        origins.append(origin)
        cuts: list[int] = []
        end = count
        for back in reversed(origins):
            end = int(back[end])
            cuts.append(end)
        result.append((float(best[count]), cuts[::-1]))
    return result


def pieces_of(values: Sequence[float], significance: float = 0.001, prior: Prior | None = None) -> list[Piece]:
    """The piecewise constant function under positive values; relative changes count, so all is done on logarithms.

    ``significance`` bounds the chance that a history without any step gets one.
    """
    if not values:
        return []
    if min(values) <= 0.0:
        raise ValueError("a history of times needs positive times")
    logs = [math.log(value) for value in values]
    cuts = _significant(logs, _candidates(logs), significance, prior)
    ends = [0, *cuts, len(logs)]
    return [
        Piece(start, stop, math.exp(statistics.median(logs[start:stop]))) for start, stop in itertools.pairwise(ends)
    ]


def _candidates(logs: Sequence[float]) -> list[int]:
    """Where the information criterion cuts; more often rather than less, for each cut is tested afterwards."""
    count = len(logs)
    found = best_cuts(logs)
    # Deviations of exactly constant pieces are zero; the floor keeps their logarithm finite and noise from being found.
    scores = [
        count * math.log(max(deviation / count, LEAST_SPREAD)) + 1.5 * math.log(count) * len(cuts)
        for deviation, cuts in found
    ]
    return found[min(range(len(scores)), key=scores.__getitem__)][1]


def _significant(logs: Sequence[float], cuts: Sequence[int], significance: float, prior: Prior | None) -> list[int]:
    """The cuts that remain when the least significant one is taken away again and again."""
    kept = list(cuts)
    while kept:
        ends = [0, *kept, len(logs)]
        chances = [corrected_p(logs, ends[i], ends[i + 1], ends[i + 2], prior) for i in range(len(kept))]
        worst = max(range(len(kept)), key=chances.__getitem__)
        if chances[worst] <= significance:
            break
        del kept[worst]
    return kept


def corrected_p(logs: Sequence[float], start: int, middle: int, stop: int, prior: Prior | None) -> float:
    """The chance of a difference like that at ``middle``, anywhere in a history of this length without a step."""
    return min(1.0, len(logs) * difference_p(logs[start:middle], logs[middle:stop], prior))


def difference_p(before: Sequence[float], after: Sequence[float], prior: Prior | None = None) -> float:
    """Two-sided p-value of Student's test for a difference of the means, moderated by ``prior``.

    Values are logarithms of times. Noise is never taken to be below ``LEAST_SPREAD``. With fewer than three values in
    all nothing can be said: 1.
    """
    from scipy import stats as scipy_stats  # takes a second to import, and every command imports this module

    n, m = len(before), len(after)
    if n == 0 or m == 0 or n + m < 3:
        return 1.0
    squares = _squares(before) + _squares(after)
    freedom = float(n + m - 2)
    variance = squares / freedom
    if prior is not None:
        total = freedom + prior.freedom
        variance = prior.variance if math.isinf(total) else (squares + prior.freedom * prior.variance) / total
        freedom = total
    spread = max(math.sqrt(variance), LEAST_SPREAD)
    distance = abs(statistics.fmean(after) - statistics.fmean(before)) / (spread * math.sqrt(1.0 / n + 1.0 / m))
    return float(2.0 * scipy_stats.t.sf(distance, freedom))


def _squares(values: Sequence[float]) -> float:
    mean = statistics.fmean(values)
    return math.fsum((value - mean) ** 2 for value in values)


def residual_variance(values: Sequence[float]) -> tuple[float, int]:
    """Variance of the logarithms about the levels of their pieces, and its degrees of freedom (0: nothing known)."""
    logs = [math.log(value) for value in values]
    pieces = pieces_of(values, 0.01)
    freedom = len(logs) - len(pieces)
    squares = math.fsum(_squares(logs[piece.start : piece.stop]) for piece in pieces)
    return (squares / freedom if freedom else 0.0), freedom


def noise_prior(histories: Sequence[Sequence[float]]) -> Prior | None:
    """What the noise of many cells tells about that of one (Smyth, *Linear models and empirical Bayes methods*, 2004).

    Variances are taken to scatter about a common one as an inverse chi-square distribution does; its degrees of freedom
    say how alike the cells are. None where fewer than three cells have a history.
    """
    from scipy import optimize, special

    known = [(max(v, LEAST_SPREAD**2), d) for v, d in map(residual_variance, histories) if d >= 2]
    if len(known) < 3:
        return None
    offsets = [math.log(v) - float(special.digamma(d / 2)) + math.log(d / 2) for v, d in known]
    mean = statistics.fmean(offsets)
    excess = statistics.variance(offsets) - statistics.fmean(float(special.polygamma(1, d / 2)) for _, d in known)
    if excess <= 1e-4:
        return Prior(math.exp(mean), math.inf)
    half = float(optimize.brentq(lambda x: float(special.polygamma(1, x)) - excess, 1e-4, 1e5))
    return Prior(math.exp(mean + float(special.digamma(half)) - math.log(half)), 2.0 * half)


def steps_of(values: Sequence[float], significance: float = 0.001, prior: Prior | None = None) -> list[Step]:
    """The changes of level in a history of positive values, oldest first."""
    pieces = pieces_of(values, significance, prior)
    logs = [math.log(value) for value in values]
    return [
        Step(right.start, left.level, right.level, corrected_p(logs, left.start, right.start, right.stop, prior))
        for left, right in itertools.pairwise(pieces)
    ]


def noise_band(values: Sequence[float]) -> Band | None:
    """The range that noise explains, from values of one level; None where there are fewer than three.

    Level and spread are median and scaled median absolute deviation of the logarithms, so that single outliers do
    not widen the band.
    """
    if len(values) < 3:
        return None
    logs = [math.log(value) for value in values]
    level = statistics.median(logs)
    spread = max(1.4826 * statistics.median(abs(value - level) for value in logs), LEAST_SPREAD)
    return Band(math.exp(level - BAND * spread), math.exp(level), math.exp(level + BAND * spread))
