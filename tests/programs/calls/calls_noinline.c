/* Calls that the optimiser may not inline: scalar, nested, in loops, with results used twice. */
#include "check.h"

static NOINLINE double soft(double x) { return log1p(exp(x)); }
static NOINLINE double layer(double x, double w, double b) { return soft(w * x + b) - soft(b); }
static NOINLINE double unused(double x) { return x * x; }

static double network(const double *w, double x, int depth) {
  double s = x;
  for (int k = 0; k < depth; k++) {
    double t = layer(s, w[2 * k], w[2 * k + 1]);
    s = t * t + soft(t);
    unused(s);
  }
  return layer(s, s, x);
}

static double objective(const double *x) { return network(x, x[6], 3); }
static void gradient(const double *x, double *g) {
  g[6] = __enzyme_autodiff((void *)network, enzyme_dup, x, g, enzyme_out, x[6], 3);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)network, enzyme_dup, x, v, enzyme_dup, x[6], v[6], 3);
}

int main(void) {
  double x[7] = {0.6, -0.45, 0.8, 0.5, -1.2, 0.3, 0.7};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
