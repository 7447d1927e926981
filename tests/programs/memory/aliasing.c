/* One array passed twice with one shadow, overlapping parts, an output that is an input. */
#include "check.h"

#define N 5

static double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static void blend(const double *a, double *b, int n) {
  for (int i = 0; i < n; i++) b[i] = b[i] * a[i] + a[n - 1 - i];
}

static double same(const double *x) { return dot(x, x, N); }
static void same_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)dot, enzyme_dup, x, g, enzyme_dup, x, g, N);
}
static double same_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)dot, enzyme_dup, x, v, enzyme_dup, x, v, N);
}
static void same_closed(const double *x, double *g) {
  for (int i = 0; i < N; i++) g[i] = 2 * x[i];
}
static double shifted(const double *x) { return dot(x, x + 1, N - 1); }
static void shifted_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)dot, enzyme_dup, x, g, enzyme_dup, x + 1, g + 1, N - 1);
}
static double shifted_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)dot, enzyme_dup, x, v, enzyme_dup, x + 1, v + 1, N - 1);
}
static double written(const double *x, int shift) {
  double u[N], s = 0;
  memcpy(u, x, sizeof u);
  blend(u, u + shift, N - shift);
  for (int i = 0; i < N; i++) s += (i + 1) * u[i] * u[i];
  return s;
}
static void written_reverse(const double *x, double *g, int shift) {
  double u[N];
  memcpy(u, x, sizeof u);
  blend(u, u + shift, N - shift);
  for (int i = 0; i < N; i++) g[i] = 2 * (i + 1) * u[i];
  memcpy(u, x, sizeof u);
  __enzyme_autodiff((void *)blend, enzyme_dup, u, g, enzyme_dup, u + shift, g + shift, N - shift);
}
static double written_zero(const double *x) { return written(x, 0); }
static void written_zero_gradient(const double *x, double *g) { written_reverse(x, g, 0); }
static double written_one(const double *x) { return written(x, 1); }
static void written_one_gradient(const double *x, double *g) { written_reverse(x, g, 1); }

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5, 0.3};
  CHECK_CLOSED(same, same_gradient, same_closed, same_tangent, x);
  CHECK(shifted, shifted_gradient, shifted_tangent, x);
  CHECK(written_zero, written_zero_gradient, 0, x);
  CHECK(written_one, written_one_gradient, 0, x);
  return check_done();
}
