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
    assert "| reload" in text and "| keep" not in text, text


def test_rows_of_a_factor_are_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Optimisers widen the index of a row, which they have truncated, by masking it."""
    source = tmp_path / "cholesky.c"
    source.write_text(CHOLESKY)
    assert main(["explain", str(source), "-O2"]) == 0
    text = capsys.readouterr().out
    assert "loop at line 8 " not in text and "loop at line 6 (depth 2): 8 bytes per iteration" in text, text


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
