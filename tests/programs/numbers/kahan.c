/* Compensated summation, where the compensation cancels in exact arithmetic, and pairwise summation by recursion. */
#include "check.h"

#define N 9

static double kahan(const double *x, int n) {
  double s = 0, c = 0;
  for (int i = 0; i < n; i++) {
    double y = x[i] * x[i] - c, t = s + y;
    c = (t - s) - y;
    s = t;
  }
  return s;
}
static double pairwise(const double *x, int n) {
  if (n < 3) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return s;
  }
  return pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}
static void closed(const double *x, double *g) {
  for (int i = 0; i < N; i++) g[i] = 2 * x[i];
}

static double kahan_objective(const double *x) { return kahan(x, N); }
static void kahan_gradient(const double *x, double *g) { __enzyme_autodiff((void *)kahan, x, g, N); }
static double kahan_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)kahan, enzyme_dup, x, v, N);
}
static double pairwise_objective(const double *x) { return pairwise(x, N); }
static void pairwise_gradient(const double *x, double *g) { __enzyme_autodiff((void *)pairwise, x, g, N); }
static double pairwise_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)pairwise, enzyme_dup, x, v, N);
}

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = sin(1.9 * i + 0.4);
  CHECK_CLOSED(kahan_objective, kahan_gradient, closed, kahan_tangent, x);
  CHECK_CLOSED(pairwise_objective, pairwise_gradient, closed, pairwise_tangent, x);
  return check_done();
}
