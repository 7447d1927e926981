/* reallocarray, a block that becomes smaller and larger again, realloc(0, n), a block moved in a branch. */
#include "check.h"

static double *NOINLINE resize(double *p, int n) { return realloc(p, n * sizeof(double)); }

static double steps(const double *x) {
  double *t = realloc(0, 4 * sizeof(double)), s = 0;
  for (int i = 0; i < 4; i++) t[i] = x[i] * x[i];
  t = realloc(t, 2 * sizeof(double));
  s += t[0] * t[1];
  t = resize(t, 6);
  for (int i = 2; i < 6; i++) t[i] = t[i - 1] * t[i - 2] + x[i % 4];
  if (s > -1) {
    t = resize(t, 8);
    t[6] = t[5] * s;
    t[7] = t[6] + t[0];
  } else {
    t[0] = 0;
  }
  double *u = t;
  t = realloc(t, 1000 * sizeof(double));
  for (int i = 8; i < 1000; i++) t[i] = 0.999 * t[i - 1] + 0.001 * t[i - 8];
  (void)u;
  s += t[999] * t[7] + t[500];
  t = resize(t, 1);
  s *= t[0];
  free(t);
  return s;
}
DERIVED(steps)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  for (int i = 0; i < 2; i++) CHECK_DERIVED(steps, x);
  return check_done();
}
