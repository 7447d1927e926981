// aborts: global 'current' led to 'held', which is active, before the derivative
/* Somebody has stored a pointer to a global before, and what the function writes to that global is read through it. */
#include "check.h"

static double held[4];
static double *current;
static NOINLINE double crossed(const double *p) { return p[0] * p[1] + p[2] * p[3]; }

double before(const double *x) {
  for (int i = 0; i < 4; i++) held[i] = x[i % 2] * (i + 1);
  return crossed(current) * x[0];
}
DERIVED(before)

int main(void) {
  current = held;
  double x[] = {0.7, 1.2};
  CHECK_DERIVED(before, x);
  return check_done();
}
