"""Matrices that are worked on in place: what is not overwritten is not kept, and indices that wrap are noticed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import enzyme
from enzyme.cli import main
from enzyme.support.config import Config, turned_off

ELIMINATION = """
static double f(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
    }
    s += a[k * n + k] * a[k * n + k];
  }
  return s;
}
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
void gradient(double *a, double *da, int n) { __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_const, n); }
"""

CHOLESKY = """
#include <math.h>
static double f(double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double r = a[i * n + j];
      for (int k = 0; k < j; k++) r -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? sqrt(r) : r / a[j * n + j];
    }
  for (int i = 0; i < n; i++) s += log(a[i * n + i]) + a[i * n];
  return s;
}
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
void gradient(double *a, double *da, int n) { __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_const, n); }
"""

WRAPS = """
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
__attribute__((noinline)) static double f(float *a, long m, unsigned rows, int n) {
  double s = 0;
  if (m > n) return 0;
  for (unsigned k = 0; k < rows; k++) {
    unsigned row = k * n, next = (k + 1) * n;
    for (long j = 0; j < m; j++) a[next + j] = sinf(a[row + j]) * a[next + j], s += a[next + j];
  }
  return s;
}
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
int main(int count, char **words) {
  unsigned long bytes = (4UL << 32) + 4096;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  float *a = mmap(0, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  float *da = mmap(0, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (a == MAP_FAILED || da == MAP_FAILED) return 77;
  __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_const, 4L, enzyme_const, count + 2, enzyme_const, 1 << 30);
  puts("done");
  return 0;
}
"""


def test_elimination_keeps_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "elimination.c"
    source.write_text(ELIMINATION)
    assert main(["explain", str(source), "-O2"]) == 0
    text = capsys.readouterr().out
    kept = [line for line in text.splitlines() if "| keep" in line]
    assert "| reload" in text, text
    assert all("the way by which this place was reached" in line for line in kept), text  # once for a call


def test_rows_of_a_factor_are_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Optimisers widen the index of a row, which they have truncated, by masking it."""
    source = tmp_path / "cholesky.c"
    source.write_text(CHOLESKY)
    assert main(["explain", str(source), "-O2"]) == 0
    text = capsys.readouterr().out
    assert "loop at line 8 " not in text and "loop at line 6 (depth 2): 8 bytes per iteration" in text, text


@pytest.mark.thinned(2)
@pytest.mark.parametrize("text", [ELIMINATION, CHOLESKY], ids=["elimination", "Cholesky"])
def test_gradient_is_the_same_without(text: str) -> None:
    """What is read again is what would have been kept."""
    for n in (1, 2, 7):
        found = []
        for config in (Config(), turned_off(Config(), "dependences")):
            made = enzyme.compile(text, language="c", config=config)
            drawn = np.random.default_rng(n)
            matrix, shadow = drawn.normal(size=(n, n)) + 3 * np.eye(n), np.zeros((n, n))
            matrix = matrix @ matrix.T
            made["gradient"](matrix, shadow, n)
            found.append(shadow)
        np.testing.assert_allclose(*found, rtol=1e-13)


@pytest.mark.parametrize("rounds", [(0, True), (3, False)])
@pytest.mark.parametrize("masked", [False, True])
def test_an_index_that_wraps_stops_the_program(tmp_path: Path, rounds: tuple[int, bool], masked: bool) -> None:
    """Row 4 of 2**30 numbers is row 0 again, in 32 bits; rows 0 to 3 are four."""
    source, program = tmp_path / "wraps.c", tmp_path / "wraps"
    by_mask = "unsigned long row = (k * (long)n) & 0xffffffff, next = ((k + 1) * (long)n) & 0xffffffff;"
    source.write_text(WRAPS.replace("unsigned row = k * n, next = (k + 1) * n;", by_mask) if masked else WRAPS)
    assert main(["cc", "-O2", str(source), "-o", str(program), "-lm"]) == 0
    count, fine = rounds
    done = subprocess.run([program, *["x"] * count], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip("no room for addresses")
    if fine:
        assert done.stdout == "done\n", done.stderr
    else:
        assert done.returncode and "does not fit its 32 bits" in done.stderr and "wraps.c:" in done.stderr, done


BEHIND_CONDITIONS = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_const;
__attribute__((noinline)) static double f(double *x, double *y, int r, int c) {
  double *q = y + r * c, *z = q + r * r;
  for (int t = 0; t < 2; t++) {
    for (int i = r - 1; i >= 0; i--) {
      double s = z[i];
      for (int j = i + 1; j < r; j++) s -= 0.8 / r * q[i * r + j] * z[j];
      z[i] = s / (2 + q[i * r + i] * q[i * r + i]);
    }
    for (int i = r - 2; i >= 1; i--) x[i] *= sin(x[i] - z[i + 1]);
  }
  return x[0] + x[r / 2] + z[0];
}
int main(void) {
  for (int r = 0; r < 7; r++) {
    double x[9], y[99], dx[9] = {0}, dy[99] = {0}, s = 0;
    for (int i = 0; i < 9; i++) x[i] = 1 + 0.3 * i;
    for (int i = 0; i < 99; i++) y[i] = 1 + 0.1 * (i % 10);
    __enzyme_autodiff((void *)f, x, dx, y, dy, enzyme_const, r, enzyme_const, r);
    for (int i = 0; i < 99; i++) s += (i % 7 - 2) * dy[i] + (i < 9 ? (i + 1) * dx[i] : 0);
    printf("%.12g\\n", s);
  }
}
"""


def test_an_index_is_asked_where_it_is_used(tmp_path: Path) -> None:
    """``r - 2`` without its sign, which an optimiser computes in front of the condition under which it has none."""
    source, program = tmp_path / "behind.c", tmp_path / "behind"
    source.write_text(BEHIND_CONDITIONS)
    said = []
    for off in ([], ["--enzyme-off=dependences"]):
        assert main(["cc", "-O3", "-Wno-enzyme", *off, str(source), "-o", str(program), "-lm"]) == 0
        done = subprocess.run([program], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said.append([float(word) for word in done.stdout.split()])
    assert len(said[0]) == 7
    np.testing.assert_allclose(*said, rtol=1e-10)
