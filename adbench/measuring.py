"""Calibrated repetition: how often to call something so that its time is known, and when to stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Batch: TypeAlias = Callable[[int, int], list[int]]
"""``batch(inner, count)`` gives ``count`` samples, each the mean time in ns of ``inner`` consecutive calls."""

MAX_SAMPLES = 200
"""Samples kept of one measurement; faster functions are called several times per sample."""

LEAST_SAMPLE_NS = 20_000
"""A sample lasts at least this long, so that reading the clock (tens of ns) does not show in it."""


@dataclass(frozen=True)
class RunPlan:
    """At least ``min_runs`` samples over at least ``min_seconds``, but nothing new is started after ``max_seconds``."""

    min_runs: int = 5
    min_seconds: float = 0.5
    max_seconds: float = 5.0

    def share(self, rounds: int) -> RunPlan:
        """The part of this plan that each of ``rounds`` interleaved rounds does."""
        return RunPlan(math.ceil(self.min_runs / rounds), self.min_seconds / rounds, self.max_seconds / rounds)


def repeat(batch: Batch, plan: RunPlan) -> list[int]:
    """Samples in ns of one measurement. The caller has already warmed up what ``batch`` calls."""
    start = time.perf_counter()
    first = max(1, batch(1, 1)[0])
    if (plan.min_runs <= 1 and first >= plan.min_seconds * 1e9) or first >= plan.max_seconds * 1e9:
        return [first]
    sample_ns = max(LEAST_SAMPLE_NS, plan.min_seconds * 1e9 / MAX_SAMPLES)
    inner = max(1, round(sample_ns / first))
    samples = [first] if inner == 1 else []
    while True:
        elapsed = time.perf_counter() - start
        if (len(samples) >= plan.min_runs and elapsed >= plan.min_seconds) or (elapsed >= plan.max_seconds and samples):
            return samples
        missing_time = math.ceil((plan.min_seconds - elapsed) * 1e9 / (inner * first))
        missing = max(1, plan.min_runs - len(samples), missing_time)
        # Slow functions one at a time, so that max_seconds is kept; fast ones a quarter of what is missing at a time.
        samples += batch(inner, 1 if inner == 1 and first > 1e8 else max(1, missing // 4))


def python_batch(function: Callable[[], object]) -> Batch:
    """Samples of a Python callable by the performance counter."""

    def run(inner: int, count: int) -> list[int]:
        samples = []
        for _ in range(count):
            start = time.perf_counter_ns()
            for _ in range(inner):
                function()
            samples.append((time.perf_counter_ns() - start) // inner)
        return samples

    return run
