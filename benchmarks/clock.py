"""Clocks: of what compiles, seconds of the processor, which a busy machine does not change much; of calls that are
compared, the least seconds of each, in turns."""

from __future__ import annotations

import math
import resource
import time
from collections.abc import Callable
from typing import Any


def processor_seconds() -> float:
    """Of this process and of those that it has waited for, such as clang."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def least_seconds(calls: list[Callable[[], Any]], seconds: float) -> list[float]:
    """The least time of each, run in turns."""
    counts = []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        counts.append(max(1, int(0.002 / (time.perf_counter() - start + 1e-9))))
    least = [math.inf] * len(calls)
    end = time.perf_counter() + seconds * len(calls)
    while time.perf_counter() < end or math.inf in least:
        for index, (call, count) in enumerate(zip(calls, counts, strict=True)):
            start = time.perf_counter()
            for _ in range(count):
                call()
            least[index] = min(least[index], (time.perf_counter() - start) / count)
    return least
