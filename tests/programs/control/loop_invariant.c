/* Loop-invariant work that the optimiser hoists, and values used only after the loop. */
#include "check.h"

static double hoist(const double *x, double a, double b, int n) {
  double s = 0, last = 0;
  for (int i = 0; i < n; i++) {
    double k = exp(a) / (1 + b * b);
    last = x[i] * k;
    s += last * last + k;
  }
  return s * last;
}

static double objective(const double *x) { return hoist(x, x[4], x[5], 4); }
static void gradient(const double *x, double *g) {
  struct pair { double a, b; };
  extern struct pair __enzyme_autodiff_pair(void *, ...);
  struct pair d = __enzyme_autodiff_pair((void *)hoist, enzyme_dup, x, g, enzyme_out, x[4], enzyme_out, x[5], 4);
  g[4] += d.a;
  g[5] += d.b;
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)hoist, enzyme_dup, x, v, enzyme_dup, x[4], v[4], enzyme_dup, x[5], v[5], 4);
}

int main(void) {
  double x[6] = {0.3, 1.8, 0.2, 1.6, 0.45, 0.7};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
