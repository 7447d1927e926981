"""A C++ translation unit of 25,000 lines of IR with one small active function. Wanted: differentiated in under 5
seconds, because the other functions are passed through as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from enzyme.gradient.lower import lower_module
from enzyme.support.config import Config


@pytest.mark.parametrize("debug", [False, True], ids=["plain", "debug"])
def bench_lower_large_unit(benchmark: BenchmarkFixture, large_ir: Callable[[bool], str], debug: bool) -> None:
    ir = large_ir(debug)
    benchmark.extra_info["ir_lines"] = ir.count("\n")
    benchmark.extra_info["functions"] = ir.count("\ndefine ")
    lowered = benchmark.pedantic(lower_module, args=(ir, Config()), rounds=5)
    assert "@__enzyme_autodiff" not in lowered
