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
    """How many arrays are left on the derivative's stack, as it leaves the engine; none go with an iteration."""
    for name, value in names.items():
        body = re.sub(rf"\b{name}\b", str(value), body)
    config = enzyme.Config(small_arrays=small, iterations=False)
    module = enzyme.compile(HEAD + body + CALL, opt_level=level, config=config)
    (derivative,) = re.findall(r"(?ms)^define [^\n]*@f\.reverse\S*\(.*?^}", module.ir("differentiated"))
    return len(re.findall(r"alloca (?:\[\d+ x (?:double|\[\d+ x double\])\]|%struct)", derivative))


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("m", [2, 3])
def test_small_matrices_become_registers(m: int, level: int) -> None:
    assert arrays(ROTATED, M=m, level=level) == 0
    assert arrays(ROTATED, small=False, M=m, level=level) > 0


def test_lengths_that_fill_vectors_stay_where_numbers_are_handed_on() -> None:
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


BY_VALUE = """
typedef struct { double m[4][4]; } matrix;
static matrix product(matrix a, matrix b) {
  matrix r;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      r.m[i][j] = 0;
      for (int k = 0; k < 4; k++) r.m[i][j] += a.m[i][k] * b.m[k][j];
    }
  return r;
}
static double f(double *x, int n) {
  double s = 0;
  for (int t = 0; t < n; t++) {
    matrix a, b;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) a.m[i][j] = x[4 * i + j], b.m[i][j] = x[4 * j + i] * t;
    a = product(product(a, b), a);
    s += a.m[1][2] * a.m[3][0];
  }
  return s;
}
"""
ELEMENTS = """
static double f(double *x, int n) {
  double s = 0;
  for (int t = 0; t < n; t++) {
    double g[4][3], k[4][4];
    for (int a = 0; a < 4; a++) for (int d = 0; d < 3; d++) g[a][d] = x[3 * a + d] * x[(a + d + t) % 16];
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        k[a][b] = 0;
        for (int d = 0; d < 3; d++) k[a][b] += g[a][d] * g[b][d];
      }
    for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++) s += k[a][b] * x[a] * x[b + 12];
  }
  return s;
}
"""


@pytest.mark.parametrize("body", [BY_VALUE, ELEMENTS], ids=["by value", "elements"])
def test_matrices_of_one_iteration_become_registers(body: str) -> None:
    assert arrays(body) == 0 < arrays(body, small=False)


def test_matrices_stay_beside_one_that_is_memory() -> None:
    """A row is named by a number that only the running program knows."""
    assert arrays(ELEMENTS.replace("s += k[a][b]", "s += k[a][(b + n) % 4]")) > 1


@pytest.mark.parametrize("body", [BY_VALUE, ELEMENTS], ids=["by value", "elements"])
@pytest.mark.parametrize("small", [True, False])
def test_gradients_with_and_without(body: str, small: bool) -> None:
    value = "double value(double *x, int n) { return f(x, n); }"
    made = enzyme.compile(HEAD + body + CALL + value, config=enzyme.Config(small_arrays=small))
    x, dx, h = np.linspace(0.3, 1.1, 16), np.zeros(16), 1e-5
    made["gradient"](x, dx, 3)
    expected = [(made["value"](x + e, 3) - made["value"](x - e, 3)) / (2 * h) for e in h * np.eye(16)]
    assert dx == pytest.approx(expected, rel=1e-6)
