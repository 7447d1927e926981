/* Third derivatives: forward over forward over reverse, and reverse over reverse over reverse. */
#include "second.h"

static double f(double x) { return x * x * x * x * sin(x); }
#ifndef REFERENCE
static double d1(double x) { return __enzyme_autodiff((void *)f, x); }
static double d2(double x) { return __enzyme_fwddiff((void *)d1, x, 1.0); }
static double d3(double x) { return __enzyme_fwddiff((void *)d2, x, 1.0); }
static double r2(double x) { return __enzyme_autodiff((void *)d1, x); }
static double r3(double x) { return __enzyme_autodiff((void *)r2, x); }
static double m3(double x) { return __enzyme_autodiff((void *)d2, x); }
static void check_all(double x) {
  double s = sin(x), c = cos(x);
  double e2 = 12 * x * x * s + 8 * x * x * x * c - x * x * x * x * s;
  double e3 = 24 * x * s + 36 * x * x * c - 12 * x * x * x * s - x * x * x * x * c;
  check_value("second", d2(x), e2, 1e-12);
  check_value("second", r2(x), e2, 1e-12);
  check_value("third", d3(x), e3, 1e-12);
  check_value("third", r3(x), e3, 1e-12);
  check_value("third", m3(x), e3, 1e-12);
}
#endif

int main(void) {
  CHECK_ENGINE(check_all(0.8));
  CHECK_ENGINE(check_all(-1.7));
  return check_done();
}
