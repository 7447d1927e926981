/* Newton's iteration and a secant search to a tolerance: data-dependent counts, derivative of an implicit function. */
#include "check.h"

static double newton(double a) {
  double x = 1;
  for (int i = 0; i < 50; i++) {
    double f = x * x * x + a * x - 2, slope = 3 * x * x + a, step = f / slope;
    x -= step;
    if (fabs(step) < 1e-13) break;
  }
  return x;
}

static double root(double a, double b) {
  double x0 = 0.2, x1 = 1.5, f0 = x0 - a * cos(b * x0);
  while (fabs(x1 - x0) > 1e-9) {
    double f1 = x1 - a * cos(b * x1), x2 = x1 - f1 * (x1 - x0) / (f1 - f0);
    x0 = x1;
    f0 = f1;
    x1 = x2;
  }
  return x1 - (x1 - a * cos(b * x1)) / (1 + a * b * sin(b * x1));
}

static double newton_objective(const double *x) { return newton(x[0]); }
static void newton_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)newton, x[0]); }
static double newton_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)newton, enzyme_dup, x[0], v[0]);
}
static void newton_closed(const double *x, double *g) {
  double r = newton(x[0]);
  g[0] = -r / (3 * r * r + x[0]);
}
static double root_objective(const double *x) { return root(x[0], x[1]); }
static void root_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)root, enzyme_out, x[0], enzyme_const, x[1]);
  g[1] = __enzyme_autodiff((void *)root, enzyme_const, x[0], enzyme_out, x[1]);
}
static double root_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)root, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1]);
}

int main(void) {
  double x[1] = {1.7}, y[2] = {0.9, 1.2};
  CHECK_CLOSED(newton_objective, newton_gradient, newton_closed, newton_tangent, x);
  CHECK(root_objective, root_gradient, root_tangent, y);
  return check_done();
}
