/* Lanes through functions that are not inlined: active and constant arguments, results, updates of what was passed. */
#define WIDTH_B 3
#include "vector.h"

static NOINLINE double square(double a) { return a * a + 0.1 * a; }
static NOINLINE double weighed(const double *x, const double *w, double a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += w[i] * x[i] * a;
  return s;
}
static NOINLINE void update(double *x, double a, int n) {
  for (int i = 0; i < n; i++) x[i] = x[i] * a + square(x[i]) * 0.3;
}
static NOINLINE void both(double a, double b, double *sum, double *product) {
  *sum = a + sin(b);
  *product = a * b;
}
static REAL subject(REAL *x, int n) {
  const double w[8] = {0.1, 0.9, 0.4, 0.3, 0.7, 0.2, 0.5, 0.8};
  double s = weighed(x, w, x[1], n), p, q;
  update(x, 0.5 * s, n);
  both(x[0], x[3], &p, &q);
  update(x, p, n / 2);
  both(q, p, &x[2], &q);
  return s * q + weighed(x, w, 1.5, n);
}
