"""The engine's own part of compiling a derivative, by kind and size of program (see compile_time.py for a table)."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.clock import processor_seconds
from benchmarks.compile_time import measure
from benchmarks.shapes import SHAPES

pytestmark = pytest.mark.benchmark(timer=processor_seconds)
CASES = [(name, size) for name, (_, sizes) in SHAPES.items() for size in sizes[:2]]


@pytest.mark.parametrize(("name", "size"), CASES, ids=[f"{name}-{size}" for name, size in CASES])
def bench_own_part(benchmark: BenchmarkFixture, name: str, size: int) -> None:
    source = SHAPES[name][0](size, False)
    parts: list[list[float]] = []
    benchmark.pedantic(lambda: parts.append(measure(source, 2, "post", False, None)), rounds=1)
    front, before, own, _ = parts[-1]
    benchmark.extra_info.update(front_end=front, llvm_before=before, own=own, own_per_unit=own / size)
    assert own < 20
