/* enzyme_primal_return: the function's own result, then the derivative. */
#include "check.h"
extern int enzyme_primal_return, enzyme_width;
struct two {
  double value, d;
};
struct three {
  double value, dx, dy;
};
struct lanes {
  double value, d[2];
};
extern struct two __enzyme_autodiff_two(void *, ...);
extern struct three __enzyme_autodiff_three(void *, ...);
extern struct two __enzyme_fwddiff_two(void *, ...);
extern struct lanes __enzyme_fwddiff_lanes(void *, ...);
extern struct lanes __enzyme_autodiff_lanes(void *, ...);

static double f(double x) { return x > 0 ? x * x * sin(x) : -x; }
static double g(double x, double y) { return x * exp(y); }
static double h(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

static void check_all(void) {
  struct two a = __enzyme_autodiff_two((void *)f, enzyme_primal_return, 1.3);
  check_value("value", a.value, f(1.3), 1e-14);
  check_value("gradient", a.d, 2 * 1.3 * sin(1.3) + 1.3 * 1.3 * cos(1.3), 1e-13);
  a = __enzyme_fwddiff_two((void *)f, enzyme_primal_return, enzyme_dup, -2.0, 3.0);
  check_value("value", a.value, 2, 1e-14);
  check_value("tangent", a.d, -3, 1e-14);
  struct three b = __enzyme_autodiff_three((void *)g, enzyme_out, 2.0, enzyme_primal_return, enzyme_out, 0.5);
  check_value("value", b.value, 2 * exp(0.5), 1e-14);
  check_value("dx", b.dx, exp(0.5), 1e-14);
  check_value("dy", b.dy, 2 * exp(0.5), 1e-14);
  double x[2] = {3, 4}, d[2] = {0};
  double value = __enzyme_autodiff((void *)h, enzyme_primal_return, enzyme_dup, x, d, enzyme_const, 2);
  check_value("value", value, 5, 1e-14);
  check_value("gradient", d[1], 0.8, 1e-14);
  struct lanes c = __enzyme_fwddiff_lanes((void *)f, enzyme_primal_return, enzyme_width, 2, enzyme_dup, -2.0, 3.0, 4.0);
  check_value("value", c.value, 2, 1e-14);
  check_value("lane 0", c.d[0], -3, 1e-14);
  check_value("lane 1", c.d[1], -4, 1e-14);
  c = __enzyme_autodiff_lanes((void *)f, enzyme_primal_return, enzyme_width, 2, -2.0);
  check_value("value", c.value, 2, 1e-14);
  check_value("lane 0", c.d[0], -1, 1e-14);
  check_value("lane 1", c.d[1], -1, 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
