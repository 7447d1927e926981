/* Stores under conditions, to the same place from two branches, and skipped. */
#include "check.h"

#define N 6

static void threshold(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] > 0.5) y[i] = x[i] * x[i];
    else if (x[i] > 0) y[n - 1 - i] = sin(x[i]) + y[i];
    if (y[i] > 1) y[i] = sqrt(y[i]);
  }
}

static double objective(const double *x) {
  double y[N], s = 0;
  memcpy(y, x + N, sizeof y);
  threshold(x, y, N);
  for (int i = 0; i < N; i++) s += (i + 1) * y[i];
  return s;
}
static void gradient(const double *x, double *g) {
  double y[N];
  memcpy(y, x + N, sizeof y);
  for (int i = 0; i < N; i++) g[N + i] = i + 1;
  __enzyme_autodiff((void *)threshold, enzyme_dup, x, g, enzyme_dup, y, g + N, N);
}
static double tangent(const double *x, const double *v) {
  double y[N], dy[N], s = 0;
  memcpy(y, x + N, sizeof y);
  memcpy(dy, v + N, sizeof dy);
  __enzyme_fwddiff((void *)threshold, enzyme_dup, x, v, enzyme_dup, y, dy, N);
  for (int i = 0; i < N; i++) s += (i + 1) * dy[i];
  return s;
}

int main(void) {
  double x[2 * N] = {0.6, -0.45, 1.8, 0.4, 0.3, 0.2, 0.1, 0.9, 0.7, 1.3, 1.6, -0.4};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
