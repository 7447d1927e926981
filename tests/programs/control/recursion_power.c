/* Recursion on scalars: fast powers, a factorial-like product, a continued fraction. */
#include "check.h"

static double power(double x, int n) {
  if (n == 0) return 1;
  if (n % 2) return x * power(x, n - 1);
  double half = power(x, n / 2);
  return half * half;
}
static double rising(double x, int n) { return n == 0 ? 1 : (x + n - 1) * rising(x, n - 1) + sin(x); }
static double fraction(double a, double b, int depth) {
  if (depth == 0) return a;
  return a + b / fraction(b * 0.9 + 1, a + 0.1, depth - 1);
}

static double power_objective(const double *x) { return power(x[0], 13); }
static void power_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)power, x[0], 13); }
static void power_closed(const double *x, double *g) { g[0] = 13 * pow(x[0], 12); }
static double power_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)power, enzyme_dup, x[0], v[0], 13);
}
static double rising_objective(const double *x) { return rising(x[0], 5); }
static void rising_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)rising, x[0], 5); }
static double rising_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)rising, enzyme_dup, x[0], v[0], 5);
}
static double fraction_objective(const double *x) { return fraction(x[0], x[1], 6); }
static void fraction_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)fraction, enzyme_out, x[0], enzyme_const, x[1], 6);
  g[1] = __enzyme_autodiff((void *)fraction, enzyme_const, x[0], enzyme_out, x[1], 6);
}
static double fraction_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)fraction, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1], 6);
}

int main(void) {
  double x[1] = {1.07}, y[2] = {1.3, 0.8};
  CHECK_CLOSED(power_objective, power_gradient, power_closed, power_tangent, x);
  CHECK(rising_objective, rising_gradient, rising_tangent, x);
  CHECK(fraction_objective, fraction_gradient, fraction_tangent, y);
  return check_done();
}
