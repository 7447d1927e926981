/* Matrices of rows through double **, double *** and a callee that sets a pointer of its caller. */
#include "check.h"

static NOINLINE void allocate(double ***out, int n) {
  *out = malloc(n * sizeof(double *));
  for (int i = 0; i < n; i++) (*out)[i] = calloc(n, sizeof(double));
}

static NOINLINE void release(double **m, int n) {
  for (int i = 0; i < n; i++) free(m[i]);
  free(m);
}

static NOINLINE void multiply(double **c, double **a, double **b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
}

static double power(const double *x, int n) {
  double **a, **b, **c;
  allocate(&a, n);
  allocate(&b, n);
  allocate(&c, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = x[i] * (j + 1) + x[j] * x[j], b[i][j] = i == j;
  for (int step = 0; step < 3; step++) {
    multiply(c, a, b, n);
    double **t = b;
    b = c;
    c = t;
    double *row = b[0]; /* rows change places, too */
    b[0] = b[1];
    b[1] = row;
    for (int i = 0; i < n; i++) memset(c[i], 0, n * sizeof(double));
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += b[i][i] * (i + 1) + b[0][i];
  release(a, n);
  release(b, n);
  release(c, n);
  return s;
}

static NOINLINE void choose(double **p, double *a, double *b, int which) { *p = which ? a : b; }

static double through_argument(const double *x, int n) {
  double u[4] = {0}, w[4] = {0}, *p, s = 0;
  for (int i = 0; i < n; i++) {
    choose(&p, u, w, i & 1);
    p[i] += x[i] * x[i];
    choose(&p, w, u, i & 2);
    s += p[i] * p[i / 2];
  }
  return s;
}

static double power_objective(const double *x) { return power(x, 3); }
static void power_gradient(const double *x, double *g) { __enzyme_autodiff((void *)power, x, g, 3); }
static double power_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)power, enzyme_dup, x, v, 3);
}
static double argument_objective(const double *x) { return through_argument(x, 4); }
static void argument_gradient(const double *x, double *g) { __enzyme_autodiff((void *)through_argument, x, g, 4); }
static double argument_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)through_argument, enzyme_dup, x, v, 4);
}

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_N(power_objective, power_gradient, power_tangent, x, 3);
  CHECK(argument_objective, argument_gradient, argument_tangent, x);
  return check_done();
}
