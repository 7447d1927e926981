"""The speed of generated derivatives on the harness's workloads, one core, each beside its primal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from adbench.native.timing import NativeTimer
from adbench.workloads.base import Function
from benchmarks.ablation import CASES, Variant, find_case
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
    benchmark.pedantic(derivative, args=(1, 1), rounds=50)
    least = min(primal(1, 50)) / 1e9
    benchmark.extra_info["primal_seconds"] = least
    benchmark.extra_info["derivative_over_primal"] = min(derivative(1, 50)) / 1e9 / least
    benchmark.extra_info["bytes_at_peak"] = made.memory()
