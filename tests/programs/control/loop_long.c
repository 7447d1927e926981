/* Many iterations of unknown number, so that a growing tape has to grow more than once; nested as well. */
#include "check.h"

static double relax(double x, double step) {
  double s = 0;
  for (double t = 0; t < 30.0; t += step / (1 + t)) s += 0.01 * x / (1 + s);
  return s * x;
}

static double drift(double x, int n) {
  double s = x;
  for (int i = 0; i < n; i++) s += 1e-3 * sin(s) * x;
  return s;
}

static double ragged(double x, int n) {
  double s = x;
  unsigned state = 1;
  for (int i = 0; i < n; i++) {
    state = state * 1103515245u + 12345u;
    unsigned k = (state >> 16) % 7;
    while (k-- > 0) s = s * 0.999 + 1e-3 * x * s * s;
  }
  return s;
}

static double relax_objective(const double *x) { return relax(x[0], 0.3); }
static void relax_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)relax, enzyme_out, x[0], enzyme_const, 0.3);
}
static double relax_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)relax, enzyme_dup, x[0], v[0], enzyme_const, 0.3);
}
static double drift_objective(const double *x) { return drift(x[0], 5000); }
static void drift_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)drift, x[0], 5000); }
static double drift_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)drift, enzyme_dup, x[0], v[0], 5000);
}
static double ragged_objective(const double *x) { return ragged(x[0], 500); }
static void ragged_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)ragged, x[0], 500); }
static double ragged_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)ragged, enzyme_dup, x[0], v[0], 500);
}

int main(void) {
  double x[1] = {0.3}, y[1] = {0.9}, z[1] = {0.8};
  CHECK(relax_objective, relax_gradient, relax_tangent, x);
  CHECK(drift_objective, drift_gradient, drift_tangent, y);
  CHECK(ragged_objective, ragged_gradient, ragged_tangent, z);
  return check_done();
}
