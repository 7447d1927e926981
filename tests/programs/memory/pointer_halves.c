// refused: makes a pointer of an integer of unknown origin
/* A pointer that goes through a call in two halves: nobody sees where it leads. */
#include "check.h"

static NOINLINE double *join(unsigned low, unsigned high) { return (double *)(((uintptr_t)high << 32) | low); }

double halves(const double *x) {
  double t[4];
  for (int i = 0; i < 4; i++) t[i] = x[i] * x[i];
  uintptr_t p = (uintptr_t)t;
  double *q = join((unsigned)p, (unsigned)(p >> 32));
  return q[0] * q[1] + q[2] * x[3];
}
DERIVED(halves)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(halves, x);
  return check_done();
}
