"""Calibrated repetition: the least numbers are kept, slow calls are not repeated beyond the limit."""

from __future__ import annotations

import time

import pytest

from adbench.measuring import LEAST_SAMPLE_NS, RunPlan, python_batch, repeat


class Fake:
    """A batch whose calls take ``ns`` each, and that remembers what was asked."""

    def __init__(self, ns: int) -> None:
        self.ns = ns
        self.asked: list[tuple[int, int]] = []

    def __call__(self, inner: int, count: int) -> list[int]:
        self.asked.append((inner, count))
        time.sleep(self.ns * inner * count / 1e9)
        return [self.ns] * count


def test_fast_calls_are_grouped_so_that_the_clock_does_not_show() -> None:
    fake = Fake(100)
    samples = repeat(fake, RunPlan(min_runs=5, min_seconds=0.01, max_seconds=1.0))
    assert len(samples) >= 5
    assert all(inner * 100 >= LEAST_SAMPLE_NS for inner, _ in fake.asked[1:])


def test_least_seconds_and_runs_are_kept() -> None:
    start = time.perf_counter()
    samples = repeat(Fake(1_000_000), RunPlan(min_runs=7, min_seconds=0.05, max_seconds=5.0))
    assert len(samples) >= 7
    assert time.perf_counter() - start >= 0.05


def test_a_call_longer_than_the_limit_is_made_once() -> None:
    fake = Fake(30_000_000)
    assert repeat(fake, RunPlan(min_runs=5, min_seconds=0.001, max_seconds=0.02)) == [30_000_000]
    assert fake.asked == [(1, 1)]


def test_rounds_share_the_plan() -> None:
    share = RunPlan(min_runs=5, min_seconds=0.6, max_seconds=6.0).share(3)
    assert share == RunPlan(2, pytest.approx(0.2), pytest.approx(2.0))


def test_python_batch_times_the_call() -> None:
    samples = python_batch(lambda: time.sleep(0.002))(2, 3)
    assert len(samples) == 3
    assert all(sample >= 2_000_000 for sample in samples)
