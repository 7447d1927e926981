/* A callee reads memory non-linearly that its caller overwrites after it returns, or that a later callee overwrites. */
#include "check.h"

#define N 4

static NOINLINE double cubes(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i] * a[i];
  return s;
}
static NOINLINE void scale(double *a, double by, int n) {
  for (int i = 0; i < n; i++) a[i] *= by;
}
static NOINLINE void clear(double *a, int n) {
  for (int i = 0; i < n; i++) a[i] = 0.25;
}

static double run(double *x, int n) {
  double s = cubes(x, n);
  x[0] = s;
  s += cubes(x, n);
  scale(x, s, n);
  s += cubes(x + 1, n - 1) * 0.1;
  scale(x, 0.5 * s, 2);
  s = s * x[0] + cubes(x, n) * 1e-3;
  clear(x, n);
  for (int i = 0; i < n; i++) {
    x[i] += s * 0.1;
    s += cubes(x, i + 1);
    clear(x, i);
  }
  return s;
}

static double objective(const double *x) {
  double u[N];
  memcpy(u, x, sizeof u);
  return run(u, N);
}
static void gradient(const double *x, double *g) {
  double u[N];
  memcpy(u, x, sizeof u);
  __enzyme_autodiff((void *)run, u, g, N);
}
static double tangent(const double *x, const double *v) {
  double u[N], d[N];
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  return __enzyme_fwddiff((void *)run, enzyme_dup, u, d, N);
}

int main(void) {
  double x[N] = {0.3, 0.5, -0.4, 0.7};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
