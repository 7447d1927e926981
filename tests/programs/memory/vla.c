/* Variable-length arrays: one outside of loops, one allocated anew in each iteration with another size. */
#include "check.h"

static double vla(const double *x, int n) {
  double t[n];
  double s = 0;
  for (int i = 0; i < n; i++) t[i] = exp(0.3 * x[i]);
  for (int i = 0; i < n; i++) {
    double u[i + 1];
    for (int j = 0; j <= i; j++) u[j] = t[j] * x[i - j];
    for (int j = 1; j <= i; j++) u[j] += u[j - 1] * u[j - 1];
    s += u[i] * t[n - 1 - i];
  }
  return s;
}

static double objective(const double *x) { return vla(x, 5); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)vla, x, g, 5); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)vla, enzyme_dup, x, v, 5); }
static double single(const double *x) { return vla(x, 1); }
static void single_gradient(const double *x, double *g) { __enzyme_autodiff((void *)vla, x, g, 1); }

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 0.3}, y[1] = {0.4};
  CHECK(objective, gradient, tangent, x);
  CHECK(single, single_gradient, 0, y);
  return check_done();
}
