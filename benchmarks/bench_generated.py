"""The derivative's own speed where the order of optimisation and differentiation changes its complexity.

A vector is divided by a norm that the loop calls for every element. The optimiser hoists the call, so the derivative
made afterwards is linear in the length; made before, it calls the norm's derivative once for every element.
"""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import enzyme

NORMALISE = """
#include <math.h>
__attribute__((pure, noinline)) static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}
void normalise(double *restrict out, const double *restrict x, int n) {
    for (int i = 0; i < n; i++) out[i] = x[i] / norm(x, n);
}
"""


@pytest.mark.parametrize("length", [1000, 2000])
@pytest.mark.parametrize("pipeline", ["post", "pre"])
def bench_normalise(benchmark: BenchmarkFixture, pipeline: str, length: int) -> None:
    module = enzyme.compile(NORMALISE, pipeline=pipeline)
    derivative = module.autodiff("normalise", ["dup", "dup", "const"])
    generator = np.random.default_rng(1)
    x, out, seed = generator.normal(size=length), np.zeros(length), generator.normal(size=length)
    dx = np.zeros(length)

    def gradient() -> None:
        dx[:] = 0.0
        derivative((out, seed.copy()), (x, dx), length)

    benchmark.pedantic(gradient, rounds=20, warmup_rounds=1)
    size = np.sqrt(x @ x)
    np.testing.assert_allclose(dx, (seed - x * (x @ seed) / size**2) / size, rtol=1e-10, atol=1e-13)
