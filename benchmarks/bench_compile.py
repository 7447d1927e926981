"""From the C compiler's output to a gradient that can be called, on the GMM objective. Wanted: under 3 seconds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import enzyme
from benchmarks.clock import processor_seconds
from enzyme.gradient.lower import lower_module
from enzyme.support.config import Config

pytestmark = pytest.mark.benchmark(timer=processor_seconds)
ENTRY = "adbench_derivative"

LOGSUMEXP = """
#include <math.h>
double logsumexp(const double *x, int n) {
    double largest = x[0], sum = 0.0;
    for (int i = 1; i < n; i++) largest = fmax(largest, x[i]);
    for (int i = 0; i < n; i++) sum += exp(x[i] - largest);
    return largest + log(sum);
}
"""


@pytest.mark.parametrize("pipeline", ["post", "pre"])
def bench_gmm_to_callable(benchmark: BenchmarkFixture, gmm_ir: Callable[[str], str], pipeline: str) -> None:
    """Read, differentiate, optimise, generate code, link."""
    ir = gmm_ir(pipeline)
    benchmark.extra_info["ir_lines"] = ir.count("\n")

    def to_callable() -> enzyme.Module:
        module = enzyme.compile(ir, language="llvm", pipeline=pipeline)
        assert module[ENTRY].address
        return module

    module = benchmark.pedantic(to_callable, rounds=5)
    benchmark.extra_info["seconds_by_stage_of_last_round"] = module.compile_seconds


@pytest.mark.parametrize("pipeline", ["post", "pre"])
def bench_gmm_in_new_process(
    benchmark: BenchmarkFixture, gmm_ir: Callable[[str], str], pipeline: str, tmp_path: Path
) -> None:
    """The same with the start of Python and the loading of LLVM."""
    path = tmp_path / "gmm.ll"
    path.write_text(gmm_ir(pipeline), encoding="utf-8")
    program = "import sys, enzyme; assert enzyme.compile(sys.argv[1], pipeline=sys.argv[2])[sys.argv[3]].address"
    command = [sys.executable, "-c", program, str(path), pipeline, ENTRY]
    benchmark.pedantic(subprocess.run, args=(command,), kwargs={"check": True}, rounds=3)


@pytest.mark.parametrize("pipeline", ["post", "pre"])
def bench_gmm_lower(benchmark: BenchmarkFixture, gmm_ir: Callable[[str], str], pipeline: str) -> None:
    """Differentiation alone, text to text."""
    ir = gmm_ir(pipeline)
    lowered = benchmark.pedantic(lower_module, args=(ir, Config()), rounds=5)
    assert "@__enzyme_autodiff" not in lowered


def bench_python_gradient(benchmark: BenchmarkFixture) -> None:
    """C source in a string to the first gradient, the C compiler included."""
    x = np.array([0.5, -1.0, 2.0])

    def first_gradient() -> Any:
        return enzyme.compile(LOGSUMEXP).gradient("logsumexp")(x, x.size)

    gradient = benchmark.pedantic(first_gradient, rounds=3)
    np.testing.assert_allclose(gradient, np.exp(x) / np.exp(x).sum(), rtol=1e-12)
