/* Trip counts that depend on the data itself. */
#include "check.h"

/* Adds terms of a series until they are small: the count depends on x. */
static double series(double x) {
  double term = 1, s = 0;
  int k = 0;
  while (fabs(term) > 1e-3) {
    s += term;
    k++;
    term *= x / k;
  }
  return s;
}

/* Consumes entries until a running sum passes a limit. */
static double consume(const double *x, int n) {
  double s = 0, product = 1;
  int i = 0;
  while (s < 4.0 && i < n) {
    s += x[i] * x[i];
    product *= x[i] + 0.5;
    i++;
  }
  return product * s;
}

static double series_objective(const double *x) { return series(x[0]); }
static void series_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)series, x[0]); }
static double series_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)series, enzyme_dup, x[0], v[0]);
}
static double consume_objective(const double *x) { return consume(x, 8); }
static void consume_gradient(const double *x, double *g) { __enzyme_autodiff((void *)consume, x, g, 8); }
static double consume_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)consume, enzyme_dup, x, v, 8);
}

int main(void) {
  double a[1] = {0.31}, b[1] = {2.2}, c[1] = {-1.4};
  CHECK(series_objective, series_gradient, series_tangent, a);
  CHECK(series_objective, series_gradient, series_tangent, b);
  CHECK(series_objective, series_gradient, series_tangent, c);
  double x[8] = {0.5, 0.9, 1.3, -0.8, 1.7, 2.0, -1.0, 0.2}, y[8] = {2.5, 1, 1, 1, 1, 1, 1, 1},
         z[8] = {0.1, 0.2, -0.3, 0.4, 0.15, 0.6, 0.7, 0.25};
  CHECK(consume_objective, consume_gradient, consume_tangent, x);
  CHECK(consume_objective, consume_gradient, consume_tangent, y);
  CHECK(consume_objective, consume_gradient, consume_tangent, z);
  return check_done();
}
