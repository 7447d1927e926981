/* Recursion in tail position, with accumulators and with arrays; two functions that end in each other. */
#include "check.h"

static NOINLINE double horner(const double *c, int n, double at, double sum) {
  if (n == 0) return sum;
  return horner(c + 1, n - 1, at, sum * at + c[0]);
}
static NOINLINE double even(double *a, int n, double s);
static NOINLINE double odd(double *a, int n, double s) {
  a[n] += s * a[n];
  if (n == 0) return s;
  return even(a, n - 1, s * 1.1 + a[n]);
}
static NOINLINE double even(double *a, int n, double s) {
  a[n] *= sin(s);
  if (n == 0) return s * s;
  return odd(a, n - 1, cos(s) - a[n]);
}
static double f(const double *x) { return horner(x + 1, 5, x[0], 0.5); }
static double g(const double *x) {
  double a[6];
  memcpy(a, x, sizeof a);
  double s = even(a, 5, x[2]);
  for (int i = 0; i < 6; i++) s += a[i] * a[i];
  return s;
}
DERIVED(f)
DERIVED(g)

int main(void) {
  double x[6] = {0.6, -0.5, 0.8, 0.7, -0.9, 0.75};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(g, x);
  return check_done();
}
