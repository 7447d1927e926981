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


@pytest.mark.thinned(2)
@pytest.mark.parametrize("n", [4, 5, 8, 13])
def test_the_gradient(n: int) -> None:
    module = enzyme.compile(SOURCE)
    x, dx = np.random.default_rng(n).normal(size=n), np.zeros(n)
    module["gradient"](x, dx, n, 3)
    for i in range(n):
        step = np.eye(n)[i] * 1e-6
        difference = (module["primal"](x + step, n, 3) - module["primal"](x - step, n, 3)) / 2e-6
        assert dx[i] == pytest.approx(difference, rel=1e-6, abs=1e-6)


LOOP = """
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
static void f(const double *restrict x, double *restrict z, long n) {
  double *y = malloc(sizeof(double) * (n + 3));
  for (long i = 0; i < n + 3; i++) y[i] = x[i] * x[i];
  BEFORE
  for (long i = 2; i < n - 1; i++) {
    double next = y[i + 1];
    z[i] = (next - y[i - 2]) * y[i - 1] - sin(b);
    b = next;
  }
  free(y);
}
void gradient(const double *x, double *dx, double *z, double *dz, long n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, z, dz, enzyme_const, n);
}
"""
HANDED = {
    "the element": "double b = y[2];",
    "before a store elsewhere": "double b = y[2]; z[2] = y[1];",
}
KEPT = {
    "another element": "double b = y[1];",
    "another number": "double b = y[2] * y[2];",
    "another array's": "double b = x[2];",
    "before it is overwritten": "double b = y[2]; y[2] = x[1];",
    "a number without a derivative": "double b = 2.0;",
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [*HANDED, *KEPT])
def test_what_iterations_hand_on(name: str) -> None:
    """Adjoints of what is an element of the window go there; then the loop runs up. Of other numbers they go on."""
    text = LOOP.replace("BEFORE", (HANDED | KEPT)[name])
    module = enzyme.compile(text)
    made = module.ir("differentiated")
    assert may_have_windows(made)
    assert ("%last.r" in made) == (name in HANDED)
    assert "%last.r" not in enzyme.compile(text, config=enzyme.Config(ascending=False)).ir("differentiated")
    plain = enzyme.compile(text, config=enzyme.Config(windows=False))
    for n in (2, 3, 4, 5, 16, 33):
        y, z, seed = np.random.default_rng(n).normal(size=(3, n + 3))
        results = []
        for each in (module, plain):
            dy, dz = np.zeros(n + 3), seed.copy()
            each["gradient"](y, dy, z.copy(), dz, n)
            results.append(np.concatenate([dy, dz]))
        np.testing.assert_allclose(results[0], results[1], rtol=1e-12, atol=1e-13)


def test_windows_that_are_written_run_down() -> None:
    text = SOURCE.replace("for (long i = 2; i < n - 1; i++) dy[i] =", "for (long i = 2; i < n - 1; i++) y[i] =")
    made = enzyme.compile(text).ir("differentiated")
    assert may_have_windows(made) and "%last.r" not in made


RECORDS = """
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
static double f(const double *x, long n) { double s = 0; for (long i = 1; i < n; i++) s += WHAT; return s; }
void gradient(const double *x, double *dx, long n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
}
"""


@pytest.mark.parametrize(
    ("what", "slots"),
    [
        ("x[2 * i] * x[2 * i - 2] * x[2 * i] + x[2 * i + 1] * x[2 * i - 1] * x[2 * i - 1]", 4),
        ("x[3 * i] * x[3 * i - 3] * x[3 * i] + x[3 * i + 1] * x[3 * i + 2] * x[3 * i - 2]", 4),
        ("x[3 * i] * x[3 * i] * x[3 * i + 1] * x[3 * i + 2]", 0),
        ("x[2 * i] * x[2 * i - 2] * x[2 * i] * x[2 * i + 1] * x[2 * i + 1]", 2),
    ],
)
def test_records(what: str, slots: int) -> None:
    """Each number of a record that has neighbours has a window."""
    text = RECORDS.replace("WHAT", what)
    module, plain = enzyme.compile(text), enzyme.compile(text, config=enzyme.Config(windows=False))
    found = set(re.findall(r"(%shadow\.window[.\d]*) = alloca", module.ir("differentiated")))
    assert len(found) == slots
    for n in (0, 1, 2, 3, 20):
        x, results = np.random.default_rng(n).normal(size=3 * n + 3), []
        for each in (module, plain):
            dx = np.zeros_like(x)
            each["gradient"](x, dx, n)
            results.append(dx)
        np.testing.assert_allclose(results[0], results[1], rtol=1e-12, atol=1e-13)
