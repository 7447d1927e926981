/* Tail calls that the source demands: the derivative has work to do after the call, and does it. */
#include "check.h"

static NOINLINE double down(double *a, int n, double s, double t) {
  if (n <= 0) return s * t;
  a[n - 1] = a[n - 1] * s + t;
  __attribute__((musttail)) return down(a, n - 1, t, 0.5 * s + a[n - 1]);
}
static NOINLINE void touch(double *a, int n) {
  if (n == 0) return;
  a[n] = a[n] * a[n - 1];
  __attribute__((musttail)) return touch(a, n - 1);
}
static double f(const double *x) {
  double a[5];
  memcpy(a, x, sizeof a);
  double r = down(a, 5, x[1], x[3]);
  touch(a, 4);
  for (int i = 0; i < 5; i++) r += a[i] * (i + 1);
  return r;
}
DERIVED(f)

int main(void) {
  double x[5] = {0.6, -0.5, 0.8, 0.7, -0.9};
  CHECK_DERIVED(f, x);
  return check_done();
}
