"""What globals are asked for pointers that somebody stored before a derivative began."""

from __future__ import annotations

from enzyme.frontends.clang import compile_to_ir
from enzyme.gradient.lower import lower_module
from enzyme.support.config import Config

PROGRAM = """
extern int enzyme_dup, enzyme_out;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static double board[4], *kept;
static __attribute__((noinline)) double f(double *x) {
  board[1] = x[0] * x[1];
  return board[1] * board[1] + (kept ? *kept : 0);
}
static double gradient(double *x, double *dx) { return __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }
void hold(double *p) { kept = p; }
void second(double *x, double *vx, double *dx, double *hx) {
  __enzyme_fwddiff((void *)gradient, enzyme_dup, x, vx, enzyme_dup, dx, hx);
}
"""


def test_only_variables_with_room_for_a_pointer_are_looked_at() -> None:
    """The markers that unoptimised code loads are no variables of the program: nothing may ask for their addresses."""
    text = lower_module(compile_to_ir(PROGRAM, "c", 0), Config())
    asked = [line for line in text.split("\n") if "call void @enzyme.rt.before(" in line]
    assert any("ptr @kept," in line for line in asked)
    assert not any("@enzyme_dup" in line for line in asked)
