/* && and || that guard loads and divisions. */
#include "check.h"

static double guarded(const double *x, int n) {
  double s = 0;
  for (int i = -1; i <= n; i++) {
    if (i >= 0 && i < n && x[i] > 0.1) s += 1 / x[i];
    if (i < 0 || i >= n || x[i] < 0) s = s * 0.9 + 0.1;
    else if ((i > 0 && x[i - 1] > x[i]) || (i + 1 < n && x[i + 1] > x[i] && x[i + 1] > 0.7)) s += x[i] * x[i];
  }
  return s * s;
}

static double objective(const double *x) { return guarded(x, 7); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)guarded, x, g, 7); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)guarded, enzyme_dup, x, v, 7);
}

int main(void) {
  double x[7] = {0.6, -0.45, 0.8, 0.5, 1.2, 0.02, 0.9};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
