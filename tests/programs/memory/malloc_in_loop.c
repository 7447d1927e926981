/* An allocation in every iteration, of changing size, freed in the iteration; one freed only under a condition. */
#include "check.h"

static double every(const double *x, int n) {
  double s = 0;
  for (int i = 1; i <= n; i++) {
    double *t = (double *)malloc(i * sizeof(double));
    for (int j = 0; j < i; j++) t[j] = x[j] * (s + 0.3 * j);
    for (int j = 0; j + 1 < i; j++) t[j + 1] += 0.1 * t[j] * t[j];
    s += sin(t[i - 1]);
    free(t);
  }
  return s;
}

static double sometimes(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (x[i] > 0.4) {
      double *t = calloc(3, sizeof *t);
      t[i % 3] = x[i] * s;
      s += t[0] * t[0] + 2 * t[1] * t[1] + t[2];
      free(t);
    } else {
      s *= x[i];
    }
  }
  return s;
}

static double every_objective(const double *x) { return every(x, 5); }
static void every_gradient(const double *x, double *g) { __enzyme_autodiff((void *)every, x, g, 5); }
static double every_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)every, enzyme_dup, x, v, 5);
}
static double sometimes_objective(const double *x) { return sometimes(x, 5); }
static void sometimes_gradient(const double *x, double *g) { __enzyme_autodiff((void *)sometimes, x, g, 5); }
static double sometimes_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)sometimes, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 0.3};
  CHECK(every_objective, every_gradient, every_tangent, x);
  CHECK(sometimes_objective, sometimes_gradient, sometimes_tangent, x);
  return check_done();
}
