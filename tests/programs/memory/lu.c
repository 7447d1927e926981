/* LU with partial pivoting in place, then a solve and a determinant. Row swaps depend on the data. */
#include "check.h"

#define N 4

static double solve(double *a, double *b, int n) {
  double determinant = 1;
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      for (int j = 0; j < n; j++) {
        double t = a[k * n + j];
        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = t;
      }
      double t = b[k];
      b[k] = b[pivot];
      b[pivot] = t;
      determinant = -determinant;
    }
    determinant *= a[k * n + k];
    for (int i = k + 1; i < n; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
      b[i] -= a[i * n + k] * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i];
  }
  return determinant;
}

static double objective(const double *x) {
  double u[N * N + N], s;
  memcpy(u, x, sizeof u);
  s = solve(u, u + N * N, N);
  for (int i = 0; i < N; i++) s += (i + 1) * u[N * N + i];
  return s;
}
static void gradient(const double *x, double *g) {
  double u[N * N + N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < N; i++) g[N * N + i] = i + 1;
  __enzyme_autodiff((void *)solve, enzyme_dup, u, g, enzyme_dup, u + N * N, g + N * N, N);
}
static double tangent(const double *x, const double *v) {
  double u[N * N + N], d[N * N + N], s;
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  s = __enzyme_fwddiff((void *)solve, enzyme_dup, u, d, enzyme_dup, u + N * N, d + N * N, N);
  for (int i = 0; i < N; i++) s += (i + 1) * d[N * N + i];
  return s;
}

int main(void) {
  double x[N * N + N] = {0.3, 2.1, -0.4, 0.5, 1.9, 0.2, 0.7, -1.1, -0.6, 0.8, 2.4, 0.1, 0.4, -0.9, 0.3, 1.8, 1, -2, 0.5, 3};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
