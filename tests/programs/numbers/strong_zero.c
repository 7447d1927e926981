/* enzyme_strong_zero: an adjoint or tangent that is exactly zero gives zero, whatever it is multiplied by. */
#include "check.h"

extern int enzyme_strong_zero;

static NOINLINE double scale(double a, double b) { return a * b; }
/* The second factor is infinite, and what it is multiplied by does not depend on x to first order. */
static NOINLINE double f(double x, double huge) {
  double y = x * x;
  return y * huge * 0.0 + scale(y, huge) * 0.0 + x * 3;
}
static NOINLINE double g(double x, double huge) {
  double y = x * x;
  return scale(y, huge) + x;
}

int main(void) {
#ifndef REFERENCE
  double strong = __enzyme_autodiff((void *)f, enzyme_strong_zero, enzyme_out, 2.0, enzyme_const, INFINITY);
  check_value("reverse", strong, 3, 1e-14);
  double weak = __enzyme_autodiff((void *)f, enzyme_out, 2.0, enzyme_const, INFINITY);
  check_value("without it", isnan(weak), 1, 1e-14);
  strong = __enzyme_fwddiff((void *)g, enzyme_strong_zero, enzyme_dup, 2.0, 0.0, enzyme_const, INFINITY);
  check_close("forward", 0, strong, 0, 0);
  weak = __enzyme_fwddiff((void *)g, enzyme_dup, 2.0, 0.0, enzyme_const, INFINITY);
  check_value("forward without it", isnan(weak), 1, 1e-14);
#endif
  return check_done();
}
