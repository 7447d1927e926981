/* Bisection brackets a root (nothing differentiable in its comparisons), then one Newton step carries the derivative. */
#include "check.h"

static double f(double x, double a) { return x * exp(x) - a; }

static double lambert(double a) {
  double low = 0, high = 3;
  int steps = 0;
  while (high - low > 1e-12 && steps < 200) {
    double middle = 0.5 * (low + high);
    if (f(middle, a) > 0) high = middle;
    else low = middle;
    steps++;
  }
  double x = 0.5 * (low + high);
  return x - f(x, a) / (exp(x) * (1 + x));
}

static double objective(const double *x) { return lambert(x[0]); }
static void gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)lambert, x[0]); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)lambert, enzyme_dup, x[0], v[0]);
}
static void closed(const double *x, double *g) {
  double w = lambert(x[0]);
  g[0] = 1 / (exp(w) * (1 + w));
}

int main(void) {
  double x[1] = {1.7};
  CHECK_FULL(objective, gradient, closed, tangent, x, 1, 1e-6, 1e-9);
  return check_done();
}
