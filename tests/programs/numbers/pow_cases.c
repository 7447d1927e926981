/* Powers at the edges: integer exponents known and unknown, a zero base, zero and negative exponents, squares of x. */
#include "check.h"

static double poly(double x, const double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += c[i] * pow(x, i);
  return s;
}
static double fixed(double x) { return pow(x, 2) + pow(x, 3) + pow(x, -1) + pow(x, 0.5) + pow(x, 0) + pow(2, x); }
static double integers(double x, int n) { return __builtin_powi(x, n) + __builtin_powi(x, 3) + __builtin_powi(x, -n); }

static const double coefficients[5] = {1, -2, 0.5, 3, -0.25};
static double poly_objective(const double *x) { return poly(x[0], coefficients, 5); }
static void poly_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)poly, enzyme_out, x[0], enzyme_const, coefficients, 5);
}
static double poly_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)poly, enzyme_dup, x[0], v[0], enzyme_const, coefficients, 5);
}
static void poly_closed(const double *x, double *g) {
  double t = x[0];
  g[0] = -2 + t + 9 * t * t - t * t * t;
}
static double fixed_objective(const double *x) { return fixed(x[0]); }
static void fixed_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)fixed, x[0]); }
static double fixed_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)fixed, enzyme_dup, x[0], v[0]);
}
static double integers_objective(const double *x) { return integers(x[0], 4); }
static void integers_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)integers, x[0], 4); }
static double integers_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)integers, enzyme_dup, x[0], v[0], 4);
}
static void integers_closed(const double *x, double *g) {
  double t = x[0];
  g[0] = 4 * t * t * t + 3 * t * t - 4 / (t * t * t * t * t);
}

int main(void) {
  double x[1] = {0.7}, zero[1] = {0}, minus[1] = {-1.3};
  CHECK_CLOSED(poly_objective, poly_gradient, poly_closed, poly_tangent, x);
  CHECK_CLOSED(poly_objective, poly_gradient, poly_closed, poly_tangent, zero);
  CHECK_CLOSED(poly_objective, poly_gradient, poly_closed, poly_tangent, minus);
  CHECK(fixed_objective, fixed_gradient, fixed_tangent, x);
  CHECK_CLOSED(integers_objective, integers_gradient, integers_closed, integers_tangent, x);
  CHECK_CLOSED(integers_objective, integers_gradient, integers_closed, integers_tangent, minus);
  return check_done();
}
