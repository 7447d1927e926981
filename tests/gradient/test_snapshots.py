"""Which arrays are written straight into the tape, and which are left to the loop that reads them."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme
from enzyme.gradient import plan
from enzyme.ir.values import Value

PROGRAM = """
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(const double *x, int n, int steps) {
  double *y = malloc(n * sizeof(double)), *stage = malloc(n * sizeof(double)), *slope = calloc(n, sizeof(double));
  double s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) stage[i] = y[i] + 0.01 * slope[i];
    for (int i = 0; i < n; i++) { double a = stage[i]; slope[i] = WORK; }
    for (int i = 0; i < n; i++) y[i] += 0.02 * slope[i];
  }
  for (int i = 0; i < n; i++) s += y[i] * y[i];
  free(y), free(stage), free(slope);
  return s;
}
double value(const double *x, int n, int steps) { return f(x, n, steps); }
void reverse(double *x, double *dx, int n, int steps) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, steps);
}
"""
LITTLE = "a * a"
MUCH = "a * a" + "".join(f" + {k}.25 * (a - x[(i + {k}) % n])" for k in range(1, 12))


OVERWRITTEN = """
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static double f(const double *x, int n, int steps) {
  double *y = malloc(n * sizeof(double)), *slope = calloc(n, sizeof(double));
  double s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int t = 0; t < steps; t++) {
    for (int i = 2; i < n - 1; i++) slope[i] = WORK;
    for (int i = 0; i < n; i++) y[i] += 0.02 * slope[i];
  }
  for (int i = 0; i < n; i++) s += y[i] * y[i];
  free(y), free(slope);
  return s;
}
""" + PROGRAM[PROGRAM.index("double value") :]


def _derive(program: str, n: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> list[plan.Snapshot]:
    """Check the program's derivative; the snapshots that it keeps."""
    asked, chosen = plan._minimum_cut, list[list[plan.Snapshot]]()

    def spy(order: list[Value], needed: list[Value], origins: plan.Origins, cost: dict[Value, int]) -> set[Value]:
        kept = asked(order, needed, origins, cost)
        chosen.append([origins.snapshots.taken[value] for value in kept if value in origins.snapshots.taken])
        return kept

    monkeypatch.setattr(plan, "_minimum_cut", spy)
    module = enzyme.compile(program, config=enzyme.Config(cache=None))
    x, v = np.linspace(0.3, 0.7, n), np.cos(np.arange(n))
    dx = np.zeros(n)
    module["reverse"](x, dx, n, steps)
    value, h = module["value"], 1e-4
    expected = (value(x + h * v, n, steps) - value(x - h * v, n, steps)) / (2 * h)
    np.testing.assert_allclose(dx @ v, expected, rtol=1e-7)
    return chosen[-1]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("work", "straight"), [(LITTLE, True), (MUCH, False)])
def test_which(work: str, straight: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = _derive(PROGRAM.replace("WORK", work), 9, 4, monkeypatch)
    assert any(each.writer is not None for each in kept) == straight


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("work", "copied"), [("(y[i + 1] - y[i - 2]) * y[i - 1]", True), ("y[i] * y[i]", False), ("y[i + 1]", False)]
)
@pytest.mark.parametrize(("n", "steps"), [(9, 4), (4, 1), (2, 3), (40, 0)])
def test_a_copy_for_two_numbers(work: str, copied: bool, n: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that would keep two numbers for each element has the array copied; one that would keep one does not."""
    assert bool(_derive(OVERWRITTEN.replace("WORK", work), n, steps, monkeypatch)) == copied
