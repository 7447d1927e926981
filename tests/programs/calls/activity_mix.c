/* One function called with every mix of active and constant arguments, in pointers and numbers, never inlined. */
#include "check.h"

static NOINLINE double blend(const double *a, double *b, double s, double t, int n) {
  double sum = t;
  for (int i = 0; i < n; i++) {
    b[i] = b[i] * s + a[i] * t;
    sum += b[i] * a[n - 1 - i] * (i % 2 ? s : t);
  }
  return sum;
}
static double f(const double *x) {
  static const double fixed[4] = {0.3, -0.7, 1.1, 0.2};
  double work[4] = {1, 2, 3, 4}, idle[4] = {0.5, 0.25, 0.125, 1}, s = 0;
  s += blend(x, work, 0.5, 0.25, 4);
  s += blend(fixed, work, x[0], 0.25, 4);
  s += blend(fixed, idle, 0.5, 0.25, 4);
  s += blend(fixed, idle, 0.5, x[1], 4);
  s += blend(x, idle, x[2], x[3], 4);
  s += blend(work, work, work[0], idle[1], 2);
  blend(x, work, x[0], 1, 3); /* the result is not used */
  for (int i = 0; i < 4; i++) s += work[i] * idle[3 - i];
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
