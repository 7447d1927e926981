"""Arrays that grow begin with the room that the last call used, and those of functions that are called with little."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import enzyme
from enzyme.cli import main

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
static int calls;
static size_t largest;
void *__real_realloc(void *, size_t);
void *__real_malloc(size_t);
void *__wrap_realloc(void *block, size_t size) {
  calls++, largest = size > largest ? size : largest;
  return __real_realloc(block, size);
}
void *__wrap_malloc(size_t size) { return largest = size > largest ? size : largest, __real_malloc(size); }
__attribute__((noinline)) static double f(double *x, int n) {
  double s = 1, a = x[0];
  for (int i = 0; i < n; i++) {
    double t = x[1];
    for (int j = 0; j < (i * 7 + 3) % 5; j++) t = t * 0.9 + a * t * x[2];
    while (t > 1) t *= 0.5, a = a * 0.9 + t * 0.01 * a;
    s += t * a * s * 1e-3;
  }
  return s;
}
int main(void) {
  static const int lengths[] = {1000, 1000, 1000, 10, 1000, 1100, 1100, 200000, 100, 100};
  for (int i = 0; i < 10; i++) {
    double x[3] = {1.1, 1.2, 0.9}, d[3] = {0};
    calls = 0, largest = 0;
    __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, lengths[i]);
    printf("%d %zu %.12g\\n", calls, largest, d[0] + d[1] * 3 + d[2] * 7);
  }
}
"""


def run(tmp_path: Path, *off: str) -> tuple[list[int], list[int], list[str]]:
    """How often rooms grew in each call, the largest block that was asked for, and the gradients."""
    source, program = tmp_path / "rooms.c", tmp_path / "rooms"
    source.write_text(SOURCE)
    assert (
        main(
            [
                "cc",
                "-O2",
                str(source),
                "-o",
                str(program),
                "-Wl,--wrap=realloc,--wrap=malloc",
                "-Wno-enzyme",
                f"--enzyme-off={','.join(('iterations', *off))}",
            ]
        )
        == 0
    )
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    calls, largest, sums = zip(*(line.split() for line in lines), strict=True)
    return [*map(int, calls)], [*map(int, largest)], [*sums]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("more", [(), ("one_block",), ("stack_rooms",), ("entries_together",), ("large_pages",)])
def test_calls_as_long_as_the_last_one_do_not_grow(more: tuple[str, ...], tmp_path: Path) -> None:
    with_it, largest, sums = run(tmp_path, *more)
    without, needed, expected = run(tmp_path, *more, "remember_rooms")
    assert sums == expected
    assert without[0] >= with_it[0] >= 6  # the first one finds out
    assert with_it[1] == with_it[2] == with_it[6] == 0 < with_it[5]
    assert without[1] == without[0]
    assert with_it[7] < without[7] and largest[7] <= 2 * needed[7]
    assert largest[8] <= largest[7] and largest[9] < largest[7] / 50  # one large call, and one call behind it


RECURSIVE = """
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
__attribute__((noinline)) static double f(double *x, int n) {
  double s = 1;
  while (s < n) s = s * 1.5 + x[0] * s;
  return n > 2 ? f(x, n / 2) * s : s;
}
void gradient(double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
"""


def test_calls_of_recursions_are_too_different() -> None:
    assert "@enzyme.used" not in enzyme.compile(RECURSIVE).ir("differentiated")
    assert "@enzyme.used" in enzyme.compile(RECURSIVE.replace("f(x, n / 2) * s", "s * s")).ir("differentiated")


def test_counted_tapes_grow_as_the_plan_says() -> None:
    """What the plan predicts is what there is (docs/tape-plan.md)."""
    source = RECURSIVE.replace("f(x, n / 2) * s", "s * s")
    assert "@enzyme.used" not in enzyme.compile(source, config=enzyme.Config(count_tape=True)).ir("differentiated")


CALLS = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
extern size_t enzyme_tape_peak;
__attribute__((noinline)) static double root(double a, double r) {
  while (fabs(r * r - a) > 1e-9) r = 0.5 * (r + a / r);
  return r;
}
static double f(double *x, int n, int every) {
  double s = 1;
  for (int i = 0; i < n; i++) s += 1e-3 * s * root(x[i], i % every ? 1 : 1e40);
  return s;
}
int main(int count, char **words) {
  int n = 1000;
  double x[1000], dx[1000] = {0}, worst = 0;
  for (int i = 0; i < n; i++) x[i] = 2 + 0.001 * i;
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, atoi(words[1]));
  double s = f(x, n, 1000);
  for (int i = 0; i < n; i++) {
    double expected = 1e-3 * s / (1 + 1e-3 * sqrt(x[i])) * 0.5 / sqrt(x[i]);
    worst = fmax(worst, fabs(dx[i] / expected - 1));
  }
  printf("%zu %g\\n", enzyme_tape_peak, worst);
}
"""


@pytest.mark.parametrize(("every", "most"), [(1, 2500), (7, 500), (1000, 200)])
def test_calls_begin_with_little(tmp_path: Path, every: int, most: int) -> None:
    """A thousand calls of some five rounds, or 140, in each of which two numbers are kept."""
    source, program = tmp_path / "calls.c", tmp_path / "calls"
    source.write_text(CALLS)
    assert main(["cc", "-O2", "--enzyme-count-tape", "-Wno-enzyme", str(source), "-o", str(program), "-lm"]) == 0
    said = subprocess.run([program, str(every)], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert int(said[0]) < 1000 * most
    assert float(said[1]) < 1e-6
