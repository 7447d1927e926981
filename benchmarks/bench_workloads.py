"""The harness's workloads: the speed of generated derivatives, each beside its primal, and the time to compile them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import enzyme
from adbench.native.timing import NativeTimer
from adbench.tools.native_runner import ENTRY_POINTS
from adbench.workloads import all_workloads, get_workload
from adbench.workloads.base import Function
from benchmarks.clock import processor_seconds
from benchmarks.variants import CASES, Variant, find_case
from enzyme.support.config import Config


@pytest.fixture(scope="module")
def timer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NativeTimer]:
    return NativeTimer(Path(tmp_path_factory.mktemp("timer")))


@pytest.mark.parametrize("name", CASES)
def bench_derivative(benchmark: BenchmarkFixture, timer: NativeTimer, name: str) -> None:
    workload, case = find_case(name)
    made = Variant(workload, workload.inputs(case, seed=1), Config(), timer, "post")
    primal, derivative = made.batch(Function.OBJECTIVE), made.batch(Function.JACOBIAN)
    derivative(1, 1)
    inner = max(1, 100_000 // max(1, *derivative(1, 2)))  # enough calls that the clock does not show
    benchmark.pedantic(made.call(Function.JACOBIAN), iterations=inner, rounds=50)
    # after one another, so that a slow moment of the machine meets both
    pairs = [(min(primal(inner, 1)), min(derivative(inner, 1))) for _ in range(50)]
    least, own = (min(times) / 1e9 for times in zip(*pairs, strict=True))
    benchmark.extra_info["primal_seconds"] = least
    benchmark.extra_info["derivative_over_primal"] = own / least
    benchmark.extra_info["bytes_at_peak"] = made.memory()


@pytest.mark.benchmark(timer=processor_seconds)
@pytest.mark.parametrize("name", all_workloads())
def bench_compile(benchmark: BenchmarkFixture, name: str) -> None:
    """From the source to a derivative that can be called, the C compiler included."""
    native = get_workload(name).native
    source = native.source("enzyme")
    assert source is not None

    def to_callable() -> enzyme.Module:
        module = enzyme.compile(source, include_dirs=[native.folder])
        assert module[ENTRY_POINTS[Function.JACOBIAN]].address
        return module

    module = benchmark.pedantic(to_callable, rounds=2)
    benchmark.extra_info.update(module.compile_seconds)
