"""Which reversed loops have the matrices of their steps computed first, and that what they compute is right."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import enzyme
from enzyme.analysis.loops import analyse_loops
from enzyme.gradient.latencies import cycles_between_iterations, lengths_in
from enzyme.gradient.short_chains import STRIP
from enzyme.ir.parser import parse_module

PROGRAM = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
TYPE __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;
static TYPE f(const TYPE *PROMISE p, const TYPE *PROMISE u, TYPE *PROMISE w, const int *q, int n) {
  TYPE x = p[0], y = p[1], z = p[2], s = 0;
  LOOP
  return x * x + (TYPE)0.3 * y * z + s;
}
void reverse(TYPE *p, TYPE *dp, TYPE *u, TYPE *du, TYPE *w, TYPE *dw, int *q, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, p, dp, enzyme_dup, u, du, enzyme_dup, w, dw, enzyme_const, q,
                    enzyme_const, n);
}
TYPE forward(TYPE *p, TYPE *dp, TYPE *u, TYPE *du, TYPE *w, TYPE *dw, int *q, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, p, dp, enzyme_dup, u, du, enzyme_dup, w, dw, enzyme_const, q,
                          enzyme_const, n);
}
"""
EACH = "for (int i = 0; i < n; i++) "
NEWTON = "x = x - (TYPE)0.1 * (x * x * x - p[1] * x - p[2]) / (3 * x * x - p[1] + 10);"
SHORT = {
    "a choice": EACH + "x = x - (u[i] > 0 ? x : y) * x * x / (100 + x * x * x * x);",
    "Newton's method": EACH + NEWTON,
    "an orbit": EACH
    + "{ TYPE r = x * x + y * y + 1, t = p[2] / (r * sqrt(r)); z -= x * t / 50; x += z / 50; y += x / 40; }",
    "numbers that come in": EACH + "x = x + x * (1 - x * x / (2 + u[i])) / 100 + u[i] / 50;",
    "more and more": EACH + "{ x = x + x * (1 - x * x / (2 + u[i])) / 100; s += x * x * u[i]; }",
    "every third": "for (int i = 0; i < n; i += 3) " + NEWTON.replace("p[2]", "u[i]"),
    "downwards": "for (int i = n - 1; i >= 0; i--) " + NEWTON.replace("p[2]", "u[i]"),
    "until": "for (int i = 0; x > (TYPE)1e-3 && i < n; i++) x = x - x * (1 + y * x) / (100 + x * x);",
    "again and again": "for (int k = 0; k < 3; k++) " + EACH + NEWTON,
}
SHORT["a branch"] = EACH + "x = u[i] > 0 ? x - x * x / (100 + x * x * x * x) : x + x / (100 + x * x * y);"
SHORT["three ways"] = (
    EACH + "switch (q[i] % 4) { case 0: x = x - x * x / (100 + x * x * y); break; "
    "case 1: if (x > y) y = y + x / (90 + y * y); z = z + y / (100 + x * x); break; "
    "case 2: x = y - z / (100 + x * x * x * x); break; default: x = x * (TYPE)0.999; }"
)
SHORT["a small array"] = (
    "TYPE a[3] = {x, y, z}, d[3]; "
    + EACH
    + "{ for (int k = 0; k < 3; k++) d[k] = a[(k + 1) % 3] * a[k] / (9 + a[k] * a[k]); "
    "for (int k = 0; k < 3; k++) a[k] += d[k] / 40; } x = a[0]; y = a[1]; z = a[2];"
)
SHORT["a triangle"] = (
    "TYPE a[3] = {x, y + 2, z + 4}; "
    + EACH
    + "{ TYPE d[3] = {0, 0, 0}; for (int k = 0; k < 3; k++) for (int l = 0; l < k; l++) { TYPE r = a[k] - a[l], "
    "t = r / (r * r + 1); d[k] += t; d[l] -= t; } for (int k = 0; k < 3; k++) a[k] += d[k] / 90; } x = a[0]; y = a[2];"
)
_START, _, _STEP = SHORT["a triangle"].partition(EACH)
_STEP, _, _END = _STEP.rpartition(" x =")
SHORT["a large step"] = f"{_START}{EACH}{{ {_STEP} {_STEP} }} x ={_END}"
NOT = {
    "a sum": EACH + "x += u[i] * y;",
    "a product and a sum": EACH + "x = x * u[i] + y;",
    "a call": EACH + "x = x + sin(x * y) / (100 + x * x);",
    "what comes from memory": EACH + "{ x = x - x * x / (100 + x * x) + w[0]; w[q[i] & 1] = x / 50; }",
    "so many": "for (int i = 0; i < 20; i++) " + NEWTON,
}
LOOPS = {**SHORT, **NOT}


@cache
def program(name: str, on: bool = True, type: str = "double", pipeline: str = "post") -> enzyme.Module:
    text = PROGRAM.replace("LOOP", LOOPS[name]).replace("TYPE", type).replace("PROMISE", "restrict")
    return enzyme.compile(text, pipeline=pipeline, config=enzyme.Config(short_chains=on))


def computes_first(module: enzyme.Module) -> bool:
    return re.search(rf"%chain\S* = alloca \[{STRIP} x ", module.ir("optimised")) is not None


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", LOOPS)
def test_which(name: str) -> None:
    assert computes_first(program(name)) == (name in SHORT)
    assert not computes_first(program(name, on=False))


@pytest.mark.parametrize(
    ("name", "cpu", "whole"),
    [
        ("a large step", "sapphirerapids", True),
        ("a large step", "icelake-server", False),  # at a lower clock
        ("Newton's method", "sapphirerapids", False),  # too small for it
    ],
)
def test_large_matrices_in_whole_registers(name: str, cpu: str, whole: bool) -> None:
    """Where LLVM prefers halves, and the processor works on whole ones as fast."""
    source = PROGRAM.replace("LOOP", SHORT[name]).replace("TYPE", "double").replace("PROMISE", "restrict")
    text = enzyme.compile(source, config=enzyme.Config(cpu=cpu)).ir()
    assert ("<8 x double>" in text) == whole


def _gradient(module: enzyme.Module, n: int, dtype: str = "f8") -> list[np.ndarray]:
    p, u, w, q = _inputs(n, dtype)
    shadows = [np.ones_like(each) for each in (p, u, w)]
    module["reverse"](p, shadows[0], u, shadows[1], w, shadows[2], q, n)
    return shadows


def _inputs(n: int, dtype: str = "f8") -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(n)
    p, u, w = (rng.uniform(0.5, 1.5, size).astype(dtype) for size in (3, n + 1, n + 2))
    u[::3] *= -1 if n else 1
    return p, u, w, rng.integers(0, 9, n + 1).astype("i4")


COUNTS = (0, 1, 2, STRIP - 1, STRIP, STRIP + 1, STRIP + 2, 2 * STRIP, 2 * STRIP + 1, 2 * STRIP + 2, 5 * STRIP + 17)


@pytest.mark.parametrize("pipeline", ["post", "pre"])
@pytest.mark.parametrize("name", LOOPS)
def test_values(name: str, pipeline: str) -> None:
    """As the loop was written, for all numbers of strips and of what they leave; and against tangents."""
    for n in COUNTS:
        found = [_gradient(program(name, on, pipeline=pipeline), n) for on in (True, False)]
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
        p, u, w, q = _inputs(n)
        tangents = [np.random.default_rng(5).standard_normal(each.size) for each in (p, u, w)]
        if "w[" in LOOPS[name]:
            tangents[2][:] = 0  # is overwritten, and its shadow begins with ones
        expected = program(name)["forward"](p, tangents[0].copy(), u, tangents[1].copy(), w, tangents[2].copy(), q, n)
        ones = [each.sum() for each in tangents]
        if "w[" not in LOOPS[name]:
            got = sum(d @ t - one for d, t, one in zip(found[0], tangents, ones, strict=True))
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", SHORT)
def test_single_precision(name: str) -> None:
    for n in (STRIP + 1, 3 * STRIP):
        single = _gradient(program(name, type="float"), n, "f4")
        for one, other in zip(single, _gradient(program(name), n), strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=2e-4)


def test_single_precision_computes_first() -> None:
    assert computes_first(program("numbers that come in", type="float"))


WILD = """
#include <math.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
/* A root of zero, of which nothing is asked where c is zero: its partial is infinite. */
static double roots(const double *restrict a, const double *restrict c, double m, int n) {
  double x = 2, y = 1;
  for (int i = 0; i < n; i++) {
    double t = x * a[i];
    x = x - x * x / (1000 + x * x) + c[i] * sqrt(t * t * y);
    y = y + x / (100 + y * y);
  }
  return m * (x + y);
}
/* What comes back is small, and partials are large: their products alone would overflow. */
static double large(const double *restrict a, const double *restrict c, double m, int n) {
  double x = 1e-200, y = 1;
  for (int i = 0; i < n; i++) {
    double s = x * a[i], t = s * a[i] + x / (3 + y * y), v = t * c[i];
    x = v + x / (2 + y * y);
    y = y + y / (100 + y * y);
  }
  return m * x;
}
void of_roots(double *a, double *da, double *c, double m, int n) {
  __enzyme_autodiff((void *)roots, enzyme_dup, a, da, enzyme_const, c, enzyme_const, m, enzyme_const, n);
}
void of_large(double *a, double *da, double *c, double m, int n) {
  __enzyme_autodiff((void *)large, enzyme_dup, a, da, enzyme_const, c, enzyme_const, m, enzyme_const, n);
}
"""


@pytest.mark.parametrize("at", [0, 5, STRIP, 2 * STRIP - 1, 3 * STRIP + 3])
def test_matrices_that_are_not_finite(at: int) -> None:
    n = 4 * STRIP
    on, off = (enzyme.compile(WILD, config=enzyme.Config(short_chains=each)) for each in (True, False))
    assert computes_first(on)
    rng = np.random.default_rng(1)
    a, c = rng.uniform(0.5, 1, n), rng.uniform(0.5, 1, n) / 100
    a[at] = c[at] = 0
    found = np.zeros((2, n))
    for module, gradient in zip((on, off), found, strict=True):
        module["of_roots"](a, gradient, c, 1.0, n)
    assert np.isfinite(found).all(), "what is left out where an adjoint is zero is zero"
    np.testing.assert_allclose(*found, rtol=1e-11)
    a, c = np.ones(n), np.full(n, 0.1)
    a[at], c[at] = 1e170, 1e-300
    found = np.zeros((2, n))
    for module, gradient in zip((on, off), found, strict=True):
        module["of_large"](a, gradient, c, 1e-30, n)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(*found, rtol=1e-11)


def test_adjoints_that_are_not_finite() -> None:
    n, name = 2 * STRIP + 5, "numbers that come in"
    p, u, w, q = _inputs(n)
    p[0] = np.inf
    found = []
    for on in (True, False):
        shadows = [np.zeros_like(each) for each in (p, u, w)]
        program(name, on)["reverse"](p, shadows[0], u, shadows[1], w, shadows[2], q, n)
        found.append(shadows[1])
    np.testing.assert_array_equal(np.isfinite(found[0]), np.isfinite(found[1]))


def test_not_where_values_are_compared() -> None:
    """What is computed again in the reverse sweep of a second derivative must be what was kept, bit by bit."""
    text = PROGRAM.replace("LOOP", SHORT["an orbit"]).replace("TYPE", "double").replace("PROMISE", "restrict")
    assert not computes_first(enzyme.compile(text, config=enzyme.Config(check_plan=True)))


LOOP = """
define double @f(ptr %p, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x = phi double [ 1.0, %entry ], [ %b, %loop ]
  %y = phi double [ 1.0, %entry ], [ %x, %loop ]
  %z = phi double [ 1.0, %entry ], [ %e, %loop ]
  %v = load double, ptr %p
  %a = fmul double %y, %v
  %b = fadd double %a, 1.0
  %c = fdiv double %v, 3.0
  %d = fdiv double %c, 7.0
  %e = fadd double %z, %d
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret double %z
}
"""


def test_cycles() -> None:
    """x goes round in two iterations, by way of y; the divisions are in no cycle."""
    function = parse_module(LOOP).functions["f"]
    (loop,) = analyse_loops(function).loops
    lengths = lengths_in(loop)
    made = {phi: lengths[phi.value_from(loop.header)] for phi in loop.header.phis}
    assert {phi.name: {other.name: cycles for other, cycles in each.items()} for phi, each in made.items()} == {
        "i": {"i": 1},
        "x": {"y": 8},
        "y": {"x": 0},
        "z": {"z": 4},
    }
    assert cycles_between_iterations(made) == 4.0
    slow = {phi: each for phi, each in made.items() if phi.name != "z"}
    assert cycles_between_iterations(slow) == 4.0
    assert cycles_between_iterations({}) == 0.0
