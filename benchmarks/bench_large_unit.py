"""A C++ translation unit of 24,000 lines of IR with one small active function. Wanted: differentiated in under 5
seconds, because the other functions are passed through as text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import enzyme
from benchmarks.clock import processor_seconds
from enzyme.gradient.lower import lower_module
from enzyme.support.config import Config

pytestmark = pytest.mark.benchmark(timer=processor_seconds)


@pytest.mark.parametrize("debug", [False, True], ids=["plain", "debug"])
def bench_lower_large_unit(benchmark: BenchmarkFixture, large_ir: Callable[[bool], str], debug: bool) -> None:
    ir = large_ir(debug)
    benchmark.extra_info["ir_lines"] = ir.count("\n")
    benchmark.extra_info["functions"] = ir.count("\ndefine ")
    lowered = benchmark.pedantic(lower_module, args=(ir, Config()), rounds=5)
    assert "@__enzyme_autodiff" not in lowered


@pytest.mark.parametrize("debug", [False, True], ids=["plain", "debug"])
def bench_large_unit_to_callable(benchmark: BenchmarkFixture, large_ir: Callable[[bool], str], debug: bool) -> None:
    """Read, differentiate, optimise, generate code, link."""
    ir = large_ir(debug)
    benchmark.extra_info["ir_lines"] = ir.count("\n")

    def to_callable() -> enzyme.Module:
        module = enzyme.compile(ir, language="llvm")
        assert module["objective_and_gradient"].address
        return module

    module = benchmark.pedantic(to_callable, rounds=5)
    x, dx = np.array([0.5, 1.0, -2.0]), np.zeros(3)
    module["objective_and_gradient"](x, dx, x.size)
    terms = np.exp(-x * x) * np.sin(x)
    slopes = np.exp(-x * x) * (np.cos(x) - 2.0 * x * np.sin(x))
    np.testing.assert_allclose(dx, 2.0 * terms.sum() / (1.0 + terms.sum() ** 2) * slopes, rtol=1e-12)
