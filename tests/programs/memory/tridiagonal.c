/* The Thomas algorithm in place on three diagonals; forward and backward sweeps over the same memory. */
#include "check.h"

#define N 6

static void thomas(const double *a, double *b, const double *c, double *d, int n) {
  for (int i = 1; i < n; i++) {
    double w = a[i] / b[i - 1];
    b[i] -= w * c[i - 1];
    d[i] -= w * d[i - 1];
  }
  d[n - 1] /= b[n - 1];
  for (int i = n - 2; i >= 0; i--) d[i] = (d[i] - c[i] * d[i + 1]) / b[i];
}

static double objective(const double *x) {
  double u[4 * N], s = 0;
  memcpy(u, x, sizeof u);
  thomas(u, u + N, u + 2 * N, u + 3 * N, N);
  for (int i = 0; i < N; i++) s += (i + 1) * u[3 * N + i];
  return s;
}
static void gradient(const double *x, double *g) {
  double u[4 * N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < N; i++) g[3 * N + i] = i + 1;
  __enzyme_autodiff((void *)thomas, enzyme_dup, u, g, enzyme_dup, u + N, g + N, enzyme_dup, u + 2 * N, g + 2 * N,
                    enzyme_dup, u + 3 * N, g + 3 * N, N);
}
static double tangent(const double *x, const double *v) {
  double u[4 * N], d[4 * N], s = 0;
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  __enzyme_fwddiff((void *)thomas, enzyme_dup, u, d, enzyme_dup, u + N, d + N, enzyme_dup, u + 2 * N, d + 2 * N,
                   enzyme_dup, u + 3 * N, d + 3 * N, N);
  for (int i = 0; i < N; i++) s += (i + 1) * d[3 * N + i];
  return s;
}

int main(void) {
  double x[4 * N];
  for (int i = 0; i < 4 * N; i++) x[i] = (i / N == 1 ? 3 : 0) + sin(1.9 * i + 0.4);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
