"""Numbers that a loop loads and keeps are no block copies in the derivative."""

from __future__ import annotations

import re
from dataclasses import replace

import enzyme
from enzyme.gradient.kept_loads import has_reversed_loops

PROGRAM = """
double __enzyme_autodiff(void *, ...);
static double sums(double *u, int n, int m) {
  double s = 0;
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < n; i++) s += u[i] * u[i];
    for (int i = 0; i < n; i++) u[i] = s + i;
  }
  return s;
}
void ask(double *u, double *du, int n, int m) { __enzyme_autodiff((void *)sums, u, du, n, m); }
"""

# LLVM takes the copy out of the second loop; it is reversed there (copies_in_loops.py), and stays there.
STEPS = """
double __enzyme_autodiff(void *, ...);
void *malloc(unsigned long);
void free(void *);
static double steps(double *restrict y, int n, int m) {
  double *sum = malloc(8ul * n), *slope = malloc(8ul * n), *stage = malloc(8ul * n), s = 0;
  for (int k = 0; k < m; k++) {
    for (int i = 1; i < n; i++) slope[i] = y[i] * y[i - 1];
    slope[0] = y[0];
    for (int i = 0; i < n; i++) { sum[i] = slope[i]; stage[i] = y[i] + 0.5 * slope[i]; }
    for (int i = 1; i < n; i++) slope[i] = stage[i] * stage[i - 1];
    for (int i = 0; i < n; i++) y[i] += 0.1 * (sum[i] + slope[i]);
  }
  for (int i = 0; i < n; i++) s += y[i];
  free(sum);
  free(slope);
  free(stage);
  return s;
}
void ask(double *y, double *dy, int n, int m) { __enzyme_autodiff((void *)steps, y, dy, n, m); }
"""


def copies(config: enzyme.Config, program: str = PROGRAM) -> int:
    text = enzyme.compile(program, config=replace(config, kept_blocks=False)).ir()
    return len(re.findall(r"call [^\n]*@llvm\.memcpy", text))


def test_what_is_kept_of_a_loop_is_no_block_copy() -> None:
    assert not copies(enzyme.Config())


def test_without_it_llvm_makes_one() -> None:
    assert copies(enzyme.Config(keep_beside=False))


def test_copies_that_were_given_back_to_loops_stay_there() -> None:
    assert not copies(enzyme.Config(snapshots=False), STEPS)


def test_without_it_llvm_takes_them_out_again() -> None:
    assert copies(enzyme.Config(keep_beside=False, snapshots=False), STEPS)


# The reversed loop of the sum sets the shadow of what has been read to the weights.
WEIGHTS = """
double __enzyme_autodiff(void *, ...);
extern int enzyme_const, enzyme_dup;
void *malloc(unsigned long);
void free(void *);
static double sum(const double *x, const double *w, int n) {
  double *o = malloc(8ul * n), s = 0;
  for (int i = 0; i < n; i++) o[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) s += w[i] * o[i];
  free(o);
  return s;
}
void ask(double *x, double *restrict dx, double *restrict w, int n) {
  ASKED
}
"""
ASKED = "__enzyme_autodiff((void *)sum, enzyme_dup, x, dx, enzyme_const, w, enzyme_const, n);"


def test_shadows_are_set_in_their_loop() -> None:
    program = WEIGHTS.replace("ASKED", ASKED)
    assert not copies(enzyme.Config(), program)
    assert copies(enzyme.Config(keep_beside=False), program)


def test_programs_without_reversed_loops_are_left_alone() -> None:
    assert not has_reversed_loops("%iteration = phi i64") and has_reversed_loops("%iteration.r.1 = alloca i64")
    made = enzyme.compile(WEIGHTS.replace("ASKED", "for (int i = 0; i < n; i++) dx[i] = w[i];"), pipeline="pre")
    assert re.search(r"call [^\n]*@llvm\.mem(cpy|move)", made.ir())
