"""Which loops over small arrays are unrolled before a function is differentiated."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme

HEAD = """
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
void see(double *);
"""
CALL = """
void gradient(double *x, double *dx, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
}
"""
ROTATED = """
static double f(double *x, int n) {
  double p[M][M], s = 0;
  for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) p[i][j] = i == j;
  for (int t = 0; t < n; t++) {
    double q[M][M];
    for (int i = 0; i < M; i++)
      for (int j = 0; j < M; j++) {
        q[i][j] = 0;
        for (int k = 0; k < M; k++) q[i][j] += p[i][k] * x[k * M + j];
      }
    for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) p[i][j] = q[i][j] * 0.5;
  }
  for (int i = 0; i < M; i++) s += p[i][0] * p[0][i];
  return s;
}
"""
ONE = """
static double f(double *x, int n) {
  double v[M], s = 0;
  for (int t = 0; t < n; t++) {
    for (int i = 0; i < M; i++) v[i] = x[i] * x[(i + t) % M];
    MORE
    for (int i = 0; i < M; i++) s += v[i] * v[M - 1 - i];
  }
  return s;
}
"""


def arrays(body: str, small: bool = True, level: int = 2, **names: object) -> int:
    """How many arrays are left on the derivative's stack, as it leaves the engine."""
    for name, value in names.items():
        body = re.sub(rf"\b{name}\b", str(value), body)
    module = enzyme.compile(HEAD + body + CALL, opt_level=level, config=enzyme.Config(small_arrays=small))
    (derivative,) = re.findall(r"(?ms)^define [^\n]*@f\.reverse\S*\(.*?^}", module.ir("differentiated"))
    return len(re.findall(r"alloca \[(?:\d+) x (?:double|\[\d+ x double\])\]", derivative))


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("m", [2, 3])
def test_small_matrices_become_registers(m: int, level: int) -> None:
    assert arrays(ROTATED, M=m, level=level) == 0
    assert arrays(ROTATED, small=False, M=m, level=level) > 0


def test_lengths_that_fill_vectors_stay() -> None:
    assert arrays(ROTATED, M=4) == arrays(ROTATED, small=False, M=4) > 0


@pytest.mark.parametrize(("m", "left"), [(2, 0), (4, 0), (6, 0), (9, 0), (8, 2), (20, 2)])
def test_single_loops(m: int, left: int) -> None:
    assert arrays(ONE, M=m, MORE="") == left


@pytest.mark.parametrize(
    "more",
    [
        "see(v);",  # goes elsewhere
        "v[t % 3] += 1;",  # named only when it runs
        "for (int i = 0; i < n; i++) v[i % 3] += x[i];",  # by a loop that is not short
        '_Pragma("clang loop vectorize_width(4)") for (int i = 0; i < 3; i++) v[i] += x[i] * s;',  # as the program says
    ],
)
def test_what_has_to_stay_in_memory(more: str) -> None:
    body = ONE.replace("MORE", more)
    ruled = "static void derived(double *v, double *d) {}\n" if "see" in more else ""
    if ruled:
        body = body.replace("see(v);", "quiet(v);")
        body = "__attribute__((noinline)) static void quiet(double *v) { v[0] += v[1]; }" + body
    assert arrays(body, M=3) > 0


def test_the_gradient() -> None:
    x, dx = np.linspace(0.3, 1.1, 9), np.zeros(9)
    enzyme.compile(HEAD + ROTATED.replace("M", "3") + CALL)["gradient"](x, dx, 3)

    def f(x: np.ndarray) -> float:
        a = x.reshape(3, 3) * 0.5
        p = a @ a @ a
        return float(p[:, 0] @ p[0])

    steps = 1e-6 * np.eye(9)
    assert dx == pytest.approx([(f(x + h) - f(x - h)) / 2e-6 for h in steps], rel=1e-7)


def test_where_the_function_is_refused_then_loops_stay() -> None:
    """In registers, words of numbers are bits of numbers, for which there is no rule."""
    body = """
typedef unsigned __attribute__((may_alias)) word;
static double f(double *x, int n) {
  double v[3];
  for (int i = 0; i < 3; i++) v[i] = x[i] * x[0];
  *(word *)&v[1] |= 1;
  return v[0] * v[1] + v[1] * v[2] * n;
}
"""
    assert arrays(body) == arrays(body, small=False) > 0
