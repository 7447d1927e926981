// aborts: the bits of a number are used as an integer, by 'atomicrmw'
/* An atomic sum of integers that finds a number in its place. */
#include "check.h"

static NOINLINE void next(void *cell) { __atomic_fetch_add((long *)cell, 1, __ATOMIC_RELAXED); }

double bits(const double *x) {
  double cell = x[0] * x[1];
  next(&cell);
  return cell * x[2];
}
DERIVED(bits)

int main(void) {
  double at[] = {0.7, 1.3, -0.4};
  CHECK_DERIVED(bits, at);
  return check_done();
}
