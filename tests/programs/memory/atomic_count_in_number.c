/* A cell that is a count, updated atomically, before it is a number: types know of the number only. */
#include <stdlib.h>

#include "check.h"

static NOINLINE int share(void *cell) {
  __atomic_fetch_add((long *)cell, 3, __ATOMIC_RELAXED);
  return __atomic_fetch_sub((long *)cell, 1, __ATOMIC_ACQ_REL) == 3;
}

double counted(const double *x) {
  double *cell = malloc(8), result = x[0];
  memset(cell, 0, 8);
  for (int i = 1; i < 3; i++) {
    if (share(cell)) result *= x[i];
    *cell = result * x[2];
    result += *cell * *cell;
    memset(cell, 0, 8);
  }
  free(cell);
  return result;
}
DERIVED(counted)

static NOINLINE void end(double *at) {
  printf("never %g\n", *at);
  for (;;) *at += 1;
}

double ended(const double *x) { /* a call that never returns has nothing to undo */
  double y = x[0] * x[1];
  if (y > 100) end(&y);
  return y * x[2];
}
DERIVED(ended)

int main(void) {
  double at[] = {0.7, 1.3, -0.4};
  CHECK_DERIVED(counted, at);
  CHECK_DERIVED(ended, at);
  return check_done();
}
