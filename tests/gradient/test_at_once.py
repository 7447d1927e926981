"""Calls and iterations are reversed in the forward sweep where their adjoint is known there, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme import Config
from enzyme.cli import main
from tests.gradient.random_sums import FUNCTIONS, SIZE, source

_HEAD = """
#include <math.h>
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
extern long enzyme_tape_peak;
static __attribute__((noinline)) double bump(const double *x, int i) { return sin(x[i]) * x[i]; }
"""
PATHS = (
    _HEAD
    + """
static double drawn(unsigned long *state) {
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*state >> 40) / (1 << 24) - 0.5;
}
double price(const double *x, unsigned long *state, int paths, int steps) {
    double sum = 0, squares = 0;
    for (int p = 0; p < paths; p++) {
        double v = x[0];
        for (int t = 0; t < steps; t++) v += x[1] * v * 0.01 + x[2] * drawn(state) * v;
        double payoff = v > x[3] ? v - x[3] : 0;
        sum += payoff, squares += payoff * payoff;
    }
    return exp(-x[1]) * sum / paths - 0.1 * squares / paths;
}
void gradient(const double *x, double *dx, unsigned long seed, int paths, int steps) {
    __enzyme_autodiff((void *)price, enzyme_dup, x, dx, enzyme_const, &seed, paths, steps);
}
"""
)


def _at_once(body: str, opt_level: int = 2) -> int:
    """How many calls of a function are replaced by a combined derivative in its gradient."""
    program = f"""{_HEAD}
double f(double *x, int n) {{ {body} }}
void gradient(double *x, double *dx, int n) {{ __enzyme_autodiff((void *)f, enzyme_dup, x, dx, n); }}
"""
    text = enzyme.compile(program, opt_level=opt_level).ir("differentiated")
    return text.count("call double @bump.reverse")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(3))
def test_random(seed: int) -> None:
    modules = [enzyme.compile(source(seed), opt_level=seed % 4, config=Config(at_once=once)) for once in (True, False)]
    assert modules[0].ir("differentiated") != modules[1].ir("differentiated")
    for number in range(FUNCTIONS):
        rng = np.random.default_rng([seed, number])
        x, v = rng.uniform(-1.2, 1.2, SIZE), rng.uniform(-1, 1, SIZE)
        gradients = []
        for module in modules:
            gradients.append(np.zeros(SIZE))
            module[f"gradient{number}"](x, gradients[-1])
        if not np.isfinite(gradients[1]).all():
            continue  # a sum that grew too large
        bound = 1e-9 * max(1e-3, float(np.abs(gradients[1]).max()))
        np.testing.assert_allclose(*gradients, rtol=0, atol=bound)
        assert abs(gradients[0] @ v - modules[0][f"tangent{number}"](x, v)) <= 10 * bound


def test_paths_need_no_tape() -> None:
    x = np.array([1.0, 0.03, 0.2, 1.01])
    most = "long most(void) { return enzyme_tape_peak; }"
    taken: dict[tuple[int, bool], int] = {}
    for paths in (10, 1000):
        found = []
        for once in (True, False):
            module = enzyme.compile(PATHS + most, config=Config(at_once=once, count_tape=True))
            found.append(np.zeros(4))
            module["gradient"](x, found[-1], 5, paths, 50)
            taken[paths, once] = module["most"]()
        np.testing.assert_allclose(*found, rtol=1e-10)
    assert taken[10, True] == taken[1000, True] < 5000 < 100_000 < taken[1000, False]


@pytest.mark.parametrize(
    "body",
    [
        "return bump(x, 0);",
        "double s = 0; for (int i = 0; i < n; i++) s += bump(x, i) * x[n]; return s / n;",
        "double s = x[1]; for (int i = 0; i < n; i++) s -= bump(x, i) / (i + 1); return -s;",
        "double s = 0; for (int i = 0; i < n; i++) { s += bump(x, i); if (s > 2) break; } return s;",
        "double s = 0; for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s += bump(x, j); return s;",
    ],
)
def test_found(body: str) -> None:
    assert _at_once(body) == 1


@pytest.mark.parametrize(
    "body",
    [
        "double r = bump(x, 0); return r * r;",
        "return sqrt(bump(x, 0));",
        "double s = 0; for (int i = 0; i < n; i++) s = bump(x, i) - s; return s;",
        "double s = 0; for (int i = 0; i < n; i++) s = s * 0.5 + bump(x, i); return s;",
        "double s = 0; for (int i = 0; i < n; i++) { double r = bump(x, i); if (r > 0) s += r; } return s;",
        "double s = 0; for (int i = 0; i < n; i++) { s += bump(x, i); x[i] = x[i] * 0.5; } return s;",
        "double s = bump(x, 0); x[0] = s; return s;",
        "double s = 0; for (int i = 0; i < n; i++) { s += bump(x, i); if (s > 2) return 1; } return s;",
    ],
)
def test_left_alone(body: str) -> None:
    assert _at_once(body) == 0


def test_explained(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "paths.c"
    file.write_text(PATHS)
    assert main(["explain", str(file)]) == 0
    said = capfd.readouterr().out
    assert "reverses each iteration in the forward sweep" in said
    assert "reversed in the forward sweep, where its adjoint is known already" in said


def test_lanes() -> None:
    program = (
        _HEAD
        + """
extern int enzyme_width;
static __attribute__((noinline)) double number(double a, double b, int n) {
    for (int i = 0; i < n; i++) a = a * 0.5 + sin(a) * b;
    return a;
}
static double f(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[n] * bump(x, i) - number(x[0], x[i] * x[i], i) / n;
    return s;
}
void one(const double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, n); }
void three(const double *x, double *a, double *b, double *c, int n) {
    __enzyme_autodiff((void *)f, enzyme_width, 3, enzyme_dup, x, a, b, c, n);
}
"""
    )
    x = np.linspace(0.3, 1.2, 6)
    for opt_level in range(4):
        module = enzyme.compile(program, opt_level=opt_level)
        assert "call double @bump.reverse" in module.ir("differentiated")
        expected, lanes = np.zeros(6), np.zeros((3, 6))
        lanes[1] = 7.0
        module["one"](x, expected, 5)
        module["three"](x, *lanes, 5)
        for lane, before in zip(lanes, (0.0, 7.0, 0.0), strict=True):
            np.testing.assert_allclose(lane - before, expected, rtol=1e-12, atol=1e-13)


def test_zero_seeds() -> None:
    """What is divided by zero, and whose adjoint is zero itself, has no effect."""
    program = (
        _HEAD
        + """
static __attribute__((noinline)) double mean(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < 3; i++) s += bump(x, i);
    return s / n;
}
static double f(const double *x, int n) { return 0 * mean(x, n) + x[1]; }
void gradient(const double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, n); }
"""
    )
    for once in (True, False):
        dx = np.zeros(3)
        module = enzyme.compile(program, config=Config(at_once=once))
        assert ("call double @mean.reverse" in module.ir("differentiated")) == once
        module["gradient"](np.array([0.5, 2.0, 1.0]), dx, 0)
        np.testing.assert_array_equal(dx, [0, 1, 0])


def test_long_ways() -> None:
    """Of very many calls one behind the other, those far from the result wait for the reverse sweep."""
    calls = " ".join(f"s += bump(x, {i}) * x[0];" for i in range(300))
    program = f"""{_HEAD}
static double f(const double *x) {{ double s = 0; {calls} return s; }}
void gradient(const double *x, double *dx) {{ __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }}
"""
    module = enzyme.compile(program, opt_level=1)
    made = module.ir("differentiated")
    assert 100 < made.count("call double @bump.reverse") < 300 <= made.count("@bump.")
    x, dx = np.linspace(0.2, 1.4, 301), np.zeros(301)
    module["gradient"](x, dx)
    terms = np.sin(x[:300]) * x[:300]
    expected = np.append(x[0] * (np.sin(x[:300]) + x[:300] * np.cos(x[:300])), 0.0)
    expected[0] += terms.sum()
    np.testing.assert_allclose(dx, expected, rtol=1e-12)
