/* One scratch array shared by two loops and by the iterations of an outer loop, with leftovers read on purpose. */
#include "check.h"

static double shared(const double *x, int n, int rounds) {
  double t[6] = {0}, s = 1;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < n; i++) t[i] = t[i] * 0.5 + x[i] * s;
    for (int i = n - 1; i > 0; i--) t[i] += t[i - 1] * x[i];
    double q = 0;
    for (int i = 0; i < n; i++) {
      q += t[i] * t[i];
      t[i] = 0.1 * q;
    }
    s = q / (1 + q);
  }
  return s + t[n - 1];
}

static double objective(const double *x) { return shared(x, 6, 3); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)shared, x, g, 6, 3); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)shared, enzyme_dup, x, v, 6, 3);
}

int main(void) {
  double x[6] = {0.6, -0.45, 0.8, 0.5, -1.2, 0.3};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
