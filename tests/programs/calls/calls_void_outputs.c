/* void functions with several outputs through pointers, some of them optional. */
#include "check.h"

static void outputs(const double *x, int n, double *sum, double *product, double *optional) {
  *sum = 0;
  *product = 1;
  for (int i = 0; i < n; i++) {
    *sum += x[i] * x[i];
    *product *= x[i];
    if (optional) optional[i] = *sum * *product;
  }
}

static double objective(const double *x) {
  double s, p, o[4], t = 0;
  outputs(x, 4, &s, &p, o);
  for (int i = 0; i < 4; i++) t += (i + 1) * o[i];
  return 2 * s + 3 * p + t;
}
static void gradient(const double *x, double *g) {
  double s, p, o[4], ds = 2, dp = 3, d[4] = {1, 2, 3, 4};
  __enzyme_autodiff((void *)outputs, enzyme_dup, x, g, 4, enzyme_dup, &s, &ds, enzyme_dup, &p, &dp, enzyme_dup, o, d);
}
static double tangent(const double *x, const double *v) {
  double s, p, o[4], ds, dp, d[4], t = 0;
  __enzyme_fwddiff((void *)outputs, enzyme_dup, x, v, 4, enzyme_dup, &s, &ds, enzyme_dup, &p, &dp, enzyme_dup, o, d);
  for (int i = 0; i < 4; i++) t += (i + 1) * d[i];
  return 2 * ds + 3 * dp + t;
}
static double without(const double *x) {
  double s, p;
  outputs(x, 4, &s, &p, 0);
  return 2 * s + 3 * p;
}
static void without_gradient(const double *x, double *g) {
  double s, p, ds = 2, dp = 3;
  __enzyme_autodiff((void *)outputs, enzyme_dup, x, g, 4, enzyme_dup, &s, &ds, enzyme_dup, &p, &dp, enzyme_dup, (double *)0,
                    (double *)0);
}

int main(void) {
  double x[4] = {0.6, -0.45, 0.3, 0.8};
  CHECK(objective, gradient, tangent, x);
  CHECK(without, without_gradient, 0, x);
  return check_done();
}
