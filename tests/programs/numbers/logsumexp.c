/* Stable log-sum-exp with its maximum found first, soft-max in place, cross-entropy. */
#include "check.h"

#define N 5

static double logsumexp(const double *x, int n) {
  double largest = x[0], s = 0;
  for (int i = 1; i < n; i++)
    if (x[i] > largest) largest = x[i];
  for (int i = 0; i < n; i++) s += exp(x[i] - largest);
  return largest + log(s);
}
static void softmax(double *x, int n) {
  double m = -INFINITY, s = 0;
  for (int i = 0; i < n; i++) m = fmax(m, x[i]);
  for (int i = 0; i < n; i++) s += x[i] = exp(x[i] - m);
  for (int i = 0; i < n; i++) x[i] /= s;
}
static double entropy(double *x, int n) {
  double s = 0;
  softmax(x, n);
  for (int i = 0; i < n; i++) s -= x[i] * log(x[i]);
  return s;
}

static double objective(const double *x) { return logsumexp(x, N); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)logsumexp, x, g, N); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)logsumexp, enzyme_dup, x, v, N);
}
static void closed(const double *x, double *g) {
  double s = 0;
  for (int i = 0; i < N; i++) s += exp(x[i]);
  for (int i = 0; i < N; i++) g[i] = exp(x[i]) / s;
}
static double entropy_objective(const double *x) {
  double u[N];
  memcpy(u, x, sizeof u);
  return entropy(u, N);
}
static void entropy_gradient(const double *x, double *g) {
  double u[N];
  memcpy(u, x, sizeof u);
  __enzyme_autodiff((void *)entropy, u, g, N);
}
static double entropy_tangent(const double *x, const double *v) {
  double u[N], d[N];
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  return __enzyme_fwddiff((void *)entropy, enzyme_dup, u, d, N);
}

int main(void) {
  double x[N] = {0.3, 2.4, -1.0, 1.7, 0.9};
  CHECK_CLOSED(objective, gradient, closed, tangent, x);
  CHECK(entropy_objective, entropy_gradient, entropy_tangent, x);
  return check_done();
}
