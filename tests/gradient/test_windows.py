"""Loops that keep neighbouring elements in registers keep each in one of its own."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme
from enzyme.gradient.windows import may_have_windows
from enzyme.llvm import pipelines

SOURCE = """
#include <stdlib.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
static double f(const double *x, long n, long steps) {
  double *y = malloc(sizeof(double) * n), *dy = malloc(sizeof(double) * n), sum = 0;
  for (long i = 0; i < n; i++) y[i] = x[i];
  for (long step = 0; step < steps; step++) {
    dy[0] = y[1] * y[n - 1] - y[0];
    dy[1] = (y[2] - y[n - 1]) * y[0] - y[1];
    for (long i = 2; i < n - 1; i++) dy[i] = (y[i + 1] - y[i - 2]) * y[i - 1] - y[i];
    dy[n - 1] = (y[0] - y[n - 3]) * y[n - 2] - y[n - 1];
    for (long i = 0; i < n; i++) y[i] += 0.1 * dy[i];
  }
  for (long i = 0; i < n; i++) sum += y[i] * y[i];
  free(y), free(dy);
  return sum;
}
double primal(const double *x, long n, long steps) { return f(x, n, steps); }
void gradient(const double *x, double *dx, long n, long steps) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, steps);
}
"""


def pairs(module: enzyme.Module) -> int:
    """How many pairs of numbers iterations of the gradient hand on."""
    (text,) = re.findall(r"(?ms)^define [^\n]*@gradient\b.*?^}", module.ir())
    return len(re.findall(r"= phi <2 x double>", text))


def test_elements_of_a_window_are_not_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    config = enzyme.Config(cpu="x86-64-v3")
    module = enzyme.compile(SOURCE, config=config)
    assert may_have_windows(module.ir("differentiated"))
    without = enzyme.compile(SOURCE, config=enzyme.Config(cpu="x86-64-v3", windows=False))
    assert not may_have_windows(without.ir("differentiated"))
    assert not pairs(module)
    optimise = pipelines.optimise
    monkeypatch.setattr(pipelines, "optimise", lambda *given, **named: optimise(*given, **{**named, "windows": False}))
    assert pairs(enzyme.compile(SOURCE, config=config))


@pytest.mark.parametrize("n", [4, 5, 8, 13])
def test_the_gradient(n: int) -> None:
    module = enzyme.compile(SOURCE)
    x, dx = np.random.default_rng(n).normal(size=n), np.zeros(n)
    module["gradient"](x, dx, n, 3)
    for i in range(n):
        step = np.eye(n)[i] * 1e-6
        difference = (module["primal"](x + step, n, 3) - module["primal"](x - step, n, 3)) / 2e-6
        assert dx[i] == pytest.approx(difference, rel=1e-6, abs=1e-6)
