// reference: none (an ignored derivative is not what differences see)
/* The value passes, the derivative is zero. */
#include "check.h"

extern double __enzyme_ignore_derivatives(double);
extern float __enzyme_ignore_derivatives_float(float);

static double f(double x) { return x * __enzyme_ignore_derivatives(x * x); }
static float h(float x) { return x * __enzyme_ignore_derivatives_float(x * x) + x; }
static double all(double x) { return __enzyme_ignore_derivatives(sin(x)); }
static double loop(const double *x, int n) {
  double s = 0, running = 1;
  for (int i = 0; i < n; i++) {
    running = __enzyme_ignore_derivatives(running * x[i]);
    s += running * x[i];
  }
  return s;
}

int main(void) {
  check_value("reverse", __enzyme_autodiff((void *)f, 3.0), 9, 1e-14);
  check_value("forward", __enzyme_fwddiff((void *)f, 3.0, 1.0), 9, 1e-14);
  check_value("value", f(3), 27, 0);
  check_value("all", __enzyme_autodiff((void *)all, 3.0), 0, 0);
  check_value("all value", all(1), sin(1), 1e-14);
  double x[4] = {2, 3, 0.5, 4}, dx[4] = {0}, running = 1;
  __enzyme_autodiff((void *)loop, x, dx, 4);
  for (int i = 0; i < 4; i++) {
    running *= x[i];
    check_value("loop", dx[i], running, 1e-14);
  }
  check_value("float", h(2), 10, 1e-6);
  return check_done();
}
