/* Modified Gram-Schmidt on columns in place, and a Householder reflection. */
#include "check.h"

#define N 4
#define M 3

static double orthogonalise(double *a, int n, int m) {
  double product = 1;
  for (int j = 0; j < m; j++) {
    for (int k = 0; k < j; k++) {
      double dot = 0;
      for (int i = 0; i < n; i++) dot += a[i * m + k] * a[i * m + j];
      for (int i = 0; i < n; i++) a[i * m + j] -= dot * a[i * m + k];
    }
    double norm = 0;
    for (int i = 0; i < n; i++) norm += a[i * m + j] * a[i * m + j];
    norm = sqrt(norm);
    for (int i = 0; i < n; i++) a[i * m + j] /= norm;
    product *= norm;
  }
  return product;
}
static void reflect(double *v, double *x, int n) {
  double norm = 0, dot = 0;
  for (int i = 0; i < n; i++) norm += v[i] * v[i];
  v[0] += v[0] > 0 ? sqrt(norm) : -sqrt(norm);
  norm = 0;
  for (int i = 0; i < n; i++) {
    norm += v[i] * v[i];
    dot += v[i] * x[i];
  }
  for (int i = 0; i < n; i++) x[i] -= 2 * dot / norm * v[i];
}

static double qr_objective(const double *x) {
  double a[N * M], s;
  memcpy(a, x, sizeof a);
  s = orthogonalise(a, N, M);
  for (int i = 0; i < N * M; i++) s += a[i] * (i - 5);
  return s;
}
static void qr_gradient(const double *x, double *g) {
  double a[N * M];
  memcpy(a, x, sizeof a);
  for (int i = 0; i < N * M; i++) g[i] = i - 5;
  __enzyme_autodiff((void *)orthogonalise, enzyme_dup, a, g, N, M);
}
static double qr_tangent(const double *x, const double *v) {
  double a[N * M], d[N * M], s;
  memcpy(a, x, sizeof a);
  memcpy(d, v, sizeof d);
  s = __enzyme_fwddiff((void *)orthogonalise, enzyme_dup, a, d, N, M);
  for (int i = 0; i < N * M; i++) s += d[i] * (i - 5);
  return s;
}
static double reflect_objective(const double *x) {
  double v[2 * N], s = 0;
  memcpy(v, x, sizeof v);
  reflect(v, v + N, N);
  for (int i = 0; i < 2 * N; i++) s += v[i] * (i - 2);
  return s;
}
static void reflect_gradient(const double *x, double *g) {
  double v[2 * N];
  memcpy(v, x, sizeof v);
  for (int i = 0; i < 2 * N; i++) g[i] = i - 2;
  __enzyme_autodiff((void *)reflect, enzyme_dup, v, g, enzyme_dup, v + N, g + N, N);
}

int main(void) {
  double x[N * M], y[2 * N] = {0.3, 1.4, -1.0, 0.7, 0.9, 0.6, -0.2, 1.1};
  for (int i = 0; i < N * M; i++) x[i] = sin(1.9 * i * i + 0.4);
  CHECK(qr_objective, qr_gradient, qr_tangent, x);
  CHECK(reflect_objective, reflect_gradient, 0, y);
  return check_done();
}
