/* The two ways of normalising a vector: the norm computed once, and the norm recomputed by a call in the loop. */
#include "check.h"

#define N 6

static NOINLINE double magnitude(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}
static void once(const double *restrict x, double *restrict y, int n) {
  double m = magnitude(x, n);
  for (int i = 0; i < n; i++) y[i] = x[i] / m;
}
static void each(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) y[i] = x[i] / magnitude(x, n);
}
static void inplace(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] /= magnitude(x, n);
}

static double once_objective(const double *x) {
  double y[N], s = 0;
  once(x, y, N);
  for (int i = 0; i < N; i++) s += (i + 1) * y[i];
  return s;
}
static void once_gradient(const double *x, double *g) {
  double y[N], d[N] = {1, 2, 3, 4, 5, 6};
  __enzyme_autodiff((void *)once, enzyme_dup, x, g, enzyme_dup, y, d, N);
}
static void each_gradient(const double *x, double *g) {
  double y[N], d[N] = {1, 2, 3, 4, 5, 6};
  __enzyme_autodiff((void *)each, enzyme_dup, x, g, enzyme_dup, y, d, N);
}
static double each_tangent(const double *x, const double *v) {
  double y[N], d[N], s = 0;
  __enzyme_fwddiff((void *)each, enzyme_dup, x, v, enzyme_dup, y, d, N);
  for (int i = 0; i < N; i++) s += (i + 1) * d[i];
  return s;
}
static void closed(const double *x, double *g) {
  double m = magnitude(x, N), dot = 0;
  for (int i = 0; i < N; i++) dot += (i + 1) * x[i];
  for (int i = 0; i < N; i++) g[i] = (i + 1) / m - dot * x[i] / (m * m * m);
}
static double inplace_objective(const double *x) {
  double y[N], s = 0;
  memcpy(y, x, sizeof y);
  inplace(y, N);
  for (int i = 0; i < N; i++) s += (i + 1) * y[i];
  return s;
}
static void inplace_gradient(const double *x, double *g) {
  double y[N];
  memcpy(y, x, sizeof y);
  for (int i = 0; i < N; i++) g[i] = i + 1;
  __enzyme_autodiff((void *)inplace, enzyme_dup, y, g, N);
}

int main(void) {
  double x[N] = {0.3, 1.4, -1.0, 0.7, 0.9, 0.6};
  CHECK_CLOSED(once_objective, once_gradient, closed, 0, x);
  CHECK_CLOSED(once_objective, each_gradient, closed, each_tangent, x);
  CHECK(inplace_objective, inplace_gradient, 0, x);
  return check_done();
}
