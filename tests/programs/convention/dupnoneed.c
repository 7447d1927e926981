/* enzyme_dupnoneed: the shadow is used, the primal output may be left out. */
#include "check.h"

#define N 4

static void map(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i] * x[(i + 1) % n];
}

static double objective(const double *x) {
  double y[N], s = 0;
  map(x, y, N);
  for (int i = 0; i < N; i++) s += (i + 1) * y[i];
  return s;
}
static void gradient(const double *x, double *g) {
  double y[N] = {0}, seed[N] = {1, 2, 3, 4};
  __enzyme_autodiff((void *)map, enzyme_dup, x, g, enzyme_dupnoneed, y, seed, N);
}
static double tangent(const double *x, const double *v) {
  double y[N] = {0}, d[N] = {0}, s = 0;
  __enzyme_fwddiff((void *)map, enzyme_dup, x, v, enzyme_dupnoneed, y, d, N);
  for (int i = 0; i < N; i++) s += (i + 1) * d[i];
  return s;
}
static void closed(const double *x, double *g) {
  for (int i = 0; i < N; i++) g[i] = 0;
  for (int i = 0; i < N; i++) {
    g[i] += (i + 1) * 2 * x[i] * x[(i + 1) % N];
    g[(i + 1) % N] += (i + 1) * x[i] * x[i];
  }
}

int main(void) {
  double x[N] = {0.6, 0.45, 0.3, 0.8};
  CHECK_CLOSED(objective, gradient, closed, tangent, x);
  return check_done();
}
