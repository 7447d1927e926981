/* long double: scalars, arrays, and conversions to and from it. */
#include "check.h"

static long double cubic(long double x) { return x * x * x / 3 + sinl(x); }
static double mixed(const long double *x, double y, int n) {
  long double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * y + expl(x[i] * 0.25L);
  return (double)(s * sqrtl(s * s + 1));
}

extern long double __enzyme_autodiff_long(void *, long double);
extern long double __enzyme_fwddiff_long(void *, long double, long double);
static double cubic_objective(const double *x) { return (double)cubic(x[0]); }
static void cubic_gradient(const double *x, double *g) { g[0] = (double)__enzyme_autodiff_long((void *)cubic, x[0]); }
static double cubic_tangent(const double *x, const double *v) {
  return (double)__enzyme_fwddiff_long((void *)cubic, x[0], v[0]);
}
static void cubic_closed(const double *x, double *g) { g[0] = x[0] * x[0] + cos(x[0]); }
static double mixed_objective(const double *x) {
  long double t[3] = {x[0], x[1], x[2]};
  return mixed(t, x[3], 3);
}
static void mixed_gradient(const double *x, double *g) {
  long double t[3] = {x[0], x[1], x[2]}, d[3] = {0, 0, 0};
  g[3] = __enzyme_autodiff((void *)mixed, enzyme_dup, t, d, enzyme_out, x[3], 3);
  for (int i = 0; i < 3; i++) g[i] = (double)d[i];
}
static double mixed_tangent(const double *x, const double *v) {
  long double t[3] = {x[0], x[1], x[2]}, d[3] = {v[0], v[1], v[2]};
  return __enzyme_fwddiff((void *)mixed, enzyme_dup, t, d, enzyme_dup, x[3], v[3], 3);
}

int main(void) {
  double x[1] = {0.7}, y[4] = {0.3, -0.4, 0.9, 1.2};
  CHECK_CLOSED(cubic_objective, cubic_gradient, cubic_closed, cubic_tangent, x);
  CHECK(mixed_objective, mixed_gradient, mixed_tangent, y);
  return check_done();
}
