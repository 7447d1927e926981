/* Shadows of inputs are added to, never set; shadows of outputs are consumed; the primal's inputs stay as they were. */
#include "check.h"

#define N 4

static double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i];
  return s;
}

static void square(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
}

/* Started from 10, 11, ...; two calls add up. */
static double objective(const double *x) {
  double s = 2 * f(x, N);
  for (int i = 0; i < N; i++) s += (10 + i) * x[i];
  return s;
}
static void gradient(const double *x, double *g) {
  for (int i = 0; i < N; i++) g[i] = 10 + i;
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, N);
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, N);
}
/* The output shadow is a seed, and is zero afterwards: a second call adds nothing. */
static double seeded(const double *x) {
  double y[N], s = 0;
  square(x, y, N);
  for (int i = 0; i < N; i++) s += (i + 1) * y[i];
  return s;
}
static void seeded_gradient(const double *x, double *g) {
  double y[N], seed[N] = {1, 2, 3, 4};
  __enzyme_autodiff((void *)square, enzyme_dup, x, g, enzyme_dup, y, seed, N);
  for (int i = 0; i < N; i++) {
    check_close("seed is consumed", i, seed[i], 0, 0);
    check_close("output", i, y[i], x[i] * x[i], 1e-15);
  }
  __enzyme_autodiff((void *)square, enzyme_dup, x, g, enzyme_dup, y, seed, N);
}
static void seeded_closed(const double *x, double *g) {
  for (int i = 0; i < N; i++) g[i] = 2 * (i + 1) * x[i];
}

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5};
  CHECK(objective, gradient, 0, x);
  CHECK_CLOSED(seeded, seeded_gradient, seeded_closed, 0, x);
  check_close("input unchanged", 0, x[1], -0.45, 0);
  return check_done();
}
