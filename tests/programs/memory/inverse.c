/* Gauss-Jordan inversion in place; the gradient of the trace of the inverse has a closed form. */
#include "check.h"

#define N 3

static void invert(double *a, int n) {
  for (int k = 0; k < n; k++) {
    double p = 1 / a[k * n + k];
    a[k * n + k] = 1;
    for (int j = 0; j < n; j++) a[k * n + j] *= p;
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      double f = a[i * n + k];
      a[i * n + k] = 0;
      for (int j = 0; j < n; j++) a[i * n + j] -= f * a[k * n + j];
    }
  }
}

static double objective(const double *x) {
  double a[N * N];
  memcpy(a, x, sizeof a);
  invert(a, N);
  return a[0] + a[4] + a[8];
}
static void gradient(const double *x, double *g) {
  double a[N * N];
  memcpy(a, x, sizeof a);
  g[0] = g[4] = g[8] = 1;
  __enzyme_autodiff((void *)invert, enzyme_dup, a, g, N);
}
static double tangent(const double *x, const double *v) {
  double a[N * N], d[N * N];
  memcpy(a, x, sizeof a);
  memcpy(d, v, sizeof d);
  __enzyme_fwddiff((void *)invert, enzyme_dup, a, d, N);
  return d[0] + d[4] + d[8];
}
/* d trace(A^-1) = -trace(A^-1 dA A^-1): the gradient is -(A^-2)'. */
static void closed(const double *x, double *g) {
  double a[N * N];
  memcpy(a, x, sizeof a);
  invert(a, N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      g[j * N + i] = 0;
      for (int k = 0; k < N; k++) g[j * N + i] -= a[i * N + k] * a[k * N + j];
    }
}

int main(void) {
  double x[N * N] = {2.1, 0.3, -0.4, 0.5, 1.9, 0.2, 0.7, -1.1, 2.6};
  CHECK_CLOSED(objective, gradient, closed, tangent, x);
  return check_done();
}
