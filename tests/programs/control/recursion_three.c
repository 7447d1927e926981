/* Three functions in a ring, each changing another array on the way down and again on the way up. */
#include "check.h"

static NOINLINE double second(double *a, double *b, int n, double s);
static NOINLINE double third(double *a, double *b, int n, double s);

static NOINLINE double first(double *a, double *b, int n, double s) {
  if (n < 0) return s;
  a[n] = a[n] * s;
  double r = n % 2 ? second(a, b, n - 1, s + a[n]) : third(b, a, n - 2, s * b[n]);
  b[n] = b[n] * b[n] + r;
  return r + a[n] * b[n];
}
static NOINLINE double second(double *a, double *b, int n, double s) {
  if (n < 0) return s * s;
  double old = b[n];
  b[n] = sin(old * s);
  double r = third(a, b, n - 1, s * 0.9);
  b[n] += old;
  return r * b[n] + old;
}
static NOINLINE double third(double *a, double *b, int n, double s) {
  if (n < 0) return 0.3 - s;
  double r = 0;
  for (int k = 0; k < 2 && n - k >= 0; k++) r += first(b, a, n - 1 - k, s * a[n] + 0.1 * k);
  a[n] *= 0.7;
  return r;
}

static double f(const double *x) {
  double a[6], b[6], s;
  for (int i = 0; i < 6; i++) a[i] = 0.8 * x[i], b[i] = 0.6 * x[(i + 2) % 6] + 0.2;
  s = first(a, b, 5, x[0]);
  for (int i = 0; i < 6; i++) s += a[i] * b[i] * (i + 1);
  return s;
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, -0.5, 0.8, 0.7, -0.9, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
