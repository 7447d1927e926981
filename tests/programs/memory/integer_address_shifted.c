/* A compressed pointer: declined, not dropped, in a function of its own too. */
// refused: pointer
#include "check.h"

static volatile uintptr_t kept;
static NOINLINE double read(void) {
  const double *q = (const double *)(kept << 3);
  return q[0] * q[1] + q[2];
}
static double f(const double *x) {
  kept = (uintptr_t)x >> 3;
  return read() * x[0];
}
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
