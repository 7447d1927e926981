"""Numbers that a loop loads and keeps are no block copies in the derivative."""

from __future__ import annotations

import re

import enzyme

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


def copies(config: enzyme.Config) -> int:
    text = enzyme.compile(PROGRAM, config=config).ir()
    return len(re.findall(r"call [^\n]*@llvm\.memcpy", text))


def test_what_is_kept_of_a_loop_is_no_block_copy() -> None:
    assert not copies(enzyme.Config())


def test_without_it_llvm_makes_one() -> None:
    assert copies(enzyme.Config(keep_beside=False))
