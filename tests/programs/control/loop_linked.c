/* A chain linked by index, walked with an unknown count. */
#include "check.h"

#define N 6

static const int next_of[N] = {3, 5, -1, 1, 2, 4};

static double walk(const double *x, const int *next, int start) {
  double s = 0, weight = 1;
  for (int at = start; at >= 0; at = next[at]) {
    s += weight * x[at] * x[at];
    weight *= cos(x[at]);
  }
  return s;
}

static double objective(const double *x) { return walk(x, next_of, 0); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)walk, enzyme_dup, x, g, enzyme_const, next_of, 0);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)walk, enzyme_dup, x, v, enzyme_const, next_of, enzyme_const, 0);
}
static double from_four(const double *x) { return walk(x, next_of, 4); }
static void from_four_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)walk, enzyme_dup, x, g, enzyme_const, next_of, 4);
}
static double nowhere(const double *x) { return walk(x, next_of, -1); }
static void nowhere_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)walk, enzyme_dup, x, g, enzyme_const, next_of, -1);
}

int main(void) {
  double x[N] = {0.6, -0.9, 1.3, 0.2, 2.1, -1.6};
  CHECK(objective, gradient, tangent, x);
  CHECK(from_four, from_four_gradient, 0, x);
  CHECK(nowhere, nowhere_gradient, 0, x);
  return check_done();
}
