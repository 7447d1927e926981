/* Matrix products: three loop orders, blocked, a chain of them in place, and the closed form of the trace. */
#include "check.h"

#define N 3

static void multiply_ijk(const double *a, const double *b, double *c, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
static void multiply_ikj(const double *a, const double *b, double *c, int n) {
  for (int i = 0; i < n * n; i++) c[i] = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double t = a[i * n + k];
      for (int j = 0; j < n; j++) c[i * n + j] += t * b[k * n + j];
    }
}
static double chain(const double *a, const double *b, int n, int rounds) {
  double c[N * N], d[N * N], s = 0;
  multiply_ijk(a, b, c, n);
  for (int r = 0; r < rounds; r++) {
    multiply_ikj(c, a, d, n);
    for (int i = 0; i < n * n; i++) c[i] = tanh(d[i]);
  }
  for (int i = 0; i < n; i++) s += c[i * n + i] * (i + 1);
  return s;
}
static double trace(const double *a, const double *b, int n) {
  double c[N * N], s = 0;
  multiply_ijk(a, b, c, n);
  for (int i = 0; i < n; i++) s += c[i * n + i];
  return s;
}

static double chain_objective(const double *x) { return chain(x, x + N * N, N, 3); }
static void chain_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)chain, enzyme_dup, x, g, enzyme_dup, x + N * N, g + N * N, N, 3);
}
static double chain_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)chain, enzyme_dup, x, v, enzyme_dup, x + N * N, v + N * N, N, 3);
}
static double trace_objective(const double *x) { return trace(x, x + N * N, N); }
static void trace_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)trace, enzyme_dup, x, g, enzyme_dup, x + N * N, g + N * N, N);
}
static double trace_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)trace, enzyme_dup, x, v, enzyme_dup, x + N * N, v + N * N, N);
}
static void trace_closed(const double *x, double *g) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      g[i * N + j] = x[N * N + j * N + i];
      g[N * N + i * N + j] = x[j * N + i];
    }
}

int main(void) {
  double x[2 * N * N];
  for (int i = 0; i < 2 * N * N; i++) x[i] = sin(1.3 * i + 0.2);
  CHECK(chain_objective, chain_gradient, chain_tangent, x);
  CHECK_CLOSED(trace_objective, trace_gradient, trace_closed, trace_tangent, x);
  return check_done();
}
