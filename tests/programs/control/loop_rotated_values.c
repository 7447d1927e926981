/* Values that the optimiser turns into loop-carried registers: x[i-1] and x[i+1] kept from the iteration before, while
 * the memory behind them is overwritten. */
#include "check.h"

#define N 7

static double smooth(double *restrict a, int n) {
  double s = 0;
  for (int i = 1; i + 1 < n; i++) {
    double left = a[i - 1], here = a[i], right = a[i + 1];
    a[i - 1] = left * here;
    a[i] = here * here + right;
    s += left * right * a[i - 1];
  }
  return s;
}
static double delayed(double *restrict a, double *restrict b, int n) {
  double previous = 1, older = 0.5;
  for (int i = 0; i < n; i++) {
    double t = a[i];
    b[i] = previous * older + b[i] * t;
    a[i] = b[i] * t;
    older = previous;
    previous = t;
  }
  return previous * older;
}

static double smooth_objective(const double *x) {
  double u[N], s;
  memcpy(u, x, sizeof u);
  s = smooth(u, N);
  for (int i = 0; i < N; i++) s += (i + 1) * u[i];
  return s;
}
static void smooth_gradient(const double *x, double *g) {
  double u[N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < N; i++) g[i] = i + 1;
  __enzyme_autodiff((void *)smooth, enzyme_dup, u, g, N);
}
static double smooth_tangent(const double *x, const double *v) {
  double u[N], d[N], s;
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  s = __enzyme_fwddiff((void *)smooth, enzyme_dup, u, d, N);
  for (int i = 0; i < N; i++) s += (i + 1) * d[i];
  return s;
}
static double delayed_objective(const double *x) {
  double u[2 * N], s;
  memcpy(u, x, sizeof u);
  s = delayed(u, u + N, N);
  for (int i = 0; i < 2 * N; i++) s += (i + 1) * u[i];
  return s;
}
static void delayed_gradient(const double *x, double *g) {
  double u[2 * N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < 2 * N; i++) g[i] = i + 1;
  __enzyme_autodiff((void *)delayed, enzyme_dup, u, g, enzyme_dup, u + N, g + N, N);
}
static double delayed_tangent(const double *x, const double *v) {
  double u[2 * N], d[2 * N], s;
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  s = __enzyme_fwddiff((void *)delayed, enzyme_dup, u, d, enzyme_dup, u + N, d + N, N);
  for (int i = 0; i < 2 * N; i++) s += (i + 1) * d[i];
  return s;
}

int main(void) {
  double x[2 * N] = {0.3, 1.4, -1.0, 0.7, 0.9, 0.6, -0.8, 0.5, 0.25, -0.75, 1.25, 0.1, 0.2, -0.3};
  CHECK_N(smooth_objective, smooth_gradient, smooth_tangent, x, N);
  CHECK(delayed_objective, delayed_gradient, delayed_tangent, x);
  return check_done();
}
