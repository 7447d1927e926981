/* The Hessian of a sum over an array, column by column, by forward over reverse and reverse over reverse. */
#include "check.h"
#define N 6

static double f(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; i++) {
    double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    sum += 100 * a * a + b * b;
  }
  return sum;
}

#ifndef REFERENCE
static void gradient(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
}
static double slope(const double *x, const double *v, int n) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, n);
}
static double along(const double *x, const double *v, int n) {
  double g[N] = {0}, sum = 0;
  gradient(x, g, n);
  for (int i = 0; i < n; i++) sum += g[i] * v[i];
  return sum;
}

static void hvp_fr(const double *x, const double *v, double *out, int n) {
  double g[N] = {0};
  __enzyme_fwddiff((void *)gradient, enzyme_dup, x, v, enzyme_dup, g, out, enzyme_const, n);
}
static void hvp_rf(const double *x, const double *v, double *out, int n) {
  __enzyme_autodiff((void *)slope, enzyme_dup, x, out, enzyme_const, v, enzyme_const, n);
}
static void hvp_rr(const double *x, const double *v, double *out, int n) {
  __enzyme_autodiff((void *)along, enzyme_dup, x, out, enzyme_const, v, enzyme_const, n);
}
static double second_ff(const double *x, const double *v, const double *w, int n) {
  return __enzyme_fwddiff((void *)slope, enzyme_dup, x, w, enzyme_const, v, enzyme_const, n);
}

static void closed(const double *x, const double *v, double *out) {
  for (int i = 0; i < N; i++) out[i] = 0;
  for (int i = 0; i + 1 < N; i++) {
    double a = x[i + 1] - x[i] * x[i];
    double da = v[i + 1] - 2 * x[i] * v[i];
    /* gradient: i: -400 a x_i - 2 (1 - x_i); i + 1: 200 a */
    out[i] += -400 * (da * x[i] + a * v[i]) + 2 * v[i];
    out[i + 1] += 200 * da;
  }
}

static void check_all(void) {
  double x[N] = {1.2, -0.7, 0.4, 1.9, 0.3, -1.1};
  for (int c = 0; c < N; c++) {
    double v[N] = {0}, expected[N];
    v[c] = 1;
    closed(x, v, expected);
    double a[N] = {0}, b[N] = {0}, d[N] = {0};
    hvp_fr(x, v, a, N);
    hvp_rf(x, v, b, N);
    hvp_rr(x, v, d, N);
    for (int i = 0; i < N; i++) {
      double w[N] = {0};
      w[i] = 1;
      check_value("forward over reverse", a[i], expected[i], 1e-12);
      check_value("reverse over forward", b[i], expected[i], 1e-12);
      check_value("reverse over reverse", d[i], expected[i], 1e-12);
      check_value("forward over forward", second_ff(x, v, w, N), expected[i], 1e-12);
    }
  }
}
#endif

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
