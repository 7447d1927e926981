/* Loops with several exits, each leaving other live values behind. */
#include "check.h"

static double hunt(const double *x, int n, double limit) {
  double s = 0, p = 1;
  int i;
  for (i = 0; i < n; i++) {
    s += x[i] * x[i];
    if (s > limit) break;
    p *= cos(x[i]);
    if (p < 0.05) return s * p + 7 * x[i];
    if (x[i] > 3) goto large;
  }
  return s * p + i;
large:
  return exp(-x[i]) * s;
}

static double one(const double *x) { return hunt(x, 6, 4.0); }
static void one_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)hunt, enzyme_dup, x, g, 6, enzyme_const, 4.0);
}
static double one_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)hunt, enzyme_dup, x, v, enzyme_const, 6, enzyme_const, 4.0);
}
static double two(const double *x) { return hunt(x, 6, 1e9); }
static void two_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)hunt, enzyme_dup, x, g, 6, enzyme_const, 1e9);
}
static double two_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)hunt, enzyme_dup, x, v, enzyme_const, 6, enzyme_const, 1e9);
}

int main(void) {
  double x[6] = {0.3, 0.4, -0.2, 0.6, 0.5, -0.7};
  double y[6] = {0.9, 1.1, -1.2, 1.3, 0.5, -0.7};
  double z[6] = {0.2, 0.1, 3.3, 0.6, 0.5, -0.7};
  double w[6] = {0.2, 0.1, 1.0, 1.2, 6.5, -0.7};
  CHECK(one, one_gradient, one_tangent, x);
  CHECK(one, one_gradient, one_tangent, y);
  CHECK(two, two_gradient, two_tangent, x);
  CHECK(two, two_gradient, two_tangent, y);
  CHECK(two, two_gradient, two_tangent, z);
  CHECK(two, two_gradient, two_tangent, w);
  return check_done();
}
