/* Horner's scheme and de Casteljau's, in place in the coefficient array; synthetic division. */
#include "check.h"

#define N 6

static double horner(double *c, double x, int n) {
  for (int i = n - 2; i >= 0; i--) c[i] += x * c[i + 1];
  return c[0];
}

static double casteljau(double *c, double t, int n) {
  for (int r = 1; r < n; r++)
    for (int i = 0; i < n - r; i++) c[i] = (1 - t) * c[i] + t * c[i + 1];
  return c[0];
}

/* x[0] is the point, the rest are coefficients. */
static double horner_objective(const double *x) {
  double c[N];
  memcpy(c, x + 1, sizeof c);
  return horner(c, x[0], N);
}
static void horner_gradient(const double *x, double *g) {
  double c[N];
  memcpy(c, x + 1, sizeof c);
  g[0] = __enzyme_autodiff((void *)horner, enzyme_dup, c, g + 1, enzyme_out, x[0], N);
}
static double horner_tangent(const double *x, const double *v) {
  double c[N], dc[N];
  memcpy(c, x + 1, sizeof c);
  memcpy(dc, v + 1, sizeof dc);
  return __enzyme_fwddiff((void *)horner, enzyme_dup, c, dc, enzyme_dup, x[0], v[0], N);
}
static void horner_closed(const double *x, double *g) {
  g[0] = 0;
  for (int i = 0; i < N; i++) {
    g[i + 1] = pow(x[0], i);
    if (i) g[0] += i * x[1 + i] * pow(x[0], i - 1);
  }
}
static double casteljau_objective(const double *x) {
  double c[N];
  memcpy(c, x + 1, sizeof c);
  return casteljau(c, x[0], N);
}
static void casteljau_gradient(const double *x, double *g) {
  double c[N];
  memcpy(c, x + 1, sizeof c);
  g[0] = __enzyme_autodiff((void *)casteljau, enzyme_dup, c, g + 1, enzyme_out, x[0], N);
}
static double casteljau_tangent(const double *x, const double *v) {
  double c[N], dc[N];
  memcpy(c, x + 1, sizeof c);
  memcpy(dc, v + 1, sizeof dc);
  return __enzyme_fwddiff((void *)casteljau, enzyme_dup, c, dc, enzyme_dup, x[0], v[0], N);
}

int main(void) {
  double x[N + 1] = {0.37, -0.45, 0.8, 0.5, 1.2, 0.4, -0.7};
  CHECK_CLOSED(horner_objective, horner_gradient, horner_closed, horner_tangent, x);
  CHECK(casteljau_objective, casteljau_gradient, casteljau_tangent, x);
  return check_done();
}
