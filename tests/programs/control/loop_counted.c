/* A counted loop over an array whose length is an argument. */
#include "check.h"

#define N 7

static double total(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * sin(x[i]);
  return s;
}

static double objective(const double *x) { return total(x, N); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)total, enzyme_dup, x, g, N); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)total, enzyme_dup, x, v, N);
}
static void closed(const double *x, double *g) {
  for (int i = 0; i < N; i++) g[i] = sin(x[i]) + x[i] * cos(x[i]);
}

int main(void) {
  double x[N] = {0.3, -1.2, 2.5, 0.0, 1.7, -0.4, 3.1};
  CHECK_CLOSED(objective, gradient, closed, tangent, x);
  return check_done();
}
