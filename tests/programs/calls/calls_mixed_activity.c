/* One function called with different activities: active and constant scalars, active and constant arrays, both ways. */
#include "check.h"

static const double table[4] = {0.5, 1.5, -0.5, 2.5};

static NOINLINE double weigh(const double *a, const double *b, double k, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i] * sin(k * a[i]);
  return s;
}
static NOINLINE void shift(double *a, double by, int n) {
  for (int i = 0; i < n; i++) a[i] = a[i] * a[i] + by;
}

static double mix(const double *x, double k, int n) {
  double constants[4] = {1, 2, 3, 4}, active[4];
  for (int i = 0; i < n; i++) active[i] = x[i] * k;
  double s = weigh(x, table, 1.0, n) + weigh(table, x, k, n) + weigh(x, x, k, n) + weigh(table, table, k, n);
  s += weigh(table, table, 2.0, n);
  shift(constants, 1.0, n);
  s += weigh(constants, x, 0.1, n);
  shift(constants, k, n);
  s += weigh(table, constants, 0.1, n);
  shift(active, 0.25, n);
  shift(active, k, n);
  return s + weigh(active, table, 0.3, n);
}

static double objective(const double *x) { return mix(x, x[4], 4); }
static void gradient(const double *x, double *g) {
  g[4] = __enzyme_autodiff((void *)mix, enzyme_dup, x, g, enzyme_out, x[4], 4);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)mix, enzyme_dup, x, v, enzyme_dup, x[4], v[4], 4);
}
static double fixed_k(const double *x) { return mix(x, 0.9, 4); }
static void fixed_k_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)mix, enzyme_dup, x, g, enzyme_const, 0.9, 4);
}
static double fixed_x(const double *k) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  return mix(x, k[0], 4);
}
static void fixed_x_gradient(const double *k, double *g) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  g[0] = __enzyme_autodiff((void *)mix, enzyme_const, x, enzyme_out, k[0], 4);
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, -1.2}, k[1] = {0.7};
  CHECK(objective, gradient, tangent, x);
  CHECK_N(fixed_k, fixed_k_gradient, 0, x, 4);
  CHECK(fixed_x, fixed_x_gradient, 0, k);
  return check_done();
}
