/* Cholesky in place on the lower triangle, log-determinant and a triangular solve: a Gaussian log-density. */
#include "check.h"

#define N 4

static double gaussian(double *a, double *y, int n) {
  double log_determinant = 0, s = 0;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    a[j * n + j] = sqrt(a[j * n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
    log_determinant += log(a[j * n + j]);
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) y[i] -= a[i * n + k] * y[k];
    y[i] /= a[i * n + i];
    s += y[i] * y[i];
  }
  return -0.5 * s - log_determinant;
}

/* The matrix is I + B B'; B and y are the inputs. */
static double density(const double *b, const double *y, int n) {
  double a[N * N], z[N];
  for (int i = 0; i < n; i++) {
    z[i] = y[i];
    for (int j = 0; j <= i; j++) {
      double s = i == j;
      for (int k = 0; k < n; k++) s += b[i * n + k] * b[j * n + k];
      a[i * n + j] = s;
    }
  }
  return gaussian(a, z, n);
}

static double objective(const double *x) { return density(x, x + N * N, N); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)density, enzyme_dup, x, g, enzyme_dup, x + N * N, g + N * N, N);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)density, enzyme_dup, x, v, enzyme_dup, x + N * N, v + N * N, N);
}

int main(void) {
  double x[N * N + N];
  for (int i = 0; i < N * N + N; i++) x[i] = sin(1.7 * i + 0.2);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
